package wasm

import (
	"bytes"

	"github.com/leat-run/leat/runtime"
)

// journal takes what a guest logs and prints during one Apply: it hands whole lines to
// the host until the budget is spent, and keeps the last of them for a failure.
type journal struct {
	sink    func(level, text string) // may be nil
	left    int64                    // bytes the host still takes in this Apply
	cut     bool                     // the host was told that the rest is cut
	tail    []byte                   // the last lines, at most twice tailBytes
	partial map[string][]byte        // per level, what is printed but not ended by a line feed
}

// tailBytes is how much of a guest's log a failure shows.
const tailBytes = 4 << 10

// lineBytes is the longest printed line; a longer one is broken.
const lineBytes = 4 << 10

// begin starts an Apply with a budget of limit bytes.
func (j *journal) begin(limit int64) {
	j.left, j.cut, j.tail = limit, false, j.tail[:0]
	clear(j.partial)
}

// add logs one text.
func (j *journal) add(level string, text []byte) {
	j.remember(text)
	switch {
	case j.cut:
	case int64(len(text)) > j.left:
		j.cut = true
		j.say("warn", runtime.Cut(string(text), int(max(j.left, 0)))+" … (log cut: budget.log is spent)")
	default:
		j.left -= int64(len(text)) + 1 // its end, so that empty lines come to an end too
		j.say(level, runtime.Cut(string(text), len(text)*3))
	}
}

func (j *journal) say(level, text string) {
	if j.sink != nil {
		j.sink(level, text)
	}
}

func (j *journal) remember(text []byte) {
	j.tail = append(j.tail, text[max(0, len(text)-tailBytes):]...)
	j.tail = append(j.tail, '\n')
	if len(j.tail) > 2*tailBytes {
		j.tail = j.tail[:copy(j.tail, j.tail[len(j.tail)-tailBytes:])]
	}
}

// print takes bytes of a stream and logs them line by line. Once the host takes no more, only
// the last of them are looked at: a megabyte can be as many lines.
func (j *journal) print(level string, text []byte) {
	if j.partial == nil {
		j.partial = map[string][]byte{}
	}
	for {
		if j.cut {
			text = text[max(0, len(text)-2*tailBytes):]
		}
		line, rest, found := bytes.Cut(text, []byte{'\n'})
		if !found && len(j.partial[level])+len(line) < lineBytes {
			j.partial[level] = append(j.partial[level], line...)
			return
		}
		n := min(len(line), lineBytes)
		if n < len(line) {
			rest = text[n:]
		}
		j.add(level, append(j.partial[level], line[:n]...))
		j.partial[level] = j.partial[level][:0]
		text = rest
	}
}

// end logs what was printed without a final line feed, and returns the last of the log.
func (j *journal) end() string {
	for _, level := range []string{"info", "warn"} {
		if line := j.partial[level]; len(line) > 0 {
			j.add(level, line)
			j.partial[level] = line[:0]
		}
	}
	tail := bytes.TrimRight(j.tail[max(0, len(j.tail)-tailBytes):], "\n")
	return runtime.Cut(string(tail), tailBytes)
}
