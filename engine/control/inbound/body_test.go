package inbound

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

type place struct {
	Topic  string `json:"topic"`
	Offset int64  `json:"offset"`
}

type inner struct{ Node string }

type request struct {
	inner
	place   `json:"at"`
	IDs     []string `json:"ids"`
	Delete  bool     `json:"delete,omitempty"`
	Window  *struct{ From, To int }
	Records []struct{ Key, Value []byte }
	Own     own
	Hidden  string `json:"-"`
	private int
}

// own reads its own keys.
type own struct{ is json.RawMessage }

func (o *own) UnmarshalJSON(text []byte) error { o.is = append(o.is, text...); return nil }

// A body with a key that the request does not have, at any depth, is refused with its place and
// the nearest that there is, and changes nothing; what encoding/json takes otherwise is taken.
func TestJSON(t *testing.T) {
	for body, want := range map[string]string{
		`{}`:                                  "",
		`null`:                                "the JSON value is null: write an object",
		` null `:                              "the JSON value is null: write an object",
		`[1]`:                                 "the whole body: a JSON array does not belong there",
		`{"IDS":["a"],"node":"n"}`:            "",
		`{"window":{"from":1,"To":2}}`:        "",
		`{"window":null,"records":null}`:      "",
		`{"own":{"any":1}}`:                   "",
		`{"records":[{"key":"YQ=="}]}` + "\n": "",
		`{"idds":["a"]}`:                      `unknown key "idds": did you mean "ids"?`,
		`{"delet":true}`:                      `unknown key "delet": did you mean "delete"?`,
		`{"nod":"n"}`:                         `unknown key "nod": did you mean "Node"?`,
		`{"Hidden":"n"}`:                      `unknown key "Hidden": there is: Node, Own, Records, Window, at, delete, ids`,
		`{"private":1}`:                       `unknown key "private": there is: Node, Own, Records, Window, at, delete, ids`,
		`{"inner":{}}`:                        `unknown key "inner": there is: Node, Own, Records, Window, at, delete, ids`,
		`{"window":{"form":1}}`:               `unknown key "form" at window: did you mean "From"?`,
		`{"records":[{},{"valeu":"YQ=="}]}`:   `unknown key "valeu" at records[1]: did you mean "Value"?`,
		`{"at":{"ofset":1}}`:                  `unknown key "ofset" at at: did you mean "offset"?`,
		`{"ids":["a"]} {}`:                    "something follows the JSON value",
		`{"ids":["a"]}}`:                      "something follows the JSON value: invalid character '}' looking for beginning of value",
		`{"ids":{}}`:                          "ids: a JSON object does not belong there",
		`{"ids":`:                             "unexpected EOF",
		``:                                    "EOF",
	} {
		got := request{Delete: true, private: 1}
		err := JSON(strings.NewReader(body), &got)
		if text(err) != want {
			t.Errorf("%s: %q, want %q", body, text(err), want)
		}
		var key *KeyError
		if errors.As(err, &key) && !reflect.DeepEqual(got, request{Delete: true, private: 1}) {
			t.Errorf("%s: refused, and read as %+v", body, got)
		}
	}
}

// The query too: what is misspelt, given twice or cannot be read is refused.
func TestQuery(t *testing.T) {
	for raw, want := range map[string]string{
		"":                "",
		"node=a&kind=":    "",
		"nod=a":           `unknown key "nod" at the query: did you mean "node"?`,
		"x=1":             `unknown key "x" at the query: there is: kind, node`,
		"node=a&node=b":   `the query has "node" 2 times`,
		"node=%zz":        `the query cannot be read: invalid URL escape "%zz"`,
		"node=a;kind=all": "the query cannot be read: invalid semicolon separator in query",
	} {
		if got := text(Query(raw, "node", "kind")); got != want {
			t.Errorf("%s: %q, want %q", raw, got, want)
		}
	}
	if got := text(Query("rate=1")); got != `unknown key "rate" at the query` {
		t.Error(got)
	}
}

// Whatever the bytes are, JSON takes nothing that a strict decoder of encoding/json refuses, and
// refuses nothing that it takes but a whole value of null.
func FuzzJSON(f *testing.F) {
	for _, body := range []string{`{"ids":["a"],"window":{"from":1}}`, `{"records":[{"key":"YQ=="}]}`, `{"at":{"x":1}}`, `[{}]`, `{} {}`, `null`, " null\n"} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var got, want request
		err := JSON(strings.NewReader(string(body)), &got)
		strict := json.NewDecoder(strings.NewReader(string(body)))
		strict.DisallowUnknownFields()
		wanted := strict.Decode(&want)
		if more := strict.More(); wanted == nil && !more {
			_, end := strict.Token()
			if end.Error() != "EOF" {
				wanted = end
			}
		} else if wanted == nil {
			wanted = errors.New("more")
		}
		if wanted == nil && strings.TrimSpace(string(body)) == "null" {
			wanted = errors.New("null")
		}
		if (err == nil) != (wanted == nil) {
			t.Errorf("%q: %v, encoding/json says %v", body, err, wanted)
		}
		if err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, want %+v", body, got, want)
		}
	})
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
