package sim

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/leat-run/leat/engine/causal"
)

// scenario is a topology, what may befall it, and what must have come about for it to prove anything.
type scenario struct {
	name  string
	build func(b *builder)
	chaos chaos
	dense bool
	must  []string
}

var calm = chaos{}

func with(c chaos) chaos {
	c.crash += 20
	c.compact += 10
	return c
}

var scenarios = []scenario{
	{"effect races its cause", func(b *builder) {
		b.producer("p", "a")
		b.node("x", "a", "b")
		b.node("z", "a b", "")
	}, calm, false, []string{"held"}},
	{"transitive hop", func(b *builder) {
		b.producer("p", "origin")
		b.node("x", "origin", "s")
		b.node("y", "s", "t")
		b.node("z", "origin t", "")
	}, calm, false, []string{"held"}},
	{"edge producers across topics", func(b *builder) {
		b.producer("p", "a b c")
		b.producer("q", "c b")
		b.node("z", "a b c", "out")
	}, with(calm), false, []string{"held", "compacted", "waited for a compacted record"}},
	{"observer that produces", func(b *builder) {
		b.producer("p", "a b")
		b.node("x", "a", "s")
		b.observer("o", "a s", "c")
		b.node("z", "a s b c", "")
	}, with(calm), false, []string{"held", "observed"}},
	{"trailing markers and aborts", func(b *builder) {
		b.producer("p", "a")
		b.node("x", "a", "s q")
		b.node("y", "s", "t")
		b.node("z", "a s t q", "")
	}, chaos{crash: 60}, false, []string{"held", "positions advanced", "gaps fetched", "aborted", "waited for a marker"}},
	{"claims into another's transaction", func(b *builder) {
		b.producer("p", "a")
		b.producer("q", "b")
		b.node("x", "a", "s").seldom = true
		b.node("y", "b", "s q")
		b.node("z", "q s", "")
	}, chaos{crash: 80}, false, []string{"held", "waited for an open transaction", "waited for an aborted record", "waited for a marker"}},
	{"filter with quiet sinks", func(b *builder) {
		b.producer("p", "a")
		b.node("x", "a", "s q").quiet = true
		b.node("z", "a s q", "t")
	}, chaos{crash: 60}, false, []string{"held", "positions advanced"}},
	{"several partitions", func(b *builder) {
		b.partitions = 3
		b.producer("p", "a b")
		for p := range 3 {
			b.partition = p
			b.node(fmt.Sprint("x", p), "a", "s")
			b.node(fmt.Sprint("z", p), "a b s", "t")
		}
	}, with(calm), false, []string{"held", "waited for a compacted record"}},
	{"damped feedback", func(b *builder) {
		b.producer("p", "in")
		b.node("x", "in loop", "mid")
		b.node("y", "mid in", "loop")
	}, with(calm), false, []string{"held"}},
	{"crashes", func(b *builder) {
		b.producer("p", "a b")
		b.node("x", "a", "s")
		b.node("z", "a b s", "t")
		b.node("l", "t a", "")
	}, chaos{crash: 80}, false, []string{"crashes idle", "crashes in mid-step", "crashes with held records", "restored held", "aborted"}},
	{"changes of scope", func(b *builder) {
		b.producer("p", "a b c")
		b.node("x", "a b", "s u")
		b.node("y", "s c", "t")
		b.node("z", "a s t", "v")
	}, chaos{crash: 10, redeploy: 40}, false,
		[]string{"left", "seeded by knowledge", "former sinks", "refused with held records"}},
	{"recreated topic", func(b *builder) {
		b.producer("p", "a b")
		b.node("x", "a", "s")
		b.node("z", "a b s", "")
	}, chaos{recreate: 10, crash: 10}, false, []string{"recreated", "reset"}},
	{"truncation in mid-history", func(b *builder) {
		b.producer("p", "a b")
		b.node("x", "a", "s")
		b.node("y", "s b", "t")
		b.node("z", "a t s", "u")
	}, chaos{crash: 10, truncate: 30, retain: 60, redeploy: 8}, false, []string{"truncated entries", "retained", "joined"}},
	{"retention over held records", func(b *builder) {
		b.producer("p", "d a")
		b.producer("q", "b")
		b.node("x", "a", "s")
		b.node("y", "s b", "t")
		b.node("z", "a t d", "").lags = b.topic("d")
	}, chaos{crash: 5, truncate: 60, retain: 120}, false, []string{"held", "truncated entries", "retained"}},
	{"dense log", func(b *builder) {
		b.producer("p", "a b")
		b.node("x", "a", "s")
		b.node("y", "s b", "t")
		b.node("z", "a t s", "")
	}, chaos{crash: 60, truncate: 10, redeploy: 5}, true, []string{"held", "crashes in mid-step", "restored held"}},
	{"wide soak", func(b *builder) {
		b.partitions = 2
		b.producer("p", "a b c d")
		b.producer("q", "d a")
		b.observer("o", "s t a", "e")
		for p := range 2 {
			b.partition = p
			b.node(fmt.Sprint("x", p), "a b", "s")
			b.node(fmt.Sprint("y", p), "s c", "t u")
			b.node(fmt.Sprint("z", p), "a d e t u", "v s")
		}
	}, chaos{crash: 25, redeploy: 5, truncate: 10, retain: 10, compact: 10}, false, []string{"held", "restored held", "aborted", "retained", "truncated entries", "waited for a compacted record", "waited for a marker"}},
}

