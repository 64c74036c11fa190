package endpoint

import (
	"context"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/pipeline"
)

// DropSpec describes the drop sink, which has no keys.
func DropSpec() pipeline.Spec {
	return pipeline.Spec{Doc: "Takes every record and keeps none; the engine counts them as delivered."}
}

// Drop is a sink that keeps nothing.
type Drop struct{}

// Write takes the batch.
func (Drop) Write(ctx context.Context, _ []engine.Record) error { return ctx.Err() }

// Close has nothing to release.
func (Drop) Close() error { return nil }
