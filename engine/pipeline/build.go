package pipeline

import (
	"strings"

	"github.com/leat-run/leat/engine/pipeline/document"
	"github.com/leat-run/leat/runtime"
)

// reservedName is the directory in a data dir that is no pipeline's.
const reservedName = "log"

// build fills the plan from a document that was read: first the nodes and their files, then the edges
// between them, then the sections, which may depend on both.
func (l *loader) build(top *document.Object) {
	l.plan.Name = top.Object("metadata").String("name")
	if strings.EqualFold(l.plan.Name, reservedName) { // some file systems do not tell letters by their case
		l.report.Errorf(top.Object("metadata").ValueAt("name"), "bad-name", "take another name", "the name %q belongs to the data dir's log of topics", reservedName)
	}
	l.nodes = newNodes(l.report)
	for _, e := range top.Entries("sources") {
		l.nodes.add(e, isSource)
		l.plan.Sources = append(l.plan.Sources, l.source(e))
	}
	transforms := map[string]*Transform{}
	for _, e := range top.Entries("transforms") {
		l.nodes.add(e, isTransform)
		transforms[e.Name] = l.transform(e)
	}
	for _, e := range top.Entries("sinks") {
		l.nodes.add(e, isSink)
		l.plan.Sinks = append(l.plan.Sinks, l.sink(e))
	}
	l.noneAt(top, "sources")
	l.noneAt(top, "sinks")
	l.files()
	l.edges(top)
	for _, name := range l.nodes.order(isTransform) {
		l.plan.Transforms = append(l.plan.Transforms, transforms[name])
	}
	l.sections(top)
}

// noneAt reports a section that is there but empty.
func (l *loader) noneAt(top *document.Object, section string) {
	if top.Empty(section) {
		l.report.Errorf(top.KeyAt(section), "no-nodes", "add a node: a name and its plugin", "%s holds no node", section)
	}
}

func (l *loader) source(e document.Entry) *Source {
	s := &Source{Name: e.Name, Decoder: e.Object.String("decoder"), Line: e.At.Line}
	s.Plugin, s.Config = plugin(e.Object)
	s.fields = l.opt.Catalog.Sources[s.Plugin].Fields
	return s
}

func plugin(o *document.Object) (string, Config) {
	name, config := o.Choice()
	if config == nil {
		return name, nil
	}
	return name, Config(config.Map())
}

func (l *loader) sink(e document.Entry) *Sink {
	batch := e.Object.Object("batch")
	s := &Sink{
		Name: e.Name, Encoder: e.Object.String("encoder"), Line: e.At.Line,
		BatchSize: int(batch.Int("size")), BatchTimeout: batch.Duration("timeout"),
		OrderKey: l.expression(e.Object, "order_key", keyExpression),
	}
	s.Plugin, s.Config = plugin(e.Object)
	s.fields = l.opt.Catalog.Sinks[s.Plugin].Fields
	s.output = l.output(e.Object, s)
	return s
}

func (l *loader) transform(e document.Entry) *Transform {
	o := e.Object
	t := &Transform{
		Name: e.Name, Line: e.At.Line, Workers: int(o.Int("workers")),
		KeepOrder: o.String("order") == "keep", Isolation: Isolation(o.String("isolation")),
		PartitionBy: l.expression(o, "partition_by", keyExpression),
	}
	var config *document.Object
	t.Flavor, config = o.Choice()
	l.foreign(o, t.Flavor)
	switch {
	case config == nil:
	case t.Flavor == flavorSplit:
		t.SplitPath = config.String("path")
	default:
		g := l.guest(o, "transform "+e.Name, t.Flavor, config, runtime.EntryTransform)
		t.Code, t.Settings, t.Module = g.code, g.settings, g.module
	}
	if t.PartitionBy != nil && t.Workers == 1 {
		l.report.Warnf(o.KeyAt("partition_by"), "no-effect", "add workers: 2, or leave partition_by out", "partition_by does nothing with one worker")
	}
	return t
}

// foreign reports keys that the node's plugin has no use for.
func (l *loader) foreign(o *document.Object, flavor string) {
	for _, key := range foreignKeys[flavor] {
		if o.Written(key) {
			l.report.Errorf(o.KeyAt(key), "misplaced-key", "remove it", "%s has no meaning for %s", key, flavor)
		}
	}
}

// expression compiles the CEL of a key; nil if it is not given or wrong.
func (l *loader) expression(o *document.Object, key string, want expressionKind) *Expression {
	if !o.Written(key) {
		return nil
	}
	text := o.String(key)
	if text == "" {
		return nil // reported when the value was read
	}
	e, bad := l.celenv.compile(text, want)
	for _, b := range bad {
		l.report.Errorf(o.ValueAt(key).Within(b.line, b.column), b.code, b.hint, "%s: %s", key, b.message)
	}
	return e
}

