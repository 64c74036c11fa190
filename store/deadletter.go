package store

import (
	"time"

	"github.com/leat-run/leat/runtime"
)

// The classes of dead letters: where in the pipeline the message failed.
const (
	ClassDecode    = "decode"    // the bytes of a source are no message
	ClassCodec     = "codec"     // a codec failed in another way
	ClassEncode    = "encode"    // a message has no form at a sink
	ClassDelivery  = "delivery"  // a sink refused it after every attempt
	ClassCanceled  = "canceled"  // given up because a run was cancelled
	ClassTransform = "transform" // a guest failed; Kind says how
	ClassPredicate = "predicate" // partition_by or order_key failed
)

// DeadLetter is a message that could not go on, with all that is needed to understand
// why and to send it again.
type DeadLetter struct {
	ID       string // unique; a put of the same ID replaces the letter
	Pipeline string
	Node     string // the node that failed, INTO which a replay goes
	Edge     string // "from->to" of the edge by which it came; "" at a source
	Flavor   string // of the node, where class is transform
	Class    string // one of the Class constants, set where the failure arose
	// Failure is the typed failure; nil unless a guest or a source had one.
	Failure *runtime.Failure
	// Reason is the sentence to show, at most runtime.MaxReason bytes.
	Reason string
	// Attempts counts every try, over all replays; at least 1.
	Attempts int
	// SpoolSeq is the row at which the message stood when it failed.
	SpoolSeq runtime.Seq
	RunID    string
	// CreatedAt is when the message first failed, to the nanosecond. It orders letters.
	CreatedAt time.Time
	// FailedAt is when it failed last.
	FailedAt   time.Time
	CodeDigest string // of the code that failed
	Usage      runtime.Usage
	// ReplayCount counts how often the letter was replayed.
	ReplayCount int
	// Quarantined letters are picked by ID only.
	Quarantined bool
	// Message is as it entered the node, whole, or with its payload cut.
	Message runtime.Message
	// PayloadLength is the length of the whole payload where Message's is cut, -1 where that is
	// not known; else 0.
	PayloadLength int64
}

func encodeLetter(l *DeadLetter) []byte {
	w := wireWriter{buf: make([]byte, 0, len(l.Message.Payload)+512)}
	w.byte(letterFormat)
	for _, text := range l.texts() {
		w.string(*text)
	}
	w.failure(l.Failure)
	w.int(int64(l.Attempts))
	w.uint(uint64(l.SpoolSeq))
	w.time(l.FailedAt)
	w.int(l.Usage.Fuel)
	w.int(int64(l.Usage.Duration))
	w.int(l.Usage.Memory)
	w.int(int64(l.ReplayCount))
	w.bool(l.Quarantined)
	w.int(l.PayloadLength)
	w.message(l.Message)
	return w.buf
}

// texts lists the strings in the order in which they are stored.
func (l *DeadLetter) texts() []*string {
	return []*string{
		&l.Pipeline, &l.Node, &l.Edge, &l.Flavor, &l.Class, &l.Reason, &l.RunID, &l.CodeDigest,
	}
}

// readLetter makes a letter of its key and value, which it keeps.
func readLetter(key, value []byte) (l DeadLetter, err error) {
	if l.CreatedAt, l.ID, err = parseLetterKey(key); err != nil {
		return l, err
	}
	r := openValue(value, letterFormat, "dead letter")
	for _, text := range l.texts() {
		*text = r.string()
	}
	l.Failure = r.failure()
	l.Attempts = int(r.int())
	l.SpoolSeq = runtime.Seq(r.uint())
	l.FailedAt = r.time()
	l.Usage = runtime.Usage{Fuel: r.int(), Duration: time.Duration(r.int()), Memory: r.int()}
	l.ReplayCount = int(r.int())
	l.Quarantined = r.bool()
	l.PayloadLength = r.int()
	l.Message = r.message()
	return l, r.close()
}
