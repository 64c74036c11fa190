package endpoint

import (
	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/codec"
	"github.com/leat-run/leat/engine/endpoint/file"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/topic"
	"github.com/leat-run/leat/store"
)

// Sources describes the sources that ship, by plugin key.
func Sources() map[string]pipeline.Spec {
	return map[string]pipeline.Spec{
		"file":  file.SourceSpec(),
		"stdin": StdinSpec(),
		"topic": TopicSourceSpec(),
	}
}

// Sinks describes the sinks that ship, by plugin key.
func Sinks() map[string]pipeline.Spec {
	return map[string]pipeline.Spec{
		"file":   file.SinkSpec(),
		"stdout": StdoutSpec(),
		"drop":   DropSpec(),
		"topic":  TopicSinkSpec(),
	}
}

// Endpoints returns the constructors behind Sources and Sinks, and the codecs. Those of topics fail:
// see WithTopics.
func Endpoints() engine.Endpoints { return WithTopics(nil, nil) }

// WithTopics is Endpoints with a log behind the topic source and sink. drain tells topic sources in batch
// mode when they are done; nil ends them at the end of the topic.
func WithTopics(log *store.Log, drain *topic.Drain) engine.Endpoints {
	return engine.Endpoints{
		Sources: map[string]func(engine.SourceEnv) (engine.Source, error){
			"file":  func(env engine.SourceEnv) (engine.Source, error) { return opened(file.NewSource(env)) },
			"stdin": func(env engine.SourceEnv) (engine.Source, error) { return NewStdin(env), nil },
			"topic": func(env engine.SourceEnv) (engine.Source, error) {
				s, err := NewTopicSource(env, log, drain)
				if err != nil {
					return nil, err
				}
				return s, nil
			},
		},
		Sinks: map[string]func(engine.SinkEnv) (engine.Sink, error){
			"file":   func(env engine.SinkEnv) (engine.Sink, error) { return openedSink(file.NewSink(env)) },
			"stdout": func(env engine.SinkEnv) (engine.Sink, error) { return NewStdout(env), nil },
			"drop":   func(engine.SinkEnv) (engine.Sink, error) { return Drop{}, nil },
			"topic": func(env engine.SinkEnv) (engine.Sink, error) {
				s, err := NewTopicSink(env, log)
				if err != nil {
					return nil, err
				}
				return s, nil
			},
		},
		Codecs: codecs(),
	}
}

func codecs() map[string]engine.Codec {
	all := make(map[string]engine.Codec)
	for name, c := range codec.All() {
		all[name] = c
	}
	return all
}

// opened keeps a nil *file.Source from becoming a non-nil interface.
func opened(s *file.Source, err error) (engine.Source, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

func openedSink(s *file.Sink, err error) (engine.Sink, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}
