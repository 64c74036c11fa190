package process

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/leat-run/leat/runtime"
)

// appendMessage appends a whole message.
func appendMessage(b []byte, m *runtime.Message) []byte {
	b = appendText(b, m.ID)
	b = appendBytes(b, m.Key)
	b = appendBytes(b, m.Payload)
	b = appendText(b, m.Codec)
	b = appendMeta(b, m.Meta)
	b = appendText(b, m.Source)
	return appendTime(b, m.Ingested)
}

// message reads a message, of which some is mostly like the last one.
func (r *reader) message(last *runtime.Message) runtime.Message {
	return runtime.Message{
		ID: r.text(), Key: r.bytes(), Payload: r.bytes(), Codec: r.textLike(last.Codec),
		Meta: r.meta(), Source: r.textLike(last.Source), Ingested: r.time(),
	}
}

func appendMeta(b []byte, meta runtime.Meta) []byte {
	if meta == nil {
		return append(b, 0)
	}
	b = binary.AppendUvarint(b, uint64(len(meta))+1)
	for _, key := range slices.Sorted(maps.Keys(meta)) {
		b = appendText(appendText(b, key), meta[key])
	}
	return b
}

func (r *reader) meta() runtime.Meta {
	n := r.uint()
	if n == 0 {
		return nil
	}
	if n-1 > uint64(len(r.rest)) {
		r.fail()
		return nil
	}
	meta := make(runtime.Meta, min(n-1, 64)) // no more, before they have come
	for range n - 1 {
		if r.err != nil {
			return nil
		}
		key := r.text()
		meta[key] = r.text()
	}
	return meta
}

// What an output has in common with its input is not sent: a bit says so.
const (
	sameID byte = 1 << iota
	sameKey
	samePayload
	sameCodec
	sameMeta
	sameSource
	sameIngested
	sameAll = 1<<iota - 1
)

// appendOutput appends an output as the difference to its input.
func appendOutput(b []byte, m, in *runtime.Message) []byte {
	at := len(b)
	b = append(b, 0)
	part := func(same bool, bit byte) bool {
		if same {
			b[at] |= bit
		}
		return !same
	}
	if part(m.ID == in.ID, sameID) {
		b = appendText(b, m.ID)
	}
	if part(sameBytes(m.Key, in.Key), sameKey) {
		b = appendBytes(b, m.Key)
	}
	if part(sameBytes(m.Payload, in.Payload), samePayload) {
		b = appendBytes(b, m.Payload)
	}
	if part(m.Codec == in.Codec, sameCodec) {
		b = appendText(b, m.Codec)
	}
	if part(equalMeta(m.Meta, in.Meta), sameMeta) {
		b = appendMeta(b, m.Meta)
	}
	if part(m.Source == in.Source, sameSource) {
		b = appendText(b, m.Source)
	}
	if part(m.Ingested.Equal(in.Ingested), sameIngested) {
		b = appendTime(b, m.Ingested)
	}
	return b
}

func equalMeta(a, b runtime.Meta) bool {
	return (a == nil) == (b == nil) && (len(a)+len(b) == 0 || maps.Equal(a, b))
}

// sameBytes says that a is b, without looking at the bytes.
func sameBytes(a, b []byte) bool {
	return len(a) == len(b) && (a == nil) == (b == nil) && (len(a) == 0 || &a[0] == &b[0])
}

// output reads into a copy of the input.
func (r *reader) output(m *runtime.Message) {
	same := r.byte()
	if same == sameAll {
		return
	}
	if same&sameID == 0 {
		m.ID = r.text()
	}
	if same&sameKey == 0 {
		m.Key = r.bytes()
	}
	if same&samePayload == 0 {
		m.Payload = r.bytes()
	}
	if same&sameCodec == 0 {
		m.Codec = r.text()
	}
	if same&sameMeta == 0 {
		m.Meta = r.meta()
	}
	if same&sameSource == 0 {
		m.Source = r.text()
	}
	if same&sameIngested == 0 {
		m.Ingested = r.time()
	}
}
