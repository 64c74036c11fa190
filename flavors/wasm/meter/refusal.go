package meter

import (
	"errors"
	"fmt"
)

// The reasons for which a module is refused; test an error with errors.Is.
var (
	// ErrMalformed says that the bytes are no valid core WebAssembly module.
	ErrMalformed = errors.New("malformed module")
	// ErrUnsupported says that the module uses something outside core WebAssembly 2.0,
	// or more of something than the rewriter allows; Refusal.Feature names it.
	ErrUnsupported = errors.New("unsupported module")
	// ErrReserved says that the module uses a name which belongs to the meter.
	ErrReserved = errors.New("reserved name")
)

// Refusal is the error of Rewrite: what was found, and where. It unwraps to one of the
// sentinels above.
type Refusal struct {
	Reason  error  // ErrMalformed, ErrUnsupported or ErrReserved
	Offset  int    // bytes from the start of the module
	Place   string // the section or function at hand, "code section, function 12"
	Message string // what was found there
	Feature string // the WebAssembly proposal it belongs to, "threads"; empty if none
}

// Error returns place, offset and message on one line.
func (r *Refusal) Error() string {
	return fmt.Sprintf("%v: %s at offset %#x: %s", r.Reason, r.Place, r.Offset, r.Message)
}

// Unwrap returns the reason.
func (r *Refusal) Unwrap() error { return r.Reason }
