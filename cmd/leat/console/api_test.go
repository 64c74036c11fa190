package console

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// A dry run tells what would become of letters and changes nothing: no letter, no count, no
// row of the spool. The replay then does it, INTO the node that failed, and the numbers
// follow.
func TestDryRunThenReplay(t *testing.T) {
	w := newWorld(t)
	w.emit(`{"bad":"once"}`, `{"bad":"always"}`, `{"n":1}`)
	before, rows := w.engine.Status(), w.store.LastSeq()
	dry := post[replayJSON](w, "/api/pipelines/test/replay", `{"dry_run":true,"node":"check"}`, http.StatusOK)
	if !dry.DryRun || dry.Selected != 2 || dry.Committed != 1 || dry.FailedAgain != 1 {
		t.Errorf("%+v", dry)
	}
	for _, l := range dry.Letters {
		switch {
		case l.After == "fixed" && l.Outputs[0].Payload == `{"bad":"once"}`:
		case l.After == "same" && strings.Contains(l.Text, "it is bad") && l.Failure.Kind == "guest":
		default:
			t.Errorf("%+v", l)
		}
	}
	after := w.engine.Status()
	if after.Injected != before.Injected || after.Letters != before.Letters || w.store.LastSeq() != rows || after.Nodes[0].In != before.Nodes[0].In {
		t.Errorf("a dry run changed something: %+v, was %+v", after, before)
	}
	real := post[replayJSON](w, "/api/pipelines/test/replay", `{"delete":true}`, http.StatusOK)
	if real.DryRun || real.Selected != 2 || real.Committed != 1 || real.FailedAgain != 1 {
		t.Errorf("%+v", real)
	}
	list := get[letterListJSON](w, "/api/pipelines/test/dlq")
	if list.Selected != 1 || list.Letters[0].ReplayCount != 1 || list.Letters[0].Attempts != 2 {
		t.Errorf("%+v", list)
	}
	if s := w.engine.Status(); s.Injected != 2 || s.Balance.Delivered != before.Balance.Delivered+1 {
		t.Errorf("%+v", s)
	}
}

// A filter never picks a quarantined letter; a dry run reads letters whole or not at all,
// and writes to no sink.
func TestReplayPassesOverWhatItMust(t *testing.T) {
	w := newWorld(t)
	failure := &runtime.Failure{Kind: runtime.KindGuest, Message: "x"}
	m := runtime.Message{ID: "m", Payload: []byte(`{"n":1}`), Codec: "json"}
	for _, l := range []store.DeadLetter{
		{ID: "q", Node: "check", Class: store.ClassTransform, Failure: failure, Quarantined: true, Message: m},
		{ID: "cut", Node: "check", Class: store.ClassTransform, Failure: failure, PayloadLength: 1 << 20, Message: m},
		{ID: "unread", Node: "check", Class: store.ClassTransform, Failure: failure, PayloadLength: -1, Message: m},
		{ID: "sink", Node: "out", Class: store.ClassDelivery, Reason: "refused", Message: m},
		{ID: "gone", Node: "of an earlier document", Class: store.ClassTransform, Failure: failure, Message: m},
	} {
		w.must(w.store.PutLetter(l))
	}
	r := post[replayJSON](w, "/api/pipelines/test/replay", `{"dry_run":true}`, http.StatusOK)
	if r.Selected != 4 || r.Quarantined != 1 || r.Skipped != 4 || len(r.Letters) != 4 {
		t.Errorf("%+v", r)
	}
	post[refusal](w, "/api/pipelines/test/replay", `{"dry_run":true,"at":"nowhere"}`, http.StatusNotFound)
	r = post[replayJSON](w, "/api/pipelines/test/replay", `{"dry_run":true,"ids":["q"]}`, http.StatusOK)
	if r.Committed != 1 || r.Quarantined != 0 {
		t.Errorf("%+v", r)
	}
}

// A dry run that is over its time is refused: unlike a replay it does not go on without who asked.
func TestSlowDryRunIsRefused(t *testing.T) {
	w := newWorld(t)
	m := runtime.Message{ID: "m", Payload: []byte(`{"n":1}`), Codec: "json"}
	w.must(w.store.PutLetter(store.DeadLetter{ID: "l", Node: "check", Class: store.ClassTransform, Message: m}))
	over, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(`{"dry_run":true,"ids":["l"]}`)).WithContext(over)
	r.Header.Set("Content-Type", "application/json")
	answer := httptest.NewRecorder()
	w.server.replay(&w.server.opt.Pipelines[0], answer, r)
	if answer.Code != http.StatusServiceUnavailable || !strings.Contains(answer.Body.String(), "fewer letters") {
		t.Errorf("%d %s", answer.Code, answer.Body)
	}
}

