package engine

import (
	"log/slog"
	"maps"
	"strings"

	"github.com/leat-run/leat/runtime"
)

// inherit gives an output the identity of its input: id, source, time, and the meta
// entries that belong to the engine, whatever the guest did to them.
func inherit(out, in *runtime.Message) {
	out.ID, out.Source, out.Ingested = in.ID, in.Source, in.Ingested
	if len(in.Meta) == 0 && len(out.Meta) == 0 || sameReserved(out.Meta, in.Meta) {
		return
	}
	meta := maps.Clone(out.Meta)
	if meta == nil {
		meta = runtime.Meta{}
	}
	maps.DeleteFunc(meta, func(k, _ string) bool { return reserved(k) })
	for k, v := range in.Meta {
		if reserved(k) {
			meta[k] = v
		}
	}
	out.Meta = meta
}

func sameReserved(out, in runtime.Meta) bool {
	n := 0
	for k, v := range in {
		if !reserved(k) {
			continue
		}
		if got, ok := out[k]; !ok || got != v {
			return false
		}
		n++
	}
	for k := range out {
		if reserved(k) {
			n--
		}
	}
	return n == 0
}

func reserved(name string) bool { return strings.HasPrefix(name, runtime.MetaReserved) }

// slogLevel maps a guest's level.
func slogLevel(level string) slog.Level {
	switch level {
	case "debug":
		return slog.LevelDebug
	case "warn":
		return slog.LevelWarn
	case "error":
		return slog.LevelError
	default:
		return slog.LevelInfo
	}
}
