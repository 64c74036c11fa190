package meter

// rewriter holds what the second pass over all functions shares.
type rewriter struct {
	*module
	graph   *graph
	exits   []int64 // unchecked stretch with which each function may be left
	bodies  [][]byte
	bulk    bulk
	counter uint32 // index of the global
	added   []addedFunction
	prepaid []int64 // what the callers of each function pay of it
	exports vector
	types   vector            // appended types
	typeOf  map[string]uint32 // their indices, by encoding
	checks  int
}

// addedFunction is a function that the guest does not have.
type addedFunction struct {
	signature uint32
	name      string
	body      code
}

// scanBodies runs the first pass over all bodies.
func (m *module) scanBodies() ([]facts, *Refusal) {
	all := make([]facts, m.defined())
	left := int64(moduleEffort)
	for f := range all {
		var refusal *Refusal
		if all[f], refusal = m.scanBody(f); refusal != nil {
			return nil, refusal
		}
		effort := all[f].effort()
		if left -= effort; effort > functionEffort || left < 0 {
			return nil, m.tooComplex(f, &all[f])
		}
	}
	return all, nil
}

// rewriteCode runs both passes over all bodies.
func (m *module) rewriteCode() (*rewriter, error) {
	all, refusal := m.scanBodies()
	if refusal != nil {
		return nil, refusal
	}
	w := &rewriter{
		module: m, graph: newGraph(all), exits: make([]int64, len(all)),
		bodies: make([][]byte, len(all)), counter: uint32(m.globals), typeOf: map[string]uint32{}, prepaid: make([]int64, len(all)),
	}
	w.bulk = bulk{rewriter: w, index: map[bulkKey]uint32{}}
	for f := range w.exits {
		w.exits[f] = gapBound - gapAfterReturn
	}
	w.hostType() // so that it comes first
	for f := range all {
		if !m.options.Attributed && !m.options.withoutAhead && !m.escaped[uint32(m.importedFunctions+f)] {
			w.prepaid[f] = all[f].prepaid()
		}
	}
	for _, f := range w.graph.order {
		if refusal := w.rewriteBody(f); refusal != nil {
			return nil, refusal
		}
	}
	return w, nil
}

func (w *rewriter) rewriteBody(f int) *Refusal {
	body := w.module.bodies[f]
	walk := walk{
		rewriter: w, self: f, facts: &w.graph.facts[f],
		r:   reader{src: w.src, at: body.from, end: body.to, place: w.placeOf(f)},
		out: make(code, 0, (body.to-body.from)*3/2),
	}
	walk.body()
	w.bodies[f] = walk.out
	w.exits[f] = walk.exitGapOf(f)
	return walk.r.err
}

// refill and enter are the indices of the two imported functions.
func (w *rewriter) refill() uint32 { return uint32(w.importedFunctions) }
func (w *rewriter) enter() uint32  { return uint32(w.importedFunctions) + 1 }

func (w *rewriter) hostType() uint32 {
	return w.signature(functionType{[]byte{typeI64}, []byte{typeI64}})
}

// signature returns the index of an appended type, appending it on its first use.
func (w *rewriter) signature(t functionType) uint32 {
	encoded := t.encoded()
	index, ok := w.typeOf[string(encoded)]
	if !ok {
		index = uint32(len(w.module.types)) + w.types.n
		w.types.add(encoded...)
		w.typeOf[string(encoded)] = index
	}
	return index
}

// add appends a function and returns its index.
func (w *rewriter) add(t functionType, name string, body code) uint32 {
	return w.append(addedFunction{w.signature(t), name, body})
}

func (w *rewriter) append(f addedFunction) uint32 {
	w.added = append(w.added, f)
	return uint32(len(w.functions) + AddedImports + len(w.added) - 1)
}

