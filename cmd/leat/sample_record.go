package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/leat-run/leat/engine/causal"
	"github.com/leat-run/leat/engine/codec"
	"github.com/leat-run/leat/engine/control/inbound"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/stage"
	"github.com/leat-run/leat/runtime"
)

// pickCall makes the call of a stage's guest that the flags describe.
func pickCall(c *cli.Context, s surroundings, plan *pipeline.Stage) (stage.Call, error) {
	var call stage.Call
	var where string
	var err error
	switch message, letter := c.IsSet("message"), c.IsSet("letter"); {
	case message && letter:
		return call, usagef("give one sample", "--message and --letter exclude each other")
	case !message && !letter:
		return call, usagef("give --message FILE (- is standard input) or --letter ID", "which record?")
	case c.String("message") == "-" && c.String("state") == "-":
		return call, usagef("give a file for one of them", "--message and --state are both standard input")
	case letter:
		call, where, err = letterCall(c, s, plan)
	default:
		call, where, err = messageCall(c, s)
	}
	if err == nil {
		call.Topic, err = pickTopic(c, plan, call.Topic)
	}
	if err != nil {
		return call, err
	}
	if call.State, err = pickState(c, s, plan); err != nil {
		return call, err
	}
	return decodedCall(plan, call, where)
}

// messageCall is --message: a value with --key and --header, or with --record all of it.
func messageCall(c *cli.Context, s surroundings) (call stage.Call, where string, err error) {
	picked, err := messageSample(c, s)
	if err != nil {
		return call, picked.where, err
	}
	if c.Bool("record") {
		for _, flag := range []string{"topic", "key", "header"} {
			if c.IsSet(flag) {
				return call, picked.where, usagef("leave one of them out", "--record and --%s exclude each other: a record says it itself", flag)
			}
		}
		call, err = parseRecord(picked.message.Payload, picked.where)
		return call, picked.where, err
	}
	like, err := appendedLike(c)
	call.Record = causal.Record{Timestamp: time.Now().UnixMilli(), Key: like.Key, Value: picked.message.Payload, Headers: like.Headers}
	return call, picked.where, err
}

// letterCall is the record of a dead letter of the stage.
func letterCall(c *cli.Context, s surroundings, plan *pipeline.Stage) (call stage.Call, where string, err error) {
	a, err := openAccess(c, s, plan.File)
	if err != nil {
		return call, "", err
	}
	defer a.close()
	if a.store == nil && a.run == nil {
		return call, "", usagef("run it first, or give its --data-dir", "there is no log in %s", c.String("data-dir"))
	}
	picked, err := letterSample(c, a)
	if err != nil {
		return call, picked.where, err
	}
	if call.Record, err = stage.RecordOf(picked.message); err != nil {
		return call, picked.where, usagef("give a letter of "+plan.Name, "%s is no stage's: %v", picked.where, err)
	}
	call.Topic = picked.message.Source
	return call, picked.where, nil
}

// pickTopic is --topic, else the topic that the record names, else the only input.
func pickTopic(c *cli.Context, plan *pipeline.Stage, from string) (string, error) {
	var names []string
	for _, in := range plan.Inputs {
		names = append(names, in.Topic)
	}
	name := c.String("topic")
	switch {
	case name == "" && from != "":
		name = from
	case name == "" && len(names) == 1:
		return names[0], nil
	case name == "":
		return "", usagef("say --topic with one of "+strings.Join(names, ", "), "a record of which topic?")
	}
	if !slices.Contains(names, name) {
		return "", usagef("its inputs are "+strings.Join(names, ", "), "%s does not read %q", plan.Name, name)
	}
	return name, nil
}

// pickState reads --state; nil is null.
func pickState(c *cli.Context, s surroundings, plan *pipeline.Stage) ([]byte, error) {
	name := c.String("state")
	switch {
	case name == "":
		return nil, nil
	case plan.Entry != runtime.EntryFold:
		return nil, usagef("leave --state out", "%s has a handler, which has no state", plan.Name)
	}
	in := io.Reader(newInput(c.Context, s.stdin))
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, usagef("give a file, or - for standard input", "the state cannot be read: %v", err)
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, maxSample))
	if err == nil {
		text, err = codec.JSON{}.Decode(text)
	}
	if err != nil {
		return nil, usagef("a state is one JSON value", "the state in %s is none: %w", name, err)
	}
	if text = bytes.TrimSpace(text); string(text) == "null" {
		return nil, nil
	}
	return text, nil
}

// parseRecord reads a record as recordJSON writes it. Its clock means nothing here.
func parseRecord(text []byte, where string) (stage.Call, error) {
	var call stage.Call
	bad := func(err error) (stage.Call, error) {
		return call, usagef("give one line of `leat topic read --json`", "%s holds no record: %v", where, err)
	}
	var row struct {
		Topic       string                     `json:"topic"`
		Partition   int32                      `json:"partition"`
		Offset      int64                      `json:"offset"`
		Timestamp   int64                      `json:"timestamp"`
		Key         json.RawMessage            `json:"key"`
		Value       json.RawMessage            `json:"value"`
		ValueBase64 []byte                     `json:"value_base64"`
		Headers     map[string]json.RawMessage `json:"headers"`
		Clock       map[string]int64           `json:"clock"`
	}
	if err := inbound.JSON(bytes.NewReader(text), &row); err != nil {
		return bad(err)
	}
	key, err := bytesOf("key", row.Key)
	if err != nil {
		return bad(err)
	}
	call.Topic = row.Topic
	call.Record = causal.Record{Offset: row.Offset, Timestamp: row.Timestamp, Key: key, Value: row.ValueBase64}
	call.Record.Channel.Partition = row.Partition
	if row.ValueBase64 == nil && len(row.Value) > 0 && string(row.Value) != "null" {
		call.Record.Value = row.Value
	}
	for _, name := range slices.Sorted(maps.Keys(row.Headers)) {
		value, err := bytesOf("header "+name, row.Headers[name])
		if err != nil {
			return bad(err)
		}
		call.Record.Headers = append(call.Record.Headers, causal.Header{Name: name, Value: value})
	}
	return call, nil
}

// bytesOf reads what bytesJSON makes.
func bytesOf(noun string, text json.RawMessage) ([]byte, error) {
	if len(text) == 0 || string(text) == "null" {
		return nil, nil
	}
	var plain string
	if json.Unmarshal(text, &plain) == nil {
		return []byte(plain), nil
	}
	var wrapped struct {
		Base64 *string `json:"base64"`
	}
	if json.Unmarshal(text, &wrapped) == nil && wrapped.Base64 != nil {
		if b, err := base64.StdEncoding.DecodeString(*wrapped.Base64); err == nil {
			return append([]byte{}, b...), nil
		}
	}
	return nil, errors.New(noun + ` is neither a text, {"base64": "…"} nor null`)
}
