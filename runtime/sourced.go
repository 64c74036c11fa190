package runtime

// Sourced is implemented by a Module that knows every file which its code was made of: what
// `leat try --watch` looks at.
type Sourced interface {
	// Files returns absolute paths, sorted.
	Files() []string
}