// thunk appends the function that asks the host on behalf of f's entry check, and then
// calls f again with the same arguments.
func (w *rewriter) thunk(f int) uint32 {
	signature := w.functions[w.importedFunctions+f]
	body := code{0} // no locals
	body.u32(byte(opGlobalGet), w.counter)
	body.u32(byte(opCall), w.enter())
	body.u32(byte(opGlobalSet), w.counter)
	for i := range w.module.types[signature].params {
		body.u32(byte(opLocalGet), uint32(i))
	}
	body.u32(byte(opCall), w.shift(uint32(w.importedFunctions+f)))
	body.op(byte(opEnd))
	return w.append(addedFunction{signature, "enter", body})
}

// payers is how many functions are paid for by their callers.
func (w *rewriter) payers() int {
	n := 0
	for _, cost := range w.prepaid {
		if cost > 0 {
			n++
		}
	}
	return n
}

// outer returns the function that hosts call in place of f: it pays what callers pay.
func (w *rewriter) outer(f int) uint32 {
	signature := w.functions[w.importedFunctions+f]
	body := code{0} // no locals
	body.u32(byte(opGlobalGet), w.counter)
	body.i64(w.prepaid[f] << depthBits)
	body.op(i64Sub)
	body.u32(byte(opGlobalSet), w.counter)
	for i := range w.module.types[signature].params {
		body.u32(byte(opLocalGet), uint32(i))
	}
	body.u32(byte(opCall), w.shift(uint32(w.importedFunctions+f)))
	body.op(byte(opEnd))
	return w.append(addedFunction{signature, "call", body})
}

// Kinds of exports.
const (
	exportFunction = 0
	exportGlobal   = 3
)

func encoded(name string, kind byte, index uint32) []byte {
	return appendUnsigned(append(appendText(nil, name), kind), index)
}

// addExports writes the guest's exports, with shifted indices, and the counter's.
func (w *rewriter) addExports() {
	for _, e := range w.module.exports {
		index := e.index
		if e.kind == exportFunction {
			index = w.shift(index)
			if f := int(e.index) - w.importedFunctions; f >= 0 && w.prepaid[f] > 0 {
				index = w.outer(f)
			}
		}
		w.exports.add(encoded(e.name, e.kind, index)...)
	}
	w.exports.add(encoded(CounterExport, exportGlobal, w.counter)...)
}

// assemble joins the sections, in order, with what was appended to each.
func (w *rewriter) assemble() []byte {
	w.addEntries()
	out := &w.module.out
	b := make([]byte, 0, len(w.src)*3/2)
	b = append(b, "\x00asm\x01\x00\x00\x00"...)
	b = out.types.appendTo(b, SectionType)
	b = out.imports.appendTo(b, SectionImport)
	b = out.functions.appendTo(b, SectionFunction)
	b = out.tables.appendTo(b, SectionTable)
	b = out.memories.appendTo(b, SectionMemory)
	b = out.globals.appendTo(b, SectionGlobal)
	b = w.exports.appendTo(b, SectionExport)
	b = append(b, out.start...)
	b = out.elements.appendTo(b, SectionElement)
	b = append(b, out.dataCount...)
	b = out.code.appendTo(b, SectionCode)
	b = out.data.appendTo(b, SectionData)
	b = append(b, out.customs...)
	return w.names.appendTo(b)
}

func (w *rewriter) addEntries() {
	out := &w.module.out
	out.types.n += w.types.n
	out.types.bytes = append(out.types.bytes, w.types.bytes...)
	for _, name := range []string{RefillName, EnterName} {
		entry := append(appendText(appendText(nil, ImportModule), name), 0)
		out.imports.add(appendUnsigned(entry, w.hostType())...)
	}
	initial := code{typeI64, 1}
	initial.i64(start(DefaultStack))
	initial.op(byte(opEnd))
	out.globals.add(initial...)
	w.addExports()
	w.addStateExports()
	for _, body := range w.bodies {
		out.code.add(appendBytes(nil, body)...)
	}
	for i, f := range w.added {
		out.functions.add(appendUnsigned(nil, f.signature)...)
		out.code.add(appendBytes(nil, f.body)...)
		w.names.name(uint32(len(w.functions)+AddedImports+i), FramePrefix+f.name)
	}
}
