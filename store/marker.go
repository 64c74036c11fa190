package store

import (
	"path/filepath"
	"strings"
)

// isMarker says whether a file's name is Pebble's note of which other file counts, such as the
// manifest. Pebble makes the new file and its marker, removes the marker before and syncs the
// directory once: a disk that keeps some of these names and not others may be left with a marker
// of a file that is not there, or with none, which is an empty store.
func isMarker(name string) bool { return strings.HasPrefix(filepath.Base(name), "marker.") }

// settle makes durable what a marker's coming or going must come after: the names that the
// directory has.
func (g *gate) settle(name string) {
	if !isMarker(name) {
		return
	}
	dir, err := g.OpenDir(g.PathDir(name))
	if err != nil {
		return // which the operation will say too
	}
	_ = dir.Sync()  // returns nil or not at all
	_ = dir.Close() // nothing was written to it
}
