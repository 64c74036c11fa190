package causal

// Mutation is one write of a task's state. A nil Value deletes the key.
type Mutation struct {
	Key   string
	Value []byte
}

// Deletes says whether the mutation is a deletion.
func (m Mutation) Deletes() bool { return m.Value == nil }

// Flush returns what has changed since the last Flush, in a fixed order, no key twice. The host
// writes all of it in one atomic step with everything else that the step did.
//
// REQUIRES: before the next call of any method, the mutations are visible to the Reader; where
// they could not be written, the Task is dropped and Restore makes another.
func (t *Task) Flush() []Mutation {
	if t.failed != nil {
		return nil
	}
	out := t.retired
	t.retired = nil
	if t.scopeChanged {
		out = append(out, Mutation{KeyScope, t.scope.Encode()})
	}
	if t.carriedChanged {
		out = append(out, clockMutation(KeyCarried, &t.carried))
	}
	t.scopeChanged, t.carriedChanged = false, false
	for _, in := range t.inputs {
		out = in.flush(out)
	}
	return out
}

func (in *input) flush(to []Mutation) []Mutation {
	if in.frontierChanged {
		to = append(to, Mutation{KeyFrontier(in.channel), encodeFrontier(in.frontier)})
	}
	if in.advertisedChanged {
		to = append(to, clockMutation(KeyAdvertised(in.channel), &in.advertised))
	}
	in.frontierChanged, in.advertisedChanged = false, false
	return in.queue.flush(to)
}

// clockMutation writes a clock; an empty one is not kept.
func clockMutation(key string, v *vector) Mutation {
	if len(v.entries) == 0 {
		return Mutation{Key: key}
	}
	return Mutation{key, Clock{v.entries}.AppendTo(nil)}
}
