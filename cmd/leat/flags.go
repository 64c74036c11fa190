package main

import (
	"fmt"
	"log/slog"
	"strings"

	"github.com/urfave/cli/v2"
)

// paramFlag is --param, repeated.
func paramFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "param", Aliases: []string{"p"}, Usage: "set ${parameters.K} to V; may be repeated: `K=V`"}
}

// parameters reads every --param K=V.
func parameters(c *cli.Context) (map[string]string, error) {
	out := map[string]string{}
	for _, pair := range c.StringSlice("param") {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return nil, usagef("write --param key=value", "--param %q has no value", pair)
		}
		out[key] = value
	}
	return out, nil
}

// newLog is the log of a command: text on a terminal, JSON otherwise.
func newLog(c *cli.Context, s surroundings) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.String("log-level"))); err != nil {
		return nil, usagef("give one of debug, info, warn, error", "--log-level %q", c.String("log-level"))
	}
	options := &slog.HandlerOptions{Level: level}
	if s.terminal {
		return slog.New(slog.NewTextHandler(s.stderr, options)), nil
	}
	return slog.New(slog.NewJSONHandler(s.stderr, options)), nil
}

// oneOf checks an enumerated flag.
func oneOf(c *cli.Context, flag string, allowed ...string) (string, error) {
	value := c.String(flag)
	for _, a := range allowed {
		if value == a {
			return value, nil
		}
	}
	return "", usagef("give one of "+strings.Join(allowed, ", "), "--%s %q", flag, fmt.Sprint(value))
}
