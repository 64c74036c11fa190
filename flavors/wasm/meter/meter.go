package meter

import "fmt"

// The names that tie a rewritten module to its host. A guest that uses one of them is
// refused with ErrReserved.
const (
	// ImportModule is the module that the two host functions are imported from. Every
	// export name that begins with it is reserved as well.
	ImportModule = "leat.meter"
	// RefillName is (counter i64) -> i64: asked when the fuel at hand is used up, and
	// between the pieces of a long bulk operation.
	RefillName = "refill"
	// EnterName is (counter i64) -> i64: asked at a function's entry when the fuel at
	// hand is used up or the depth bound is passed.
	EnterName = "enter"
	// CounterExport is the exported mutable i64 global that holds the counter.
	CounterExport = ImportModule + ".counter"

	// AddedImports is how many functions are imported besides the guest's: what its own
	// functions' indices are moved by.
	AddedImports = 2

	// FramePrefix begins the name of every function that the rewriter appended, so that
	// a host can leave them out of a stack trace.
	FramePrefix = "leat.meter."
)

// Version names the rewriter's own behaviour. It changes with every change of the
// rewritten bytes; Rewritten.Version joins it with the costs and the options.
const Version = "4"

// Options choose how a module is rewritten. The zero value is the documented default.
type Options struct {
	// TableElements bounds each table that the module defines: a larger minimum is
	// refused, a larger or absent maximum is lowered, so that table.grow fails there.
	// 0 means 1<<20 (8 to 16 MiB of host memory). MaxUint32 leaves tables as they are.
	TableElements uint32

	// Attributed has each function charge its own cost and no caller pay ahead for it, so
	// that the counter at calls and returns tells whose the fuel was. Fuel is the same.
	Attributed bool

	// For measuring what these cost, and for proofs; a host never sets them.
	withoutDepth, withoutGaps, withoutAhead bool
}

func (o Options) withDefaults() Options {
	if o.TableElements == 0 {
		o.TableElements = 1 << 20
	}
	return o
}

// Rewritten is a module that counts its own fuel and depth.
type Rewritten struct {
	// Module is the rewritten module, owned by the caller.
	Module []byte
	// Version identifies the rewriting: two modules with equal input and equal Version
	// are equal. It belongs into the key of every cache, and into whatever states fuel.
	Version string
	// Checks is how many places ask for fuel: loops, entries, long stretches.
	Checks int

	prepaid int // functions that their callers pay for
}

// RewriteVersion returns the Rewritten.Version that o leads to, so that a cache can be
// asked before anything is rewritten.
func RewriteVersion(o Options) string {
	o = o.withDefaults()
	v := fmt.Sprintf("meter %s, costs %s, tables %d", Version, costVersion, o.TableElements)
	if o.Attributed {
		v += ", attributed"
	}
	if o.withoutDepth || o.withoutGaps || o.withoutAhead {
		v += fmt.Sprintf(", depth %t, gaps %t, ahead %t", !o.withoutDepth, !o.withoutGaps, !o.withoutAhead)
	}
	return v
}

// Rewrite returns a module that does what the given one does and counts. The error is
// always a *Refusal. The input is only read, and not kept.
//
// Rewrite checks what it needs: that the bytes can be taken apart without doubt, and
// that every index lies within the module's own spaces. It does not check types; the
// engine that compiles the result does, and nothing that is invalid before is valid
// after.
func Rewrite(src []byte, o Options) (Rewritten, error) {
	m := &module{options: o.withDefaults(), src: src}
	if err := m.parse(); err != nil {
		return Rewritten{}, err
	}
	w, err := m.rewriteCode()
	if err != nil {
		return Rewritten{}, err
	}
	return Rewritten{Module: w.assemble(), Version: RewriteVersion(o), Checks: w.checks, prepaid: w.payers()}, nil
}