// builder lays out a topology by names.
type builder struct {
	w                     *world
	topics                map[string]*topic
	partitions, partition int
}

func (b *builder) topic(name string) *topic {
	if b.topics[name] == nil {
		b.topics[name] = b.w.log.create(name, b.partitions)
	}
	return b.topics[name]
}

func (b *builder) list(names string) (topics []*topic) {
	for _, name := range strings.Fields(names) {
		topics = append(topics, b.topic(name))
	}
	return topics
}

func (b *builder) producer(name, topics string) {
	b.w.edges = append(b.w.edges, &edge{name: name, produces: b.list(topics), ledger: newLedger()})
}

func (b *builder) observer(name, observes, produces string) {
	b.w.edges = append(b.w.edges, &edge{name: name, observes: b.list(observes), produces: b.list(produces), ledger: newLedger()})
}

func (b *builder) node(name, inputs, sinks string) *node {
	n := &node{w: b.w, name: name, sinks: b.list(sinks), store: map[string][]byte{}, committed: newLedger()}
	for _, t := range b.list(inputs) {
		n.inputs = append(n.inputs, causal.Channel{Topic: t.id, Partition: int32(b.partition)})
	}
	b.w.nodes = append(b.w.nodes, n)
	return n
}

func newWorld(s scenario, seed uint64, broken broken) *world {
	w := &world{
		seed: seed, rng: rand.New(rand.NewPCG(seed, 4)), broken: broken, markers: !s.dense, chaos: s.chaos,
		log: &log{topics: map[causal.TopicID]*topic{}}, fired: map[string]int{},
	}
	s.build(&builder{w: w, topics: map[string]*topic{}, partitions: 1})
	return w
}

// steps is the length of a run; its drain comes on top.
const steps = 240

// seeds is the number of seeds over all scenarios: at least 500, more with LEAT_SEEDS.
func seeds(t testing.TB) int {
	text := os.Getenv("LEAT_SEEDS")
	if text == "" {
		return 560
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("LEAT_SEEDS: %v", err)
	}
	return n
}

// TestScenarios: whatever is drawn, delivery is causal, in order per channel, without duplicates and complete. Each
// scenario must have brought about what it is for.
func TestScenarios(t *testing.T) {
	each := uint64(seeds(t)/len(scenarios) + 1)
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			fired := map[string]int{}
			for seed := range each {
				w := newWorld(s, seed, broken{})
				if err := w.run(steps); err != nil {
					t.Fatalf("%v\n%s", err, w.text())
				}
				for what, n := range w.fired {
					fired[what] += n
				}
			}
			for _, what := range s.must {
				if fired[what] == 0 {
					t.Errorf("in %d seeds nothing was %s: %v", each, what, fired)
				}
			}
		})
	}
}

// TestSameSeedSameTrace: a failing seed can be run again.
func TestSameSeedSameTrace(t *testing.T) {
	for _, s := range scenarios {
		a, b := newWorld(s, 7, broken{}), newWorld(s, 7, broken{})
		if errA, errB := a.run(steps), b.run(steps); errA != nil || errB != nil || a.digest() != b.digest() {
			t.Fatalf("%s: two runs differ: %v, %v", s.name, errA, errB)
		}
	}
}

// TestBrokenOnesAreFlagged: a protocol or a host with one thing switched off does not pass. Were it to, the oracle
// would be blind.
func TestBrokenOnesAreFlagged(t *testing.T) {
	for _, c := range []struct {
		name     string
		broken   broken
		scenario string
	}{
		{"ignores dependencies", broken{ignoresClocks: true}, "effect races its cause"},
		{"folds clocks after delivery", broken{foldsAfterDelivery: true}, "transitive hop"},
		{"commits sends without state", broken{sendsWithoutState: true}, "crashes"},
		{"never reports positions", broken{hidesPositions: true}, "filter with quiet sinks"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, s := range scenarios {
				for seed := uint64(0); s.name == c.scenario && seed < 100; seed++ {
					if err := newWorld(s, seed, c.broken).run(steps); err != nil {
						t.Logf("seed %d: %v", seed, err)
						return
					}
				}
			}
			t.Fatal("not flagged in 100 seeds")
		})
	}
}
