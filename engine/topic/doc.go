// Package topic joins the causal protocol to the embedded log: what both stages and the endpoints
// of pipelines need of it.
//
//	store.Log --View--> causal.Restore
//	store.Log --View, State--> Bounds: what clocks may forget
//	store.TopicRecord <--Fetched, Stored--> causal.Fetched
//	Producer: observe, stamp, append      for whoever takes part without being a stage
//	Drain: are all who write and read topics in this process done?
//
// Invariants:
//
//  1. A clock travels in the record header causal.HeaderClock and nowhere else.
//  2. A Producer claims what was acknowledged, never what may not come to be.
//  3. Drain says that all is drained only while nobody who could still append is at work.
//
// The package owns no goroutine.
package topic
