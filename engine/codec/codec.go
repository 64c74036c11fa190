package codec

import (
	"fmt"

	"github.com/leat-run/leat/runtime"
)

// Codec is what every type of this package offers; engine.Codec asks for the same. It is
// declared here again so that this package needs nothing of the engine.
type Codec interface {
	// Decode checks raw bytes and returns the payload, which shares their memory. An
	// error is a *Fault.
	Decode(raw []byte) (payload []byte, err error)
	// Encode returns the record of a message without a separator. The record may share
	// the payload's memory: it must not be written to. An error is a *Fault.
	Encode(m runtime.Message) (record []byte, err error)
}

// All returns the codecs that ship, by the name that a document uses.
func All() map[string]Codec {
	return map[string]Codec{NameJSON: JSON{}, NameRaw: Raw{}}
}

// Fault says what is wrong with bytes and where.
type Fault struct {
	Codec  string
	Offset int // of the first wrong byte, from 0; the length of the input where the input ends too early
	Reason string
}

// Error names the codec, the place and the reason.
func (f *Fault) Error() string {
	return fmt.Sprintf("%s: byte %d: %s", f.Codec, f.Offset, f.Reason)
}
