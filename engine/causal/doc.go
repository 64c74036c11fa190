// Package causal decides when a record may be delivered to a stage, so that every cause of it that
// the stage consumes was delivered there before, and with which clock the stage's emissions go out.
//
//	                    one Task (one partition of a stage)
//	            +----------------------------------------------------+
//	Fetched --->| replay? seed, bridge      advertised clock (fold)  |
//	Advance --->|      |                            |                |
//	            |      v                            v                |
//	            | hold queue -> gate on heads   frontier, carried,   |
//	            | (disk)            |           own outputs          |
//	            +-------------------|--------------------|-----------+
//	                                v                    v
//	                        Next -> guest -> Delivered -> Stamp -> append -> Appended
//	                                                               |
//	            Flush: []Mutation -----------------------> one atomic write, with the
//	                                                       emissions and the positions
//
// Words are those of the README beside this file. Invariants:
//
//  1. A record is delivered only when the frontier dominates its clock, less the entry of its own
//     channel and those of channels that the task does not consume. No time-out, no exception.
//  2. The frontier of a channel is the highest offset up to which all that can be fetched was delivered
//     here and the rest was skipped. So it passes a skipped run as soon as the run is known to be one: in front of
//     the first held record as well as behind the last. (Were it to move by deliveries alone while records
//     are held, a claim on a hole between two held records would wait for ever.)
//  3. A head blocks its own channel only, and a head whose causes are here is never waited for by them:
//     every wait points from a later-appended record to an earlier-appended one.
//  4. The stamp is at all times the pointwise maximum of frontiers, advertised clocks, carried ancestry and
//     own outputs. Clocks are folded whole, at receipt; Stamp is the only place that makes one.
//  5. Frontiers, positions and stamps never go back, but for what Truncate removes; equal clocks are equal bytes.
//  6. A record that cannot be read fails the task. It is never taken for one without causes.
//  7. The causal past may be skipped, never dropped and never entered again (changes of scope).
//  8. Held records are on disk. In memory are, per channel, one head and what was received since the last Flush.
//  9. A Restore from the last Flush that was written is the whole of recovery; what it changes is idempotent.
//
// The order of delivery is a function of the order of arrival: nothing here ranges over a map.
//
// The package owns no goroutine, reads no clock and does no I/O but through Reader and Log, which its
// host gives it. It does not fetch, append, commit or run guests: that is the host's, package engine/stage.
// Nor does it check that stamps are truthful: records that claim each other wait for ever, and Holds names them.
package causal
