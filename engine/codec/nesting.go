package codec

// nesting is a stack of one bit per open container: set for an object. The first 256
// levels need no allocation.
type nesting struct {
	depth int
	near  [4]uint64
	far   []uint64
}

func (n *nesting) push(object bool) {
	if n.depth/64 >= len(n.near)+len(n.far) {
		n.far = append(n.far, 0)
	}
	word, bit := n.word(n.depth), uint64(1)<<(n.depth%64)
	if object {
		*word |= bit
	} else {
		*word &^= bit
	}
	n.depth++
}

func (n *nesting) pop() { n.depth-- }

// top says whether the innermost container is an object. REQUIRES: depth > 0.
func (n *nesting) top() bool {
	return *n.word(n.depth - 1)>>((n.depth-1)%64)&1 == 1
}

func (n *nesting) word(level int) *uint64 {
	if i := level / 64; i < len(n.near) {
		return &n.near[i]
	}
	return &n.far[level/64-len(n.near)]
}
