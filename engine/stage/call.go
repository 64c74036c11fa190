package stage

import (
	"encoding/base64"
	"encoding/json"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/leat-run/leat/engine/causal"
	"github.com/leat-run/leat/runtime"
)

// Call is what a guest is given: a record, and for a fold the state of its key. It is the form of
// runtime.Entry.
type Call struct {
	Entry   runtime.Entry
	Topic   string // the topic's name
	Record  causal.Record
	Payload []byte // the decoded value: JSON, or any bytes where Raw is set; nil is null
	Raw     bool
	State   []byte // JSON; nil is null
}

// Message is the call as a flavor takes it. Its ID is a function of the record's place, its time
// is the record's.
func (c Call) Message() runtime.Message {
	r := c.Record
	return runtime.Message{
		ID: r.At().String(), Key: r.Key, Payload: c.encode(), Codec: "json", Source: c.Topic,
		Ingested: time.UnixMilli(r.Timestamp).UTC(),
	}
}

func (c Call) encode() []byte {
	r := c.Record
	b := make([]byte, 0, 160+len(c.State)+len(c.Payload)+len(r.Key)+len(c.Topic))
	b = append(b, '{')
	if c.Entry == runtime.EntryFold {
		b = append(b, `"state":`...)
		b = append(orNull(b, c.State), ',')
	}
	b = append(b, `"msg":{"topic":`...)
	b = appendText(b, []byte(c.Topic))
	b = strconv.AppendInt(append(b, `,"partition":`...), int64(r.Channel.Partition), 10)
	b = strconv.AppendInt(append(b, `,"offset":`...), r.Offset, 10)
	b = strconv.AppendInt(append(b, `,"timestamp":`...), r.Timestamp, 10)
	b = appendText(append(b, `,"key":`...), r.Key)
	b = append(b, `,"value":`...)
	if c.Raw {
		b = appendText(b, c.Payload)
	} else {
		b = orNull(b, c.Payload)
	}
	b = appendHeaders(append(b, `,"headers":`...), r.Headers)
	return append(b, '}', '}')
}

func orNull(b, text []byte) []byte {
	if text == nil {
		return append(b, "null"...)
	}
	return append(b, text...)
}

// appendText writes bytes as JSON: text where they are UTF-8, {"base64": ...} where not, null.
func appendText(b, text []byte) []byte {
	switch {
	case text == nil:
		return append(b, "null"...)
	case utf8.Valid(text):
		quoted, _ := json.Marshal(string(text)) // a valid string never fails
		return append(b, quoted...)
	default:
		b = append(b, `{"base64":"`...)
		return append(base64.StdEncoding.AppendEncode(b, text), '"', '}')
	}
}

// appendHeaders writes headers as an object. Of two with one name the guest sees the last; a
// record that is held or replayed keeps both.
func appendHeaders(b []byte, headers []causal.Header) []byte {
	b = append(b, '{')
	first := true
	for i, h := range headers {
		if shadowed(headers[i+1:], h.Name) {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		name, _ := json.Marshal(h.Name) // invalid UTF-8 becomes U+FFFD
		b = appendText(append(append(b, name...), ':'), h.Value)
	}
	return append(b, '}')
}

func shadowed(later []causal.Header, name string) bool {
	for _, h := range later {
		if h.Name == name {
			return true
		}
	}
	return false
}
