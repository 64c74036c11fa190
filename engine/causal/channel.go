package causal

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// TopicID is a topic's UUID, big-endian. It is the topic's identity: a topic deleted and
// made again under the same name has another one, and is another topic.
type TopicID [16]byte

// Channel is one partition of a topic: the unit of total order.
type Channel struct {
	Topic     TopicID
	Partition int32
}

// Coordinate is one appended record: a channel and the record's offset on it. As an entry
// of a clock it claims every record of the channel up to and including the offset.
type Coordinate struct {
	Channel Channel
	Offset  int64
}

// String is the usual text of a UUID: 36 characters, lower-case.
func (t TopicID) String() string {
	var b [36]byte
	hex.Encode(b[0:8], t[0:4])
	hex.Encode(b[9:13], t[4:6])
	hex.Encode(b[14:18], t[6:8])
	hex.Encode(b[19:23], t[8:10])
	hex.Encode(b[24:36], t[10:16])
	b[8], b[13], b[18], b[23] = '-', '-', '-', '-'
	return string(b[:])
}

// ParseTopicID reads what String writes, and nothing else: an identity has one text.
func ParseTopicID(text string) (TopicID, error) {
	var t TopicID
	b, err := hex.DecodeString(strings.ReplaceAll(text, "-", ""))
	copy(t[:], b)
	if err != nil || t.String() != text {
		return TopicID{}, fmt.Errorf("causal: %q is not a topic id", text)
	}
	return t, nil
}

// Compare orders channels by the bytes of the topic id, then by partition. It is the order
// of the entries of a clock, so that equal clocks are equal bytes.
func (c Channel) Compare(d Channel) int {
	if order := bytes.Compare(c.Topic[:], d.Topic[:]); order != 0 {
		return order
	}
	return cmp.Compare(c.Partition, d.Partition)
}

// String is the form that store keys use: <topic uuid>:<partition>.
func (c Channel) String() string {
	return c.Topic.String() + ":" + strconv.FormatInt(int64(c.Partition), 10)
}

// ParseChannel reads what String writes, and nothing else.
func ParseChannel(text string) (Channel, error) {
	topic, partition, _ := strings.Cut(text, ":")
	id, err := ParseTopicID(topic)
	if err != nil {
		return Channel{}, fmt.Errorf("causal: %q is not a channel", text)
	}
	n, err := strconv.ParseInt(partition, 10, 32)
	c := Channel{Topic: id, Partition: int32(n)}
	if err != nil || n < 0 || c.String() != text {
		return Channel{}, fmt.Errorf("causal: %q is not a channel", text)
	}
	return c, nil
}

// String is <topic uuid>:<partition>@<offset>.
func (c Coordinate) String() string {
	return c.Channel.String() + "@" + strconv.FormatInt(c.Offset, 10)
}
