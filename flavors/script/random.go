package script

import "hash/fnv"

// random is a splitmix64 generator: the same message gets the same numbers.
type random struct{ state uint64 }

func newRandom(id string) random {
	h := fnv.New64a()
	h.Write([]byte(id))
	return random{state: h.Sum64()}
}

// float64 returns the next number in [0, 1).
func (r *random) float64() float64 {
	r.state += 0x9e3779b97f4a7c15
	z := r.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	z ^= z >> 31
	return float64(z>>11) / (1 << 53)
}
