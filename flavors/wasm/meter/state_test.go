package meter

import (
	"context"
	"fmt"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// Proves that the numeric globals which can change are exported, in their order and under
// numbers from 0, and that the meter says so only of a module in which nothing else can change: no
// table, no segment, no global that holds a reference.
func TestStateIsExportedWhole(t *testing.T) {
	const (
		globals   = "\x04\x7f\x01\x41\x05\x0b\x7e\x00\x42\x01\x0b\x7d\x01\x43\x00\x00\x80\x3f\x0b\x7e\x01\x42\x07\x0b"
		reference = "\x01\x70\x01\xd0\x70\x0b"
		table     = "\x01\x70\x00\x01"
	)
	for _, c := range []struct {
		name, globals, code string
		want                []uint64 // initial values of what is exported; nil where it is not
	}{
		{"numbers", globals, "\x00\x0b", []uint64{5, 0x3f800000, 7}},
		{"none", "\x01\x7f\x00\x41\x05\x0b", "\x00\x0b", []uint64{}},
		{"a reference", reference, "\x00\x0b", nil},
		{"table.set", globals, "\x00\x41\x00\xd0\x70\x26\x00\x0b", nil},
		{"table.grow", globals, "\x00\xd0\x70\x41\x01\xfc\x0f\x00\x1a\x0b", nil},
		{"table.fill", globals, "\x00\x41\x00\xd0\x70\x41\x01\xfc\x11\x00\x0b", nil},
	} {
		wasm := "\x00asm\x01\x00\x00\x00" + section(SectionType, "\x01\x60\x00\x00") + section(SectionFunction, "\x01\x00") +
			section(SectionTable, table) + section(SectionGlobal, c.globals) + section(SectionCode, "\x01"+string(rune(len(c.code)))+c.code)
		g := newGuest(t, wazero.NewRuntimeConfigInterpreter(), []byte(wasm))
		if resettable := g.module.ExportedGlobal(ResettableExport) != nil; resettable != (c.want != nil) {
			t.Errorf("%s: resettable %t", c.name, resettable)
		}
		for n := 0; n <= len(c.want); n++ {
			global, _ := g.module.ExportedGlobal(fmt.Sprint(GlobalExport, n)).(api.MutableGlobal)
			if exists := n < len(c.want); (global != nil) != exists || exists && global.Get() != c.want[n] {
				t.Errorf("%s: global %d is %v", c.name, n, global)
			}
		}
		g.vm.Close(context.Background())
	}
}

// Proves that what a host function takes is fuel, exactly, and leaves the depth alone.
func TestUnitsAreFuel(t *testing.T) {
	account, counter := Open(100, 10, 7)
	add, ok := account.Grant(counter - Units(1))
	if !ok || add != Units(10) {
		t.Fatal(add, ok)
	}
	after := counter + add - Units(4)
	if used := account.Used(after); used != 4 || TooDeep(after) || after&guard != counter&guard || after&(guard-1) != counter&(guard-1) {
		t.Errorf("used %d, counter %#x, was %#x", used, after, counter)
	}
}
