package codec

import "github.com/leat-run/leat/runtime"

// NameRaw is the name of Raw in a document and in Message.Codec.
const NameRaw = "raw"

// Raw passes bytes on as they are. A raw record may hold line breaks: at a sink that
// writes lines it then becomes several.
type Raw struct{}

// Decode returns raw itself.
func (Raw) Decode(raw []byte) ([]byte, error) { return raw, nil }

// Encode returns the payload itself, whatever its codec.
func (Raw) Encode(m runtime.Message) ([]byte, error) { return m.Payload, nil }
