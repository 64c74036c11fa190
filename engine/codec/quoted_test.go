package codec

import (
	"reflect"
	"testing"

	"github.com/leat-run/leat/runtime"
)

// Proves that a text about a message shows no masked value that it quotes as it stands, and that the
// rest of it stays.
func TestTextsQuoteNoMaskedValue(t *testing.T) {
	m := runtime.Message{
		Payload: []byte(`{"card":{"number":"4111 1111","pin":987654,"owner":["Ada \"L\""]},"lines":[{"price":12.50},{"price":3}],"id":"o-1"}`),
		Meta:    runtime.Meta{"token": "t0ken", "shard": "7"},
	}
	r := NewRedactor([]string{"card", "payload.lines.price", "meta.token"})
	for text, want := range map[string]string{
		"Error: card 4111 1111 of o-1 is refused":        "Error: card *** of o-1 is refused",
		`{"number":"4111 1111","pin":987654}`:            `{"number":"***","pin":***}`,
		`of Ada "L", or {"owner":"Ada \"L\""}, by t0ken`: `of ***, or {"owner":"***"}, by ***`,
		"12.50 + 3 (shard 7)":                            "*** + 3 (shard 7)", // too short to look for
		"half of it: 4111":                               "half of it: 4111",  // what a guest made of one
		"nothing of it":                                  "nothing of it",
		"":                                               "",
	} {
		if got := r.Text(text, m); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	odd := runtime.Message{Payload: []byte(`{"card":"\"<&\u2028>\\"}`)}
	for _, text := range []string{"\"<&\u2028>\\", `\"<&` + "\u2028" + `>\\`, `\"\u003c\u0026\u2028\u003e\\`, `\"<&\u2028>\\`} {
		if got := r.Text(text, odd); got != "***" {
			t.Errorf("%s: %s", text, got)
		}
	}
	f := &runtime.Failure{Kind: runtime.KindGuest, Message: "no 4111 1111", Backtrace: "at 987654", Log: "t0ken", Hint: "see t0ken", Line: 3}
	want := &runtime.Failure{Kind: runtime.KindGuest, Message: "no ***", Backtrace: "at ***", Log: "***", Hint: "see ***", Line: 3}
	if got := r.Failure(f, m); !reflect.DeepEqual(got, want) || f.Message != "no 4111 1111" {
		t.Errorf("%+v, was %+v", got, f)
	}
	if got := NewRedactor(nil).Text("card 4111 1111", m); got != "card 4111 1111" {
		t.Error(got)
	}
	if got := r.Text("card 4111", runtime.Message{Payload: []byte("no JSON 4111")}); got != "card 4111" {
		t.Error(got)
	}
	if r.Failure(nil, m) != nil {
		t.Error("a failure was made of none")
	}
}
