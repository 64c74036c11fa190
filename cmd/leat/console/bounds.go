package console

import "time"

// What a request may be and take.
const (
	bodyMost    = 1 << 20
	headerMost  = 16 << 10
	headerTime  = 5 * time.Second  // from the connection to the last header
	requestTime = 15 * time.Second // to the last byte of the body
	answerTime  = 30 * time.Second // to write an answer; a stream has as long for each event
	idleTime    = time.Minute
	closeTime   = 5 * time.Second // for the requests under way when Close is called
	replayTime  = time.Minute     // that a replay is waited for
	dryRunTime  = 20 * time.Second
)

// How much is held and answered.
const (
	connectionsMost = 256
	streamsMost     = 32  // events and tails together
	replaysMost     = 4   // replays and dry runs at once
	lettersMost     = 500 // of one list, and by one replay or purge
	lettersDefault  = 100
	dryRunsMost     = 100
	holdsMost       = 500      // of a stage in an answer
	payloadMost     = 64 << 10 // of a payload in an answer
	tokenLeast      = 16       // characters
)

// How often a stream looks.
const (
	sampleEvery = time.Second
	tailEvery   = 250 * time.Millisecond
	tailDefault = 4  // messages a second
	tailMost    = 40 // messages a second
)
