//go:build race

package stage

// raceDetector says that memory is mostly the shadow of the race detector.
const raceDetector = true
