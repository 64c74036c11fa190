package engine

import (
	"testing"

	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// A row is recognised by its ID, key and payload together, and once.
func TestKnownRows(t *testing.T) {
	var k knownRows
	same := Emission{ID: "a", Key: []byte("k"), Payload: []byte("p")}
	if !k.none() || k.has(&same) || k.take(&same) != 0 {
		t.Fatal("something is known before anything was noted")
	}
	for seq, id := range []string{"", "a", "b"} {
		if id != "" {
			k.note(&store.Row{Seq: runtime.Seq(seq), Message: runtime.Message{ID: id, Key: same.Key, Payload: same.Payload}})
		}
	}
	for _, other := range []Emission{
		{Key: same.Key, Payload: same.Payload},
		{ID: "c", Key: same.Key, Payload: same.Payload},
		{ID: "a", Key: same.Key, Payload: []byte("q")},
		{ID: "a", Key: []byte("kp")},
	} {
		if seq := k.take(&other); seq != 0 {
			t.Errorf("%+v was taken for row %d", other, seq)
		}
	}
	if !k.has(&same) || k.take(&same) != 1 || k.has(&same) || k.take(&same) != 0 {
		t.Error("a row is not taken once")
	}
	if k.none() {
		t.Error("the other row is forgotten")
	}
}
