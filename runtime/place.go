package runtime

// Seq is the dense number of a row in a pipeline's spool: 1, 2, 3 … without holes. 0 is
// "before the first row".
type Seq uint64

// Position is a source's own opaque place: the state from which the source can go on
// after everything up to here is committed. Only the source that made it reads it.
type Position []byte
