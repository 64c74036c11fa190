package main

import (
	"fmt"
	"runtime/debug"

	goruntime "runtime"

	"github.com/urfave/cli/v2"
)

// release is the version that the build stamps (-ldflags -X main.release=v1.2.3).
var release = "dev"

// version is the release, with the commit where the build knows it.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return release
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return release + "+" + s.Value[:12]
		}
	}
	return release
}

func versionCommand(s surroundings) *cli.Command {
	return verb(&cli.Command{
		Name:        "version",
		Usage:       "print the version",
		Description: "Example:\n   leat version --json",
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return usagef("`leat version` takes no arguments", "what is %q?", c.Args().First())
			}
			if c.Bool("json") {
				return jsonTo(s.stdout).Encode(map[string]string{
					"version": version(), "go": goruntime.Version(), "platform": goruntime.GOOS + "/" + goruntime.GOARCH,
				})
			}
			_, err := fmt.Fprintf(s.stdout, "leat %s (%s, %s/%s)\n", version(), goruntime.Version(), goruntime.GOOS, goruntime.GOARCH)
			return err
		},
	})
}
