// Package engine executes one Plan against one store.
package engine
