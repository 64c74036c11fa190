package runtime

import (
	"maps"
	"time"
)

// Message is one unit of data in flight. It is a value: copy it freely, but never
// write to the bytes or the map behind it (invariant 1 of the package).
type Message struct {
	// ID is the message's identity (meta.message_id of seed 000): kept when the
	// source supplies one, made by admission otherwise, stable over redelivery and
	// replay. The outputs of a transform carry the ID of their input.
	ID string
	// Key orders messages at a sink or a topic; nil means none.
	Key []byte
	// Payload is the message's bytes in the form that Codec names. It is decoded on
	// demand, so that what nobody touches leaves as it came.
	Payload []byte
	// Codec names what Payload is: "json" (one JSON text) or "raw" (any bytes).
	Codec string
	// Meta holds the user's and the engine's annotations; nil means none.
	Meta Meta
	// Source is the name of the source node that emitted the message.
	Source string
	// Ingested is the time at which the message was admitted, in UTC with
	// millisecond precision. It is the guest's clock.
	Ingested time.Time
}

// Meta is a message's annotations. Treat a Meta that is attached to a Message as
// immutable; With makes a changed copy.
type Meta map[string]string

// With returns a copy of m in which key has the given value. m is left as it is.
func (m Meta) With(key, value string) Meta {
	out := make(Meta, len(m)+1)
	maps.Copy(out, m)
	out[key] = value
	return out
}

// Names of the meta entries that the engine stamps. Guests can read them; a guest
// that writes one has its write ignored (all start with the reserved prefix).
const (
	// MetaReserved is the prefix of names that belong to the engine.
	MetaReserved = "leat."
	// MetaIsReplay is "true" on a message that was replayed from a dead letter or a spool window.
	MetaIsReplay = "leat.is_replay"
	// MetaOriginalID is the ID that the replayed message had.
	MetaOriginalID = "leat.original_message_id"
	// MetaReplayCount is the number of times this message was replayed, in decimal.
	MetaReplayCount = "leat.replay_count"
	// MetaTopicPlace is where a message stood that came out of a topic: topic id:partition@offset.
	MetaTopicPlace = "leat.topic_place"
	// MetaTopicClock is its clock, in base64.
	MetaTopicClock = "leat.topic_clock"
	// MetaTopicNull is "true" where its value was null, which reads as the JSON text null.
	MetaTopicNull = "leat.topic_null"
	// MetaOriginalSeq is the spool seq at which a replayed message first stood, in decimal.
	MetaOriginalSeq = "leat.original_seq"
)
