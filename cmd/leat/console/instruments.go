package console

import (
	"github.com/prometheus/client_golang/prometheus"
)

// instrument is one metric: what a scrape shows of it. The table is what the golden list,
// the dashboard and the alerts are held against. A label has a bounded set of values: the
// document's names, or words of this program.
type instrument struct {
	name, help string
	kind       prometheus.ValueType // Untyped stands for a histogram
	labels     []string
	buckets    []float64
	desc       *prometheus.Desc
}

const histogramKind = prometheus.UntypedValue

func (i *instrument) constant(values []string) prometheus.Labels {
	labels := prometheus.Labels{}
	for n, name := range i.labels {
		labels[name] = values[n]
	}
	return labels
}

// value is one sample of a counter or gauge.
func (i *instrument) value(v float64, labels ...string) prometheus.Metric {
	return prometheus.MustNewConstMetric(i.desc, i.kind, v, labels...)
}

// Steps of 1, 2 and 5 are read without a table.
func steps(from, to float64) (buckets []float64) {
	for decade := from; decade <= to; decade *= 10 {
		for _, step := range []float64{1, 2, 5} {
			if decade*step <= to {
				buckets = append(buckets, decade*step)
			}
		}
	}
	return buckets
}

func doublings(from float64, n int) []float64 { return prometheus.ExponentialBuckets(from, 2, n) }

