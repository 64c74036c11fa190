package meter

// Value types of core WebAssembly 2.0, as encoded.
const (
	typeI32       = 0x7f
	typeI64       = 0x7e
	typeF32       = 0x7d
	typeF64       = 0x7c
	typeV128      = 0x7b
	typeFuncref   = 0x70
	typeExternref = 0x6f
	typeFunction  = 0x60
	blockEmpty    = 0x40
)

// functionType is a function's signature: one byte per value.
type functionType struct {
	params, results []byte
}

func (t functionType) encoded() []byte {
	b := appendBytes([]byte{typeFunction}, t.params)
	return appendBytes(b, t.results)
}

// readFunctionType reads one entry of the type section.
func readFunctionType(r *reader) functionType {
	switch b := r.byte(); {
	case b == typeFunction:
	case b >= 0x4d && b <= 0x5f:
		r.unsupported("gc", "type of form %#x", b)
	default:
		r.malformed("type of form %#x", b)
	}
	return functionType{params: readValueTypes(r), results: readValueTypes(r)}
}

func readValueTypes(r *reader) []byte {
	n := r.count("value types")
	from := r.at
	for i := 0; i < n && r.ok(); i++ {
		readValueType(r)
	}
	if !r.ok() {
		return nil
	}
	return r.src[from:r.at]
}

func readValueType(r *reader) byte {
	b := r.byte()
	if b < typeV128 || b > typeI32 {
		checkReferenceType(r, b, "value type")
	}
	return b
}

func readReferenceType(r *reader) byte {
	b := r.byte()
	checkReferenceType(r, b, "reference type")
	return b
}

func checkReferenceType(r *reader, b byte, what string) {
	switch {
	case b == typeFuncref || b == typeExternref:
	case b == 0x69 || b == 0x74:
		r.unsupported("exception-handling", "%s %#x", what, b)
	case b == 0x63 || b == 0x64:
		r.unsupported("typed-function-references", "%s %#x", what, b)
	case b >= 0x6a && b <= 0x73:
		r.unsupported("gc", "%s %#x", what, b)
	default:
		r.malformed("%s %#x", what, b)
	}
}

// blockType is what a block takes from the stack and leaves on it.
type blockType struct {
	signature int64 // as encoded: negative for none or one value, else a type index
	params    int
	results   int
}

func (m *module) readBlockType(r *reader) blockType {
	signature := r.signed(33)
	switch {
	case signature == blockEmpty-0x80:
		return blockType{signature: signature}
	case signature < -64:
		r.malformed("block type %d", signature)
	case signature < 0:
		if b := byte(signature & 0x7f); b < typeV128 {
			checkReferenceType(r, b, "block type")
		}
		return blockType{signature: signature, results: 1}
	case signature >= int64(len(m.types)):
		r.malformed("block type %d does not exist, there are %d types", signature, len(m.types))
	default:
		t := m.types[signature]
		return blockType{signature: signature, params: len(t.params), results: len(t.results)}
	}
	return blockType{}
}
