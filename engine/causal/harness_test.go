package causal

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The scripts and tests call topics by name. Topic "orders" has the id that spells its name, so that ids
// sort as names do; "orders#2" is the topic made again under the name orders.

func topicID(name string) (t TopicID) {
	copy(t[:], name)
	return t
}

func topicName(t TopicID) string { return strings.TrimRight(string(t[:]), "\x00") }

// channel reads orders or orders:1.
func channel(text string) Channel {
	name, partition, found := strings.Cut(text, ":")
	if !found {
		return Channel{Topic: topicID(name)}
	}
	return Channel{topicID(name), int32(number(partition))}
}

// at reads orders@3.
func at(text string) Coordinate {
	name, offset, _ := strings.Cut(text, "@")
	return Coordinate{channel(name), number(offset)}
}

func number(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}

func clockOf(claims ...string) Clock {
	var c []Coordinate
	for _, claim := range claims {
		c = append(c, at(claim))
	}
	return NewClock(c...)
}

func nameOf(c Channel) string {
	if c.Partition == 0 {
		return topicName(c.Topic)
	}
	return topicName(c.Topic) + ":" + strconv.Itoa(int(c.Partition))
}

func placeOf(c Coordinate) string { return nameOf(c.Channel) + "@" + strconv.FormatInt(c.Offset, 10) }

func textOf(c Clock) string {
	var claims []string
	for claim := range c.All() {
		claims = append(claims, placeOf(claim))
	}
	return "{" + strings.Join(claims, " ") + "}"
}

// readable puts names where a text has topic ids.
func (w *world) readable(text string) string {
	for name := range w.named {
		text = strings.ReplaceAll(text, topicID(name).String(), name)
	}
	return text
}

// fetched makes a record as it comes from a log.
func fetched(place string, claims ...string) Fetched {
	f := Fetched{Channel: at(place).Channel, Offset: at(place).Offset, Value: []byte(place)}
	if len(claims) > 0 {
		f.Headers = []Header{{HeaderClock, clockOf(claims...).AppendTo(nil)}}
	}
	return f
}

// world is a host of one task, reduced to what the protocol asks of it: a store, a log's extents.
type world struct {
	store  map[string][]byte
	topics map[string]Topic
	named  map[string]bool // every topic there ever was
	task   *Task
	start  Start
}

func newWorld() *world {
	return &world{store: map[string][]byte{}, topics: map[string]Topic{}, named: map[string]bool{}}
}

func (w *world) Get(key string) ([]byte, error) { return w.store[key], nil }

func (w *world) Topic(id TopicID) (Topic, bool, error) {
	t, ok := w.topics[topicName(id)]
	return t, ok, nil
}

// extent sets what a partition holds, and makes the topic where there is none.
func (w *world) extent(c Channel, e Extent) {
	name := topicName(c.Topic)
	t := w.topics[name]
	t.Name, _, _ = strings.Cut(name, "#")
	for len(t.Partitions) <= int(c.Partition) {
		t.Partitions = append(t.Partitions, Extent{})
	}
	t.Partitions[c.Partition] = e
	w.topics[name] = t
	w.named[name] = true
}

// reach makes the log at least as long as what was seen of it.
func (w *world) reach(c Channel, end int64) {
	e, _ := w.topics[topicName(c.Topic)].extent(c.Partition)
	if e.End < end {
		w.extent(c, Extent{e.Start, end})
	}
}

func declare(inputs string, sinks string) Declaration {
	var d Declaration
	for _, name := range strings.Fields(inputs) {
		d.Inputs = append(d.Inputs, Input{Channel: channel(name)})
	}
	for _, name := range strings.Fields(sinks) {
		d.Sinks = append(d.Sinks, topicID(name))
	}
	return d
}

// restore starts the task; declared topics that do not exist yet are made, empty.
func (w *world) restore(d Declaration) error {
	for _, in := range d.Inputs {
		if _, ok := w.topics[topicName(in.Channel.Topic)].extent(in.Channel.Partition); !ok {
			w.extent(in.Channel, Extent{})
		}
	}
	for _, sink := range d.Sinks {
		if _, ok := w.topics[topicName(sink)]; !ok {
			w.extent(Channel{Topic: sink}, Extent{})
		}
	}
	task, start, err := Restore(d, w, w)
	if err == nil {
		w.task, w.start = task, start
	}
	return err
}

// begin is restore for tests whose start is not in question.
func begin(inputs, sinks string) *world {
	w := newWorld()
	if err := w.restore(declare(inputs, sinks)); err != nil {
		panic(err)
	}
	return w
}

// receive takes in a record and delivers all that can be; it returns what was delivered.
func (w *world) receive(place string, claims ...string) ([]string, error) {
	w.reach(at(place).Channel, at(place).Offset+1)
	if err := w.task.Receive(fetched(place, claims...)); err != nil {
		return nil, err
	}
	return w.drain()
}

func (w *world) advance(c string, position int64) ([]string, error) {
	w.reach(channel(c), position)
	if err := w.task.Advance(channel(c), position); err != nil {
		return nil, err
	}
	return w.drain()
}

func (w *world) drain() (delivered []string, err error) {
	for {
		r, ok := w.task.Next()
		if !ok {
			return delivered, nil
		}
		if err := w.task.Delivered(); err != nil {
			return delivered, err
		}
		delivered = append(delivered, placeOf(r.At()))
	}
}

// flush writes the step.
func (w *world) flush() []Mutation {
	mutations := w.task.Flush()
	for _, m := range mutations {
		if m.Deletes() {
			delete(w.store, m.Key)
		} else {
			w.store[m.Key] = m.Value
		}
	}
	return mutations
}

// check holds the task against the invariants that must be true between any two calls.
func (w *world) check() error {
	t := w.task
	if parts := t.union(); !slices.Equal(parts.entries, t.past.entries) {
		return fmt.Errorf("the stamp is %v, its parts come to %v", t.past.entries, parts.entries)
	}
	for _, in := range t.inputs {
		switch {
		case (in.head == nil) != in.queue.empty():
			return errors.New("a queue without its head, or a head without a queue")
		case in.seen && in.frontier != in.clean():
			return fmt.Errorf("%s: the frontier is %d, all is done up to %d", nameOf(in.channel), in.frontier, in.clean())
		case in.head != nil && in.head.open() != slices.Contains(t.ready, in):
			return errors.New("an open gate that is not ready, or the reverse")
		case in.head != nil && !in.head.open() && !slices.Contains(in.head.lead().on.waiters, in):
			return errors.New("a head that nobody wakes")
		}
	}
	return nil
}
