//go:build race

package process

// limitable is false under the race detector: its shadow memory counts as private.
const limitable = false
