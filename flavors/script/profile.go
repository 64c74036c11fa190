package script

import (
	"context"

	"github.com/dop251/goja"

	"github.com/leat-run/leat/runtime"
)

var _ runtime.Profiler = (*Flavor)(nil)

// Profile compiles code so that the fuel of its messages is told apart by call stack. See
// runtime.Profiler.
func (f *Flavor) Profile(ctx context.Context, code runtime.Code, settings runtime.Settings, into *runtime.FuelProfile) (runtime.Module, error) {
	compiled, err := f.Compile(ctx, code, settings)
	if err != nil {
		return nil, err
	}
	compiled.(*module).profile = into
	return compiled, nil
}

// maxProfileFrames bounds the stack that is kept with each sample.
const maxProfileFrames = 24

// sample adds fuel to the profile, under the script's stack at this moment.
func (in *instance) sample(units int64) {
	if in.profile == nil || units == 0 {
		return
	}
	in.frames = in.vm.CaptureCallStack(maxProfileFrames, in.frames[:0])
	stack := make([]runtime.Frame, 0, len(in.frames))
	for i := range in.frames {
		if frame, ok := in.profileFrame(&in.frames[i]); ok {
			stack = append(stack, frame)
		}
	}
	in.profile.Add(stack, units)
}

// profileFrame is the author's place of a frame; ok is false for the engine's and ours.
func (in *instance) profileFrame(f *goja.StackFrame) (frame runtime.Frame, ok bool) {
	file, line, _, ok := in.module.bundle.sources.frame(f)
	if !ok {
		return frame, false
	}
	return runtime.Frame{Function: frameName(f), File: file, Line: line}, true
}

// defaultName is what the bundler calls a default export without a name.
const defaultName = "leat_entry_default"
