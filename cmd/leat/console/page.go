package console

import (
	"embed"
	"net/http"
)

//go:embed page/index.html page/app.js page/dom.js page/graph.js page/letters.js page/stages.js page/tail.js page/style.css openapi.json
var files embed.FS

// The files that the page asks for, and no others: a name is looked up here, never in a
// file system.
var assetTypes = map[string]string{
	"app.js":     "text/javascript; charset=utf-8",
	"dom.js":     "text/javascript; charset=utf-8",
	"graph.js":   "text/javascript; charset=utf-8",
	"letters.js": "text/javascript; charset=utf-8",
	"stages.js":  "text/javascript; charset=utf-8",
	"tail.js":    "text/javascript; charset=utf-8",
	"style.css":  "text/css; charset=utf-8",
}

func assets(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	kind, ok := assetTypes[name]
	if !ok {
		refuse(w, http.StatusNotFound, "no such file")
		return
	}
	asset(name, kind)(w, r)
}

func asset(name, kind string) http.HandlerFunc {
	if name != "openapi.json" {
		name = "page/" + name
	}
	text, err := files.ReadFile(name)
	if err != nil {
		panic(err) // it is in this binary
	}
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write(text) // the other side is gone
	}
}
