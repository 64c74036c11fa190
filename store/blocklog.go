package store

import (
	"log/slog"
	"time"
)

// blockEvery is how often at most it is logged that rows are refused: a spool at a small max_bytes
// is full and open again several times a second.
const blockEvery = time.Minute

// blockLog says once that rows are refused, and once that they are accepted again. A change that
// comes too soon after the last line is told later, if it still holds then.
type blockLog struct {
	log   *slog.Logger
	since time.Time // when the log last said "blocked"
	said  bool      // it is the last word
	times int       // that rows were refused since
}

// tell is called with every look at the state: whenever it changes, and again and again while
// rows are refused. began says that this is the first look at it.
func (l *blockLog) tell(now time.Time, reason string, began bool) {
	if began {
		l.times++
	}
	switch {
	case reason == "" && l.said:
		l.said = false
		l.log.Info("store: room again")
	case reason != "" && !l.said && (l.since.IsZero() || now.Sub(l.since) >= blockEvery):
		l.log.Warn("store: blocked", "reason", reason, "times", l.times)
		l.said, l.since, l.times = true, now, 0
	}
}
