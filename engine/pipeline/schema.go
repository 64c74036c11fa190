package pipeline

import (
	"encoding/json"

	"github.com/leat-run/leat/engine/pipeline/document"
)

// Schema returns the JSON Schema of a pipeline document against what the catalog offers,
// for editors. It is made of the tables that the loader reads by.
func Schema(c Catalog) []byte {
	text, err := json.MarshalIndent(document.Schema(pipelineShape(c), "leat pipeline"), "", "  ")
	if err != nil {
		panic("pipeline: the tables are plain values: " + err.Error())
	}
	return text
}