var (
	everywhere = []string{"pipeline"}
	atNode     = []string{"pipeline", "node"}
	atGuest    = []string{"pipeline", "node", "flavor"}
	ofStage    = []string{"stage"}

	instruments []*instrument // in the order of declaration

	buildInfo = gauge("leat_build_info", "Always 1; the version of the program.", "version")

	admitted      = counter("leat_messages_admitted_total", "Messages that entered: live from a source, replayed after a crash, or injected.", "pipeline", "mode")
	accepted      = counter("leat_source_messages_accepted_total", "Messages accepted from a source.", "pipeline", "source")
	sourceRefused = counter("leat_source_commits_refused_total", "Commits of a source's position that failed and are tried again.", "pipeline", "source")
	sourceFailed  = gauge("leat_source_failed", "1 once the source ended with an error, which ends the run.", "pipeline", "source")
	committed     = counter("leat_messages_committed_total", "Messages of which every branch ended and the checkpoint was attempted.", everywhere...)
	branches      = counter("leat_branches_ended_total", "Branches of committed messages, by how they ended.", "pipeline", "outcome")
	filtered      = counter("leat_branches_filtered_total", "Branches that were filtered, by reason.", "pipeline", "reason")
	letters       = counter("leat_dead_letters_total", "Dead letters written, by node, class and failure kind.", "pipeline", "node", "class", "kind")
	unevaluated   = counter("leat_predicates_unevaluated_total", "Predicates that could not be evaluated, and did not match.", everywhere...)

	inFlight         = gauge("leat_in_flight_messages", "Messages that are admitted and not committed.", everywhere...)
	inFlightMost     = gauge("leat_in_flight_limit_messages", "limits.max_in_flight.", everywhere...)
	inFlightBytes    = gauge("leat_in_flight_bytes", "Payload bytes of messages that are admitted and not committed.", everywhere...)
	inFlightRoom     = gauge("leat_in_flight_limit_bytes", "limits.max_in_flight_bytes.", everywhere...)
	openBranches     = gauge("leat_branches_open", "Branches that have not ended.", everywhere...)
	pressureWaits    = counter("leat_backpressure_waits_total", "Admissions that waited for room among the messages in flight.", everywhere...)
	pressureTime     = counter("leat_backpressure_wait_seconds_total", "Time that admissions waited for room.", everywhere...)
	pressureNow      = gauge("leat_backpressure_waiting", "Admissions that wait for room now.", everywhere...)
	state            = gauge("leat_pipeline_state", "1 for the state that the pipeline is in.", "pipeline", "state")
	blocked          = gauge("leat_blocked", "1 while the pipeline is blocked for this reason.", "pipeline", "reason")
	checkpointLag    = gauge("leat_checkpoint_lag_messages", "Rows behind the durable checkpoint: what a crash would replay.", everywhere...)
	spoolRows        = gauge("leat_spool_rows", "Rows in the spool, retained ones included.", everywhere...)
	spoolBytes       = gauge("leat_spool_bytes", "Bytes of the rows in the spool.", everywhere...)
	spoolMost        = gauge("leat_spool_limit_bytes", "storage.max_bytes.", everywhere...)
	appendTime       = histogram("leat_append_seconds", "Time until appended rows are durable, waits for room included.", steps(1e-4, 10), everywhere...)
	commitTime       = histogram("leat_commit_latency_seconds", "Time from a message's acceptance to the durable checkpoint that covers it, by group.", steps(1e-3, 100), everywhere...)
	nodeIn           = counter("leat_node_messages_in_total", "Calls of a transform, or messages given to a sink.", atNode...)
	nodeOut          = counter("leat_node_messages_out_total", "Messages that a node handed on or wrote.", atNode...)
	nodeWaiting      = gauge("leat_node_queue_messages", "Messages in a node's queue.", atNode...)
	nodeRetries      = counter("leat_node_retries_total", "Attempts after the first.", atNode...)
	nodeFailed       = counter("leat_node_attempts_failed_total", "Attempts that failed.", atNode...)
	nodeDropped      = counter("leat_node_dropped_total", "Branches that an edge with required: false gave up.", atNode...)
	edgePassed       = counter("leat_edge_messages_total", "Messages that went along an edge.", "pipeline", "from", "to")
	recycled         = counter("leat_instances_recycled_total", "Guest instances that were replaced, by reason.", "pipeline", "node", "reason")
	nearBudget       = counter("leat_near_budget_total", "Calls that succeeded with more than 80 % of a limit spent.", "pipeline", "node", "limit")
	instances        = gauge("leat_guest_instances", "Guest instances of a node: one for each worker.", atGuest...)
	guestBudget      = gauge("leat_guest_budget", "A node's budget: fuel in units, time in seconds, memory in bytes.", "pipeline", "node", "limit")
	guestFuel        = histogram("leat_guest_fuel", "Fuel that one call spent, in the flavor's units.", doublings(32, 26), atGuest...)
	guestTime        = histogram("leat_guest_seconds", "Wall clock of one call into a guest.", steps(1e-6, 10), atGuest...)
	guestMemory      = histogram("leat_guest_memory_bytes", "Peak memory of an instance during a call; approximate for scripts.", doublings(4<<10, 18), atGuest...)
	guestInput       = histogram("leat_guest_input_bytes", "Payload bytes given to a guest.", doublings(64, 18), atGuest...)
	guestFailures    = counter("leat_guest_failures_total", "Calls that ended with a failure of the guest, by kind.", "pipeline", "node", "flavor", "kind")
	sinkWrite        = histogram("leat_sink_write_seconds", "Time of one attempt to write a batch.", steps(1e-4, 50), atNode...)
	sinkBatch        = histogram("leat_sink_batch_records", "Records of one batch.", steps(1, 1e5), atNode...)
	sinkFailures     = counter("leat_sink_writes_failed_total", "Attempts to write a batch that the sink refused.", atNode...)
	stageReceived    = counter("leat_stage_received_total", "Records that a causal stage read.", ofStage...)
	stageDelivered   = counter("leat_stage_delivered_total", "Records that the guest of a causal stage took.", ofStage...)
	stageEmitted     = counter("leat_stage_emitted_total", "Records that a causal stage wrote.", ofStage...)
	stageLetters     = counter("leat_stage_dead_letters_total", "Dead letters of a causal stage.", ofStage...)
	stageReplays     = counter("leat_stage_replays_skipped_total", "Records that a causal stage had received before.", ofStage...)
	stageUntruncated = counter("leat_stage_truncation_skipped_total", "Truncations of clocks that could not be made.", ofStage...)
	stageStamp       = gauge("leat_stage_stamp_entries", "Entries of the widest stamp that a causal stage wrote.", ofStage...)
	stageHeld        = gauge("leat_stage_held_records", "Records that wait for their causes.", ofStage...)
	stageHeldAge     = gauge("leat_stage_held_age_seconds_max", "How long the oldest of them has waited.", ofStage...)
	stageBlocked     = gauge("leat_stage_blocked_channels", "Channels that a failure blocks.", ofStage...)
	stageFailed      = gauge("leat_stage_failed", "1 once the stage ended with an error.", ofStage...)
	logBlocked       = gauge("leat_log_blocked", "1 while the log of topics has no room: nothing is appended.")
	logFailed        = gauge("leat_log_failed", "1 once the disk failed the log of topics.")

	goroutines     = gauge("leat_process_goroutines", "Goroutines of the process.")
	heapBytes      = gauge("leat_process_heap_bytes", "Heap in use by live and not yet collected objects.")
	residentMemory = gauge("leat_process_memory_bytes", "Memory that the Go runtime holds from the system.")
	cpuTime        = counter("leat_process_cpu_seconds_total", "CPU time that the Go runtime accounts for, idle time excluded.")
)

func counter(name, help string, labels ...string) *instrument {
	return declare(&instrument{name: name, help: help, kind: prometheus.CounterValue, labels: labels})
}

func gauge(name, help string, labels ...string) *instrument {
	return declare(&instrument{name: name, help: help, kind: prometheus.GaugeValue, labels: labels})
}

func histogram(name, help string, buckets []float64, labels ...string) *instrument {
	return declare(&instrument{name: name, help: help, kind: histogramKind, labels: labels, buckets: buckets})
}

func declare(i *instrument) *instrument {
	i.desc = prometheus.NewDesc(i.name, i.help, i.labels, nil)
	instruments = append(instruments, i)
	return i
}