// The list is the newest first, bounded, and tells how many there are and what the filters
// can be; every filter selects; a purge deletes what it names and nothing else.
func TestLettersAreListedFilteredAndPurged(t *testing.T) {
	w := newWorld(t)
	begin := time.Now().Add(-300 * time.Minute)
	for i := range 300 {
		l := store.DeadLetter{
			ID: fmt.Sprintf("l%03d", i), Node: []string{"check", "out", "in"}[i%3], Class: store.ClassDelivery,
			Reason: fmt.Sprint("reason ", i), CreatedAt: begin.Add(time.Duration(i) * time.Minute), Message: runtime.Message{ID: fmt.Sprint("m", i)},
		}
		if l.Node == "check" {
			l.Class, l.Failure = store.ClassTransform, &runtime.Failure{Kind: runtime.KindFuel}
		}
		w.must(w.store.PutLetter(l))
	}
	for query, want := range map[string]string{
		"":                          "300 100 l299 l200",
		"limit=3":                   "300 3 l299 l297",
		"limit=500":                 "300 300 l299 l000",
		"node=out":                  "100 100 l298 l001",
		"kind=fuel":                 "100 100 l297 l000",
		"kind=delivery&limit=2":     "200 2 l299 l298",
		"text=m17":                  "1 1 l017 l017",
		"text=reason+29":            "11 11 l299 l029",
		"since=10m30s":              "10 10 l299 l290",
		"node=out&since=1h&limit=1": "20 1 l298 l298",
	} {
		l := get[letterListJSON](w, "/api/pipelines/test/dlq?"+query)
		if got := fmt.Sprint(l.Selected, " ", len(l.Letters), " ", l.Letters[0].ID, " ", l.Letters[len(l.Letters)-1].ID); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
		if fmt.Sprint(l.Nodes, l.Kinds) != "map[check:100 in:100 out:100] map[delivery:200 fuel:100]" {
			t.Errorf("%v %v", l.Nodes, l.Kinds)
		}
	}
	if n := post[purgedJSON](w, "/api/pipelines/test/dlq/purge", `{"ids":["l000","l001"],"node":"in","kind":"delivery"}`, http.StatusOK); n.Purged != 0 {
		t.Error("a letter goes that the filter does not select:", n)
	}
	if r := post[replayJSON](w, "/api/pipelines/test/replay", `{"ids":["l000","l001"],"node":"out","dry_run":true}`, http.StatusOK); r.Selected != 1 {
		t.Errorf("of two letters one is at that node: %+v", r)
	}
	post[refusal](w, "/api/pipelines/test/dlq/purge", `{"ids":["l000"],"since":"yesterday"}`, http.StatusBadRequest)
	if n := post[purgedJSON](w, "/api/pipelines/test/dlq/purge", `{"ids":["l000","l001","never","l000"]}`, http.StatusOK); n.Purged != 2 {
		t.Error("what is not there, or named twice, counts as purged:", n)
	}
	if l := get[letterListJSON](w, "/api/pipelines/test/dlq"); l.Selected != 298 {
		t.Errorf("%d are left", l.Selected)
	}
	if n := post[purgedJSON](w, "/api/pipelines/test/dlq/purge", `{"kind":"fuel"}`, http.StatusOK); n.Purged != 99 {
		t.Error(n)
	}
	post[purgedJSON](w, "/api/pipelines/test/dlq/purge", `{"all":true}`, http.StatusOK)
	if l := get[letterListJSON](w, "/api/pipelines/test/dlq"); l.Selected != 0 || l.Letters == nil {
		t.Errorf("%+v", l)
	}
}

// Pause and resume take effect and show; readiness follows; drain ends the run, which
// health takes for well.
func TestSteering(t *testing.T) {
	w := newWorld(t)
	state := func(verb string) string {
		return post[stateJSON](w, "/api/pipelines/test/"+verb, "{}", http.StatusAccepted).State
	}
	status := func(path string) int { s, _, _ := w.ask("GET", path, ""); return s }
	if s := state("pause"); s != "paused" || status("/readyz") != http.StatusServiceUnavailable || status("/healthz") != http.StatusOK {
		t.Error(s, status("/readyz"))
	}
	if rows := get[[]pipelineJSON](w, "/api/pipelines"); rows[0].State != "paused" {
		t.Errorf("%+v", rows)
	}
	if s := state("resume"); s != "running" || status("/readyz") != http.StatusOK {
		t.Error(s)
	}
	w.emit(`{"n":1}`)
	state("drain")
	w.eventually("it ends", func() bool { return w.engine.Status().State == engine.StateStopped })
	if status("/healthz") != http.StatusOK {
		t.Error("health of a run that ended:", status("/healthz"))
	}
}

// What a pipeline's row says is what was done: counts, edges, and what calls spent beside
// the budget, with quantiles inside the buckets that hold them.
func TestStatusTellsWhatWasDone(t *testing.T) {
	w := newWorld(t)
	w.emit(`{"n":1}`, `{"n":2}`, `{"none":3}`, `{"bad":4}`)
	p := get[pipelineJSON](w, "/api/pipelines/test")
	if p.Read != 4 || p.Branches.Delivered != 2 || p.FilteredBy.NoOutput != 1 || p.DeadLetters != 1 || p.InFlightMax != 1000 {
		t.Errorf("%+v", p)
	}
	if fmt.Sprint(p.Nodes[0].Role, p.Nodes[1].Role, p.Nodes[2].Role) != "sourcetransformsink" || p.Nodes[1].In != 4 || p.Nodes[1].Failed != 1 {
		t.Errorf("%+v", p.Nodes)
	}
	if p.Edges[0].Passed != 4 || p.Edges[1].Passed != 2 {
		t.Errorf("%+v", p.Edges)
	}
	fuel := p.Nodes[1].Spent.Fuel
	if fuel.Count != 4 || fuel.Budget != 1000 || fuel.P50 < 64 || fuel.P50 > 128 || len(fuel.Buckets) != 1 || *fuel.Buckets[0].UpTo != 128 {
		t.Errorf("%+v", fuel)
	}
}
