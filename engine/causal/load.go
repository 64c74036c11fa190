package causal

import "fmt"

// load reads an input's stored state. The position it can know is just past what it has received.
func (in *input) load(stored Reader) (err error) {
	if in.frontier, in.seen, err = load(stored, KeyFrontier(in.channel), decodeFrontier); err != nil {
		return err
	}
	if in.advertised, err = loadClock(stored, KeyAdvertised(in.channel)); err != nil {
		return err
	}
	if in.queue.span, _, err = load(stored, KeyQueue(in.channel), decodeSpan); err != nil {
		return err
	}
	in.queue.stored = in.queue.span
	if in.seen {
		in.position = in.frontier + 1
	}
	if in.queue.empty() {
		return nil
	}
	return in.loadTail(stored)
}

func (in *input) loadTail(stored Reader) error {
	last, err := in.queue.read(stored, in.queue.tail-1)
	if err != nil {
		return err
	}
	if !in.seen || last.Offset <= in.frontier {
		return &StateError{KeyFrontier(in.channel), fmt.Errorf("a record is held at offset %d", last.Offset)}
	}
	in.queue.lastOffset = last.Offset
	in.position = last.Offset + 1
	return nil
}

func loadClock(stored Reader, key string) (vector, error) {
	clock, _, err := load(stored, key, DecodeClock)
	return vector(clock), err
}

// load reads and decodes one value; false where there is none.
func load[V any](stored Reader, key string, decode func([]byte) (V, error)) (v V, found bool, err error) {
	value, err := stored.Get(key)
	if err != nil {
		return v, false, fmt.Errorf("causal: read %s: %w", key, err)
	}
	if value == nil {
		return v, false, nil
	}
	if v, err = decode(value); err != nil {
		return v, false, &StateError{key, err}
	}
	return v, true, nil
}

// Stored is what the stored state of a task says about one channel.
type Stored struct {
	Seen     bool  // something is known of it
	Frontier int64 // REQUIRES: Seen
	Held     int64 // records in its hold queue
}

// ReadChannel reads it, for whoever describes a task that may be at work elsewhere.
func ReadChannel(stored Reader, c Channel) (s Stored, err error) {
	if s.Frontier, s.Seen, err = load(stored, KeyFrontier(c), decodeFrontier); err != nil {
		return s, err
	}
	held, _, err := load(stored, KeyQueue(c), decodeSpan)
	s.Held = held.len()
	return s, err
}
