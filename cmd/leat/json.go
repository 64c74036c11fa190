package main

import (
	"encoding/json"
	"io"
)

// jsonTo writes one object a line. Texts stand as they are: what reads them is no browser.
func jsonTo(w io.Writer) *json.Encoder {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e
}