func (l *loader) sections(top *document.Object) {
	limits, dlq, telemetry := top.Object("limits"), top.Object("dlq"), top.Object("telemetry")
	l.plan.Limits = Limits{
		MaxInFlight:      int(limits.Int("max_in_flight")),
		MaxInFlightBytes: limits.Int("max_in_flight_bytes"),
		DrainTimeout:     limits.Duration("drain_timeout"),
	}
	stop := dlq.Object("stop_after")
	l.plan.DLQ = DLQ{
		Retention: dlq.Duration("retention"), MaxReplays: int(dlq.Int("max_replays")),
		StopFailures: int(stop.Int("failures")), StopWindow: int(stop.Int("window")),
	}
	l.plan.Telemetry = Telemetry{Redact: telemetry.Strings("redact"), SlowCall: telemetry.Duration("slow_call")}
	l.plan.Storage = storage(top.Object("storage"))
	l.mode(top)
	l.stopAfter(top, dlq)
}

func storage(o *document.Object) Storage {
	batch := o.Object("write_batch")
	return Storage{
		Fsync: o.String("durability") == "fsync", SpoolRetention: o.Int("spool_retention"),
		MaxBytes: o.Int("max_bytes"), MinFreeBytes: o.Int("min_free_bytes"),
		WriteRows: int(batch.Int("max_rows")), WriteWait: batch.Duration("max_wait"),
	}
}

// mode is what the document says, else batch if every source ends by itself.
func (l *loader) mode(top *document.Object) {
	run := top.Object("run")
	endless := l.endless()
	l.plan.Mode = Mode(run.String("mode"))
	switch {
	case l.plan.Mode == ModeBatch && endless != "":
		l.report.Errorf(run.ValueAt("mode"), "endless-batch", "let the source end, or write mode: continuous", "a batch ends with its sources, but %s never ends", endless)
	case l.plan.Mode == "" && endless == "":
		l.plan.Mode = ModeBatch
	case l.plan.Mode == "":
		l.plan.Mode = ModeContinuous
	}
	if l.plan.Mode == ModeContinuous && top.Written("parameters") {
		l.report.Errorf(top.KeyAt("parameters"), "misplaced-key", "use constants, or ${NAME} from the environment", "parameters belong to runs that end; this pipeline is continuous")
	}
}

// endless returns the name of a source that does not end by itself, or "".
func (l *loader) endless() string {
	for _, s := range l.plan.Sources {
		spec, ok := l.opt.Catalog.Sources[s.Plugin]
		if ok && (spec.Finite == nil || !spec.Finite(s.Config)) {
			return s.Name
		}
	}
	return ""
}

// stopAfter checks the flood limit and says when there is none.
func (l *loader) stopAfter(top, dlq *document.Object) {
	if !dlq.Written("stop_after") {
		at := document.Place{Line: 1, Column: 1}
		if top.Written("dlq") {
			at = top.KeyAt("dlq")
		}
		l.report.Warnf(at, "no-stop-after", "add dlq: {stop_after: {failures: 100, window: 1000}}",
			"without dlq.stop_after a broken step moves its whole input into the dead letters")
		return
	}
	if d := l.plan.DLQ; d.StopFailures > d.StopWindow && d.StopWindow > 0 {
		l.report.Errorf(dlq.KeyAt("stop_after"), "out-of-range", "failures are counted within the window: make it at least as large",
			"stop_after can never be reached: %d failures within %d messages", d.StopFailures, d.StopWindow)
	}
}

// edges builds every edge in order and checks that together they lead from sources to sinks.
func (l *loader) edges(top *document.Object) {
	defaults := top.Object("edge_defaults")
	for _, section := range []string{"transforms", "sinks"} {
		for _, target := range top.Entries(section) {
			from := target.Object.Entries("from")
			if target.Object.Empty("from") {
				l.report.Errorf(target.Object.KeyAt("from"), "no-upstream", "name the nodes that it reads from", "%s reads from no node", target.Name)
			}
			for _, e := range from {
				if l.nodes.connect(e, target) {
					l.plan.Edges = append(l.plan.Edges, l.edge(e, target.Name, defaults))
				}
			}
		}
	}
	l.nodes.check()
}

// edge is one edge with what it says itself, else what edge_defaults says.
func (l *loader) edge(e document.Entry, to string, defaults *document.Object) *Edge {
	edge := &Edge{From: e.Name, To: to, Line: e.At.Line}
	policy := func(key string) *document.Object {
		if e.Object != nil && e.Object.Written(key) {
			return e.Object
		}
		return defaults
	}
	if e.Object != nil {
		edge.When = l.expression(e.Object, "when", predicateExpression)
	}
	edge.Required = policy("required").Bool("required")
	edge.Retries = int(policy("retries").Int("retries"))
	edge.Backoff = Backoff(policy("backoff").String("backoff"))
	edge.Timeout = policy("timeout").Duration("timeout")
	edge.BufferMax = int(policy("buffer_max").Int("buffer_max"))
	edge.RetryDeterministic = policy("retry_deterministic").Bool("retry_deterministic")
	return edge
}

// settings of a guest whose keys stand on o.
func settings(o *document.Object, flavor runtime.Flavor, entry runtime.Entry, config []byte) runtime.Settings {
	s := runtime.Settings{
		Budget: budgetOf(o.Object("budget"), flavor.Defaults()),
		State:  runtime.State(o.String("state")), Integers: o.String("integers"),
		Allow: o.Strings("allow"), ABI: abiReactor, Config: config,
	}
	if entry == runtime.EntryTransform {
		s.ABI = o.String("abi")
	}
	return s
}
