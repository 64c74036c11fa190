package stage

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
)

// TestBytes proves that keys and headers survive the way through JSON, whatever bytes they are.
func TestBytes(t *testing.T) {
	for _, b := range []Bytes{nil, {}, Bytes("o-1"), Bytes("ä\"\n"), {0xff, 0}} {
		text, err := json.Marshal(struct{ B Bytes }{b})
		if err != nil {
			t.Fatal(err)
		}
		var back struct{ B Bytes }
		if err := json.Unmarshal(text, &back); err != nil || !bytes.Equal(back.B, b) || (back.B == nil) != (b == nil) {
			t.Errorf("%q became %s, and %q, %v", b, text, back.B, err)
		}
	}
	var b Bytes
	if err := json.Unmarshal([]byte("17"), &b); err == nil {
		t.Error("a number became bytes")
	}
}

// TestEntries proves the forms of runtime.Entry: a null state is a nil pointer, both ways, and a
// module without the entry says so.
func TestEntries(t *testing.T) {
	t.Cleanup(func() { fold, handle = missing("fold"), missing("handle") })
	if _, err := fold(nil); err == nil || err.Error() != "the module sets no fold" {
		t.Error(err)
	}
	Fold(func(n *int, r Record) (*int, []Emission, error) {
		switch {
		case r.Topic == "bad":
			return nil, nil, errors.New("bad")
		case n == nil:
			return new(int), Emit("out", string(r.Key)), nil
		default:
			return nil, nil, nil
		}
	})
	Handle(func(r Record) ([]Emission, error) {
		return []Emission{{To: "out", Key: Bytes("k"), Value: r.Value, Headers: r.Headers}}, nil
	})
	for _, c := range []struct {
		entry      entry
		call, want string
	}{
		{fold, `{"state":null,"msg":{"topic":"a","key":"o-1","value":1}}`, `{"state":0,"emit":[{"to":"out","value":"o-1"}]}`},
		{fold, `{"state":7,"msg":{"topic":"a","key":null,"value":1}}`, `{"state":null}`},
		{fold, `{"state":null,"msg":{"topic":"bad"}}`, ""},
		{handle, `{"msg":{"key":null,"value":[1.50],"headers":{"h":{"base64":"/w=="}}}}`, `[{"to":"out","key":"k","value":[1.50],"headers":{"h":{"base64":"/w=="}}}]`},
		{handle, `[]`, ""},
	} {
		got, err := c.entry([]byte(c.call))
		if string(got) != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%s: %s, %v\nwant %s", c.call, got, err, c.want)
		}
	}
}
