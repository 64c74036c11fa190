package inbound

import (
	"fmt"
	"maps"
	"net/url"
	"slices"

	"github.com/leat-run/leat/engine/pipeline/document"
)

// Query says what is wrong with a URL's query, where a request takes the names alone. A name that
// it does not take is a *KeyError.
func Query(raw string, takes ...string) error {
	given, err := url.ParseQuery(raw)
	if err != nil {
		return fmt.Errorf("the query cannot be read: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		switch {
		case !slices.Contains(takes, name):
			return &KeyError{Key: name, Path: "the query", Hint: document.DidYouMean(name, slices.Values(takes))}
		case len(given[name]) > 1:
			return fmt.Errorf("the query has %q %d times", name, len(given[name]))
		}
	}
	return nil
}
