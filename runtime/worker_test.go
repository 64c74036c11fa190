package runtime

import (
	"context"
	"errors"
	"slices"
	"testing"
)

// fleet is a module whose instances do what it is told.
type fleet struct {
	made, closed int
	start        error   // of Instantiate
	apply        error   // of Apply
	spent        Recycle // after Apply
	close        error   // of an instance's Close
}

func (f *fleet) Digest() string      { return "" }
func (f *fleet) Warnings() []Warning { return nil }
func (f *fleet) Close() error        { return nil }

func (f *fleet) Instantiate(ctx context.Context, _ Host) (Transform, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if f.start != nil {
		return nil, f.start
	}
	f.made++
	return &ship{fleet: f}, nil
}

type ship struct {
	fleet *fleet
	used  bool
}

func (s *ship) Apply(_ context.Context, in Message) (Result, error) {
	s.used = true
	return Result{Out: []Message{in}}, s.fleet.apply
}

func (s *ship) Spent() Recycle {
	if s.used {
		return s.fleet.spent
	}
	return RecycleNone
}

func (s *ship) Close() error {
	s.fleet.closed++
	return s.fleet.close
}

// TestWorkerReplacesSpentInstances proves that no message meets an instance which an earlier one
// left spent, and that each replacement is told.
func TestWorkerReplacesSpentInstances(t *testing.T) {
	f := &fleet{}
	var told []Recycle
	w, err := NewWorker(t.Context(), f, Host{}, func(r Recycle) { told = append(told, r) })
	if err != nil {
		t.Fatal(err)
	}
	for _, spent := range []Recycle{RecycleNone, RecycleMemory, RecycleFailure} {
		if f.spent = spent; spent == RecycleFailure {
			f.apply = &Failure{Kind: KindRuntime}
		}
		result, err := w.Apply(t.Context(), Message{ID: "m"})
		if !errors.Is(err, f.apply) || len(result.Out) != 1 {
			t.Errorf("%q: %+v, %v", spent, result, err)
		}
	}
	if f.made != 2 || f.closed != 2 || !slices.Equal(told, []Recycle{RecycleMemory, RecycleFailure}) {
		t.Errorf("%d made, %d closed, told of %q", f.made, f.closed, told)
	}
	answers := make([]Answer, 3)
	f.spent, f.apply = RecycleMemory, nil
	w.ApplyBatch(t.Context(), make([]Message, 3), answers)
	if f.made != 5 || f.closed != 5 || answers[2].Err != nil {
		t.Errorf("a batch: %d made, %d closed, %v", f.made, f.closed, answers[2].Err)
	}
	if w.Close() != nil || f.closed != 5 {
		t.Errorf("%d closed", f.closed)
	}
}

// TestWorkerWithoutInstance proves what comes of a module that makes no instance any more: the end
// of the node, and never a failure of the message at hand. A run that ends is neither.
func TestWorkerWithoutInstance(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx  context.Context
		want error
	}{"a module that does not start": {t.Context(), ErrNoInstance}, "a run that ends": {ended, context.Canceled}} {
		t.Run(name, func(t *testing.T) {
			f := &fleet{spent: RecycleFailure}
			w, err := NewWorker(t.Context(), f, Host{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Apply(t.Context(), Message{}); err != nil {
				t.Fatal(err)
			}
			f.start = &Failure{Kind: KindCompile, Message: "it does not start"}
			_, err = w.Apply(c.ctx, Message{})
			answers := make([]Answer, 1)
			w.ApplyBatch(c.ctx, make([]Message, 1), answers)
			var failure *Failure
			for _, err := range []error{err, answers[0].Err} {
				if !errors.Is(err, c.want) || errors.As(err, &failure) {
					t.Error(err)
				}
			}
		})
	}
}

// TestWorkerTellsOfAnInstanceThatDoesNotClose proves that such a fault of the world is no silent
// leak, and that it does not hide the guest's.
func TestWorkerTellsOfAnInstanceThatDoesNotClose(t *testing.T) {
	stuck, guests := errors.New("stuck"), &Failure{Kind: KindGuest}
	for _, c := range []struct{ apply, want error }{{nil, stuck}, {guests, guests}} {
		f := &fleet{spent: RecycleFailure, close: stuck, apply: c.apply}
		w, err := NewWorker(t.Context(), f, Host{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Apply(t.Context(), Message{}); !errors.Is(err, c.want) {
			t.Errorf("%v, want %v", err, c.want)
		}
	}
}
