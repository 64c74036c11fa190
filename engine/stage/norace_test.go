//go:build !race

package stage

const raceDetector = false
