package script

import "github.com/dop251/goja"

// meter is the array whose elements rewritten code reads (goja.DynamicArray): reading
// element n charges n units. No source can name it.
type meter struct{ in *instance }

// Get charges i units. The end of the fuel is an interrupt: the next bytecode raises it,
// and no catch sees it.
func (m *meter) Get(i int) goja.Value {
	in := m.in
	if in.fuel -= int64(i); in.fuel < 0 {
		in.vm.Interrupt(in.outOfFuel())
	}
	if in.profile != nil {
		in.sample(int64(i))
	}
	return goja.Undefined()
}

// Len is beyond every weight.
func (m *meter) Len() int { return 1 << 30 }

// Set does nothing.
func (m *meter) Set(int, goja.Value) bool { return false }

// SetLen does nothing.
func (m *meter) SetLen(int) bool { return false }
