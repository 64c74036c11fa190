package suite

import (
	"fmt"
	"log/slog"
	"strings"
	"sync"

	"github.com/leat-run/leat/engine/pipeline"
)

// maxLog bounds what is kept of a case's log, in bytes.
const maxLog = 16 << 10

// caseLog keeps what guests log and the engine warns of, for the reader of a failure. It is safe
// for concurrent use.
type caseLog struct {
	mu   sync.Mutex
	kept strings.Builder
	cut  bool
}

// Write keeps whole lines as long as there is room.
func (l *caseLog) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cut = l.cut || l.kept.Len()+len(line) > maxLog; !l.cut {
		l.kept.Write(line)
	}
	return len(line), nil
}

// guest is engine.Options.GuestLog.
func (l *caseLog) guest(node *pipeline.Transform, level, text string) {
	fmt.Fprintf(l, "%s %s: %s\n", node.Name, level, text)
}

// logger is the engine's: warnings, without the time.
func (l *caseLog) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelWarn, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
}

func (l *caseLog) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cut {
		return l.kept.String() + "…\n"
	}
	return l.kept.String()
}
