package causal

import (
	"errors"
	"slices"
)

// HeaderClock is the name of the record header that carries an emission's clock. The name
// belongs to the protocol: a user's header of that name is refused by Seal.
const HeaderClock = "leat-clock"

// Header is one header of a record. A nil Value is a null one, which is not an empty one.
type Header struct {
	Name  string
	Value []byte
}

// Fetched is a record as it stands on its log: its clock, if it has one, is still among
// its headers. A record without that header claims nothing: it was written by somebody who
// takes no part in the protocol.
type Fetched struct {
	Channel   Channel
	Offset    int64 // >= 0
	Timestamp int64 // milliseconds since 1970, UTC; carried, never read
	Key       []byte
	Value     []byte
	Headers   []Header
}

// Record is a record as the stage sees it: the clock is taken out of the headers, which
// are the user's own again. Nobody writes to the bytes behind it. A nil Key or Value is null.
type Record struct {
	Channel   Channel
	Offset    int64
	Timestamp int64
	Clock     Clock
	Key       []byte
	Value     []byte
	Headers   []Header
}

// At is the record's place.
func (r Record) At() Coordinate { return Coordinate{r.Channel, r.Offset} }

// Open splits the clock from the user's headers. The record shares the bytes of f. A clock
// that cannot be read is an error, a *ClockError: it never reads as an empty one, which
// would deliver an effect before its cause.
func (f Fetched) Open() (Record, error) {
	r := Record{
		Channel: f.Channel, Offset: f.Offset, Timestamp: f.Timestamp,
		Key: f.Key, Value: f.Value, Headers: f.Headers,
	}
	at := slices.IndexFunc(f.Headers, isClock)
	if at < 0 {
		return r, nil
	}
	rest := f.Headers[at+1:]
	if slices.ContainsFunc(rest, isClock) {
		return Record{}, &ClockError{At: r.At(), Err: errors.New("two " + HeaderClock + " headers")}
	}
	clock, err := DecodeClock(f.Headers[at].Value)
	if err != nil {
		return Record{}, &ClockError{At: r.At(), Err: err}
	}
	r.Clock = clock
	r.Headers = slices.Concat(f.Headers[:at], rest)
	return r, nil
}

// Seal puts a clock before the user's headers, for appending. It fails where one of them has
// the protocol's own name.
func Seal(clock Clock, user []Header) ([]Header, error) {
	if slices.ContainsFunc(user, isClock) {
		return nil, ErrReservedHeader
	}
	sealed := make([]Header, 0, len(user)+1)
	sealed = append(sealed, Header{Name: HeaderClock, Value: clock.AppendTo(nil)})
	return append(sealed, user...), nil
}

func isClock(h Header) bool { return h.Name == HeaderClock }
