//go:build !race

package script

// raceEnabled says that this test runs under the race detector.
const raceEnabled = false
