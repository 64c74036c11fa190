package main

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"
)

// paramFlag is --param, repeated.
func paramFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "param", Aliases: []string{"p"}, KeepSpace: true, Usage: "set ${parameters.K} to V; may be repeated: `K=V`"}
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

// checkDataDir refuses what cannot be a directory before anything is opened.
func checkDataDir(_ *cli.Context, dir string) error {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return usagef("name a directory, which is made where there is none", "--data-dir %s is a file", dir)
	}
	return nil
}

// checkReport refuses a file that cannot be written before the work that it is to report on.
func checkReport(_ *cli.Context, name string) error {
	if info, err := os.Stat(filepath.Dir(name)); err != nil || !info.IsDir() {
		return usagef("make it, or name another file", "--junit %s: there is no directory %s", name, filepath.Dir(name))
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return usagef("name a file", "--junit %s is a directory", name)
	}
	return nil
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
