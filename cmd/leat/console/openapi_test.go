package console

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// openAPI is what the test needs of the description.
type openAPI struct {
	Paths      map[string]map[string]operation
	Components struct{ Schemas map[string]schema }
}

type operation struct {
	OperationID string
	Parameters  []struct{ Name, In string }
	RequestBody *content
	Responses   map[string]content
	Security    []map[string][]string
}

type content struct {
	Content map[string]struct{ Schema schema }
}

type schema struct {
	Ref        string `json:"$ref"`
	Type       string
	Properties map[string]schema
	Required   []string
	Additional any `json:"additionalProperties"`
	Items      *schema
	Enum       []string
	Nullable   bool
}

func description(t *testing.T) *openAPI {
	t.Helper()
	text, err := files.ReadFile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var d openAPI
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	return &d
}

// The table of routes and the description name the same operations, with the same
// parameters in the path and the query, and agree on what needs the token.
func TestRoutesAreDescribed(t *testing.T) {
	w := newWorld(t)
	d := description(t)
	described := map[string]bool{}
	for path, operations := range d.Paths {
		for method := range operations {
			described[strings.ToUpper(method)+" "+path] = true
		}
	}
	for _, r := range w.server.table() {
		path := strings.ReplaceAll(r.path, "{$}", "")
		name := r.method + " " + path
		if !described[name] {
			t.Errorf("%s is not described", name)
			continue
		}
		delete(described, name)
		o := d.Paths[path][strings.ToLower(r.method)]
		if open := o.Security != nil && len(o.Security) == 0; open != r.open {
			t.Errorf("%s: open %v, described as %v", name, r.open, open)
		}
		for _, in := range regexp.MustCompile(`\{(\w+)\}`).FindAllStringSubmatch(path, -1) {
			if !slices.ContainsFunc(o.Parameters, func(p struct{ Name, In string }) bool { return p.Name == in[1] && p.In == "path" }) {
				t.Errorf("%s: parameter %s is not described", name, in[1])
			}
		}
		var query []string
		for _, p := range o.Parameters {
			if p.In == "query" {
				query = append(query, p.Name)
			}
		}
		if !slices.Equal(query, r.query) {
			t.Errorf("%s: takes %v in the query, described as %v", name, r.query, query)
		}
	}
	for name := range described {
		t.Errorf("%s is described and does not exist", name)
	}
}

// check reports where a value is not what a schema says.
func (d *openAPI) check(at string, s schema, value any) (faults []string) {
	if name, ok := strings.CutPrefix(s.Ref, "#/components/schemas/"); ok {
		named, there := d.Components.Schemas[name]
		if !there {
			return []string{at + ": no schema " + name}
		}
		return d.check(at, named, value)
	}
	if value == nil && s.Nullable {
		return nil
	}
	switch v := value.(type) {
	case map[string]any:
		return d.checkObject(at, s, v)
	case []any:
		if s.Type != "array" {
			return []string{fmt.Sprintf("%s: a list, described as %s", at, s.Type)}
		}
		for i := range v {
			faults = append(faults, d.check(fmt.Sprintf("%s[%d]", at, i), *s.Items, v[i])...)
		}
	case string:
		if s.Type != "string" || len(s.Enum) > 0 && !slices.Contains(s.Enum, v) {
			faults = append(faults, fmt.Sprintf("%s: text %q, described as %s %v", at, v, s.Type, s.Enum))
		}
	case float64:
		if s.Type != "number" && (s.Type != "integer" || v != float64(int64(v))) {
			faults = append(faults, fmt.Sprintf("%s: number %v, described as %s", at, v, s.Type))
		}
	case bool:
		if s.Type != "boolean" {
			faults = append(faults, fmt.Sprintf("%s: a bool, described as %s", at, s.Type))
		}
	default:
		faults = append(faults, fmt.Sprintf("%s: %v, described as %s", at, value, s.Type))
	}
	return faults
}

func (d *openAPI) checkObject(at string, s schema, v map[string]any) (faults []string) {
	if s.Type != "object" {
		return []string{fmt.Sprintf("%s: an object, described as %q", at, s.Type)}
	}
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			faults = append(faults, at+": no "+name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		property, ok := s.Properties[name]
		if !ok {
			switch additional := s.Additional.(type) {
			case map[string]any:
				if want, _ := additional["type"].(string); want != "" {
					property, ok = schema{Type: want}, true
				}
			case bool:
				if additional {
					continue
				}
			}
		}
		if !ok {
			faults = append(faults, at+": "+name+" is not described")
			continue
		}
		faults = append(faults, d.check(at+"."+name, property, v[name])...)
	}
	return faults
}

