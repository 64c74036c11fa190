package process

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/leat-run/leat/runtime"
)

// load is the first frame: what the child is for. It is JSON, since it is sent once.
type load struct {
	Flavor   string
	Code     runtime.Code
	Settings runtime.Settings
	Limited  bool // false where the memory cannot be limited (the race detector)
}

func appendLoad(b []byte, l load) ([]byte, error) {
	text, err := json.Marshal(l)
	if err != nil {
		return nil, fmt.Errorf("process: encode the code: %w", err)
	}
	if len(text) > maxLoad {
		return nil, fmt.Errorf("process: the code is too long for a child process: %d bytes", len(text))
	}
	b, at := beginFrame(b, frameLoad)
	return endFrame(append(b, text...), at), nil
}

func readLoad(body []byte) (l load, err error) {
	if err := json.Unmarshal(body, &l); err != nil {
		return l, fmt.Errorf("%w: %v", errMalformed, err)
	}
	return l, l.Settings.Budget.Validate()
}

// loaded is the child's answer to a load: it is ready, or err says why not.
type loaded struct {
	digest   string
	warnings []runtime.Warning
	files    []string // that the code was made of; nil where the flavor does not say
	ceiling  int64    // bytes of private memory that the child limited itself to; 0 for none
	err      error
}

const maxLoaded = 16 << 20

func appendLoaded(b []byte, l *loaded) []byte {
	b, at := beginFrame(b, frameLoaded)
	var failure *runtime.Failure
	switch {
	case l.err == nil:
		b = append(b, 0)
	case errors.As(l.err, &failure):
		b = appendFailure(append(b, answerFailure), failure)
	default:
		b = appendText(append(b, answerError), runtime.Cut(l.err.Error(), runtime.MaxReason))
	}
	b = appendText(b, l.digest)
	b = binary.AppendVarint(b, l.ceiling)
	b = binary.AppendUvarint(b, uint64(len(l.warnings)))
	for _, w := range l.warnings {
		for _, text := range []string{w.Code, w.Message, w.Hint, w.File} {
			b = appendText(b, text)
		}
		b = binary.AppendVarint(binary.AppendVarint(b, int64(w.Line)), int64(w.Column))
	}
	b = binary.AppendUvarint(b, uint64(len(l.files)))
	for _, file := range l.files {
		b = appendText(b, file)
	}
	return endFrame(b, at)
}

func readLoaded(body []byte) (l loaded, err error) {
	r := reader{rest: body}
	switch r.byte() {
	case 0:
	case answerFailure:
		l.err = r.failure()
	case answerError:
		l.err = errors.New(runtime.Cut(r.text(), runtime.MaxReason))
	default:
		r.fail()
	}
	l.digest = r.text()
	l.ceiling = r.int()
	for range r.count() {
		if r.err != nil {
			break
		}
		w := runtime.Warning{Code: r.text(), Message: r.text(), Hint: r.text(), File: r.text()}
		w.Line, w.Column = int(r.int()), int(r.int())
		l.warnings = append(l.warnings, w)
	}
	for range r.count() {
		if r.err != nil {
			break
		}
		l.files = append(l.files, r.text())
	}
	return l, r.end()
}
