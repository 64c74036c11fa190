package causal

// Log answers what a start and a truncation have to know of the log outside.
type Log interface {
	// Topic describes a topic; false where there is none with this id (any more).
	Topic(id TopicID) (Topic, bool, error)
}

// Topic is a topic as it stands now.
type Topic struct {
	Name       string
	Partitions []Extent // by partition
}

// Extent is what a partition holds: the offsets in [Start, End).
type Extent struct {
	Start int64 // the first that can still be fetched
	End   int64 // one past the last, whatever stands there
}

// extent is that of one partition; false where the topic has no such partition.
func (t Topic) extent(partition int32) (Extent, bool) {
	if int(partition) >= len(t.Partitions) {
		return Extent{}, false
	}
	return t.Partitions[partition], true
}

// ends claims everything that the topic holds.
func (t Topic) ends(id TopicID) Clock {
	var v vector
	for p, extent := range t.Partitions {
		v.raise(Coordinate{Channel{id, int32(p)}, extent.End - 1})
	}
	return Clock(v)
}