// Every answer of every operation is what its description says: its status, its type, and
// its JSON down to the last property, for answers that refuse too.
func TestAnswersAreWhatIsDescribed(t *testing.T) {
	w := newWorld(t, withStage(t))
	d := description(t)
	w.emit(`{"n":1}`, `{"bad":"once"}`, `{"bad":"always"}`, `no JSON`)
	letters := get[letterListJSON](w, "/api/pipelines/test/dlq")
	id := letters.Letters[0].ID
	seen := map[string]bool{}
	for _, c := range []struct{ method, path, route, body string }{
		{"GET", "/", "/", ""},
		{"GET", "/assets/style.css", "/assets/{name}", ""},
		{"GET", "/assets/none", "/assets/{name}", ""},
		{"GET", "/healthz", "/healthz", ""},
		{"GET", "/readyz", "/readyz", ""},
		{"GET", "/metrics", "/metrics", ""},
		{"GET", "/api/openapi.json", "/api/openapi.json", ""},
		{"GET", "/api/pipelines", "/api/pipelines", ""},
		{"GET", "/api/stages", "/api/stages", ""},
		{"GET", "/api/pipelines/test", "/api/pipelines/{pipeline}", ""},
		{"GET", "/api/pipelines/none", "/api/pipelines/{pipeline}", ""},
		{"GET", "/api/pipelines/test/dlq?kind=guest&node=check&since=1h&text=bad&limit=10", "/api/pipelines/{pipeline}/dlq", ""},
		{"GET", "/api/pipelines/test/dlq?limit=0", "/api/pipelines/{pipeline}/dlq", ""},
		{"GET", "/api/pipelines/test/dlq/" + id, "/api/pipelines/{pipeline}/dlq/{id}", ""},
		{"GET", "/api/pipelines/test/dlq/none", "/api/pipelines/{pipeline}/dlq/{id}", ""},
		{"POST", "/api/pipelines/test/replay", "/api/pipelines/{pipeline}/replay", `{"dry_run":true}`},
		{"POST", "/api/pipelines/test/replay", "/api/pipelines/{pipeline}/replay", `{"delete":true,"kind":"guest"}`},
		{"POST", "/api/pipelines/test/replay", "/api/pipelines/{pipeline}/replay", `{"ids":["none"]}`},
		{"POST", "/api/pipelines/test/replay", "/api/pipelines/{pipeline}/replay", `{"at":"nowhere","dry_run":true}`},
		{"POST", "/api/pipelines/test/replay", "/api/pipelines/{pipeline}/replay", `{"since":"?"}`},
		{"POST", "/api/pipelines/test/dlq/purge", "/api/pipelines/{pipeline}/dlq/purge", `{"all":true}`},
		{"POST", "/api/pipelines/test/dlq/purge", "/api/pipelines/{pipeline}/dlq/purge", `{}`},
		{"POST", "/api/pipelines/test/pause", "/api/pipelines/{pipeline}/pause", `{}`},
		{"POST", "/api/pipelines/test/resume", "/api/pipelines/{pipeline}/resume", ``},
		{"POST", "/api/pipelines/test/drain", "/api/pipelines/{pipeline}/drain", ``},
		{"POST", "/api/pipelines/none/drain", "/api/pipelines/{pipeline}/drain", ``},
	} {
		status, text, h := w.ask(c.method, c.path, c.body)
		o := d.Paths[c.route][strings.ToLower(c.method)]
		seen[o.OperationID] = true
		described, ok := o.Responses[fmt.Sprint(status)]
		if !ok {
			t.Errorf("%s %s %s: %d is not described: %s", c.method, c.path, c.body, status, text)
			continue
		}
		kind, _, _ := strings.Cut(h.Get("Content-Type"), ";")
		if _, any := described.Content["*/*"]; any {
			continue
		}
		if _, ok := described.Content[kind]; !ok {
			t.Errorf("%s %s: type %q is not described", c.method, c.path, kind)
		}
		if kind != "application/json" {
			continue
		}
		var value any
		w.must(json.Unmarshal([]byte(text), &value))
		for _, fault := range d.check(c.route, described.Content[kind].Schema, value) {
			t.Error(c.path, c.body, fault)
		}
	}
	for _, operations := range d.Paths {
		for _, o := range operations {
			if !seen[o.OperationID] && o.OperationID != "events" && o.OperationID != "tail" {
				t.Errorf("%s is not tried", o.OperationID)
			}
		}
	}
}

// The streams send what their description says.
func TestStreamsAreWhatIsDescribed(t *testing.T) {
	w := newWorld(t)
	d := description(t)
	for route, path := range map[string]string{"/api/events": "/api/events", "/api/pipelines/{pipeline}/tail": "/api/pipelines/test/tail?rate=40"} {
		response, err := http.Get("http://" + w.server.Address() + path)
		w.must(err)
		w.emit(`{"n":1}`, `{"n":2}`)
		in := bufio.NewScanner(response.Body)
		in.Buffer(nil, 1<<20)
		for in.Scan() && !strings.HasPrefix(in.Text(), "data: ") {
		}
		var value any
		w.must(json.Unmarshal([]byte(strings.TrimPrefix(in.Text(), "data: ")), &value))
		described := d.Paths[route]["get"].Responses["200"].Content["text/event-stream"]
		for _, fault := range d.check(route, described.Schema, value) {
			t.Error(fault)
		}
		w.must(response.Body.Close())
	}
}

// A request takes every property that is described for it, and no other.
func TestRequestsAreWhatIsDescribed(t *testing.T) {
	w := newWorld(t)
	d := description(t)
	for path, o := range map[string]operation{
		"replay":    d.Paths["/api/pipelines/{pipeline}/replay"]["post"],
		"dlq/purge": d.Paths["/api/pipelines/{pipeline}/dlq/purge"]["post"],
	} {
		name := strings.TrimPrefix(o.RequestBody.Content["application/json"].Schema.Ref, "#/components/schemas/")
		for property, s := range d.Components.Schemas[name].Properties {
			value := map[string]string{"array": `["x"]`, "string": `"x"`, "boolean": "false"}[s.Type]
			_, text, _ := w.ask("POST", "/api/pipelines/test/"+path, fmt.Sprintf(`{%q: %s}`, property, value))
			if strings.Contains(text, "unknown key") {
				t.Errorf("%s: %s is described and not taken", path, property)
			}
		}
	}
}
