package stage

import (
	"fmt"
	"sync"

	"github.com/leat-run/leat/engine"
)

// condition is how far a run is, for others to see. Its zero value is that of a stage that was
// not run yet.
type condition struct {
	mu    sync.Mutex
	state engine.State
	err   error
}

func (c *condition) set(state engine.State, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state, c.err = state, err
}

func (c *condition) get() (engine.State, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state == "" {
		return engine.StateStarting, nil
	}
	return c.state, c.err
}

// State is what the stage does now, as an engine's: blocked while the log has no room or a
// failure blocks a channel, whatever else goes on, with the reason. It is never paused.
func (s *Stage) State() (state engine.State, reason string) {
	state, _ = s.condition.get()
	if state == engine.StateStopped {
		return state, ""
	}
	if state == engine.StateRunning && s.isDraining() {
		state = engine.StateDraining
	}
	if full, _ := s.log.Blocked(); full != "" {
		return engine.StateBlocked, full
	}
	if blocked := s.Blocked(); len(blocked) > 0 {
		b := blocked[0]
		return engine.StateBlocked, fmt.Sprintf("%s partition %d offset %d: %s: %s", b.Topic, b.Partition, b.Offset, b.Kind, b.Reason)
	}
	return state, ""
}

// Err is nil, or why the run failed once it ended.
func (s *Stage) Err() error {
	_, err := s.condition.get()
	return err
}
