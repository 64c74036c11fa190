//go:build !race

package process

// limitable says that a child's memory can be limited.
const limitable = true
