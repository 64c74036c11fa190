// Package pipeline turns a document into a Plan: verified, immutable, every default
// written in.
package pipeline
