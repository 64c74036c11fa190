package console

import (
	"bufio"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/pipeline"
)

// The time limit of a request does not end a stream, nor a replay that waits longer for
// its letters: both are answers.
func TestLongAnswersOutliveTheRequestsLimit(t *testing.T) {
	const limit = time.Second
	w := newWorld(t, func(o *Options, _ *pipeline.Plan) { o.limits.request = limit })
	response, err := http.Get("http://" + w.server.Address() + "/api/events")
	w.must(err)
	defer response.Body.Close()
	in := bufio.NewScanner(response.Body)
	in.Buffer(nil, 1<<20)
	for events := 0; events < 3; {
		if !in.Scan() {
			t.Fatal("the stream ended after", events, "events:", in.Err())
		}
		if strings.HasPrefix(in.Text(), "data: ") {
			events++
		}
	}
	w.emit(`{"bad":"once"}`)
	w.holdWrites.Lock()
	release := time.AfterFunc(3*limit, w.holdWrites.Unlock)
	defer release.Stop()
	r := post[replayJSON](w, "/api/pipelines/test/replay", `{"delete":true}`, http.StatusOK)
	if r.Committed != 1 {
		t.Errorf("%+v", r)
	}
}

// Close ends streams that are open and returns after its last goroutine; a second Close
// does nothing.
func TestCloseEndsStreams(t *testing.T) {
	w := newWorld(t)
	response, err := http.Get("http://" + w.server.Address() + "/api/pipelines/test/tail")
	w.must(err)
	defer response.Body.Close()
	w.must(w.server.Close())
	w.must(w.server.Close())
	if in := bufio.NewScanner(response.Body); in.Scan() {
		t.Error(in.Text())
	}
	if w.engine.Status().State != engine.StateRunning {
		t.Error("closing the console touched the run")
	}
}

// A tail shows rows evenly spread over what entered, the last among them, and says how
// many it passed over.
func TestTailSamplesEvenly(t *testing.T) {
	w := newWorld(t)
	w.feed <- make100()
	w.eventually("they are in the spool", func() bool { return w.store.LastSeq() == 100 })
	var seen []sampledJSON
	s := &sampler{p: w.server.pipelines["test"], gain: 4, most: 4}
	for range 2 {
		w.must(s.sample(func(m sampledJSON) error { seen = append(seen, m); return nil }))
	}
	if len(seen) != 4 {
		t.Fatalf("%+v", seen)
	}
	for i, m := range seen {
		if int(m.Seq) != 25*(i+1) || m.Passed != 25 {
			t.Errorf("%d: %+v", i, m)
		}
	}
}

func make100() []engine.Emission {
	group := make([]engine.Emission, 100)
	for i := range group {
		group[i].Payload = []byte(`{}`)
	}
	return group
}
