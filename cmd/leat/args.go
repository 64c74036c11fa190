package main

import (
	"strings"

	"github.com/urfave/cli/v2"
)

// reorder moves flags in front of the arguments, so that `leat run a.yaml --json` and
// `leat --json run a.yaml` mean `leat run --json a.yaml`: urfave/cli stops at the first
// argument by itself. `--` ends the flags and stays in front of the arguments. args is without
// the program's name. Flags that nobody knows are moved too: the parser names them.
func reorder(commands []*cli.Command, args []string) []string {
	var verbs, flags, rest []string
	level, known := commands, flagsOfAll(commands)
	dangling := false // the last flag lacks its value
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
			rest = append(rest, args[i+1:]...)
			i = len(args)
		case isFlag(arg):
			flags = append(flags, arg)
			if dangling = takesValue(known, arg) && i+1 == len(args); dangling {
				continue
			}
			if takesValue(known, arg) {
				i++
				flags = append(flags, args[i])
			}
		default:
			if command := find(level, arg); command != nil && len(rest) == 0 {
				verbs = append(verbs, arg)
				level, known = command.Subcommands, command.Flags
				if len(level) > 0 {
					known = append(flagsOfAll(level), known...)
				}
				continue
			}
			rest, level = append(rest, arg), nil
		}
	}
	for _, flag := range flags {
		if flag == "--help" || flag == "-h" {
			return append(verbs, "--help") // whatever else the line says
		}
	}
	out := append(verbs, flags...)
	if dangling {
		return out // the parser says so, and must not take what comes for it
	}
	if len(rest) > 0 {
		out = append(append(out, "--"), rest...)
	}
	return out
}

func isFlag(arg string) bool { return len(arg) > 1 && arg[0] == '-' }

func find(commands []*cli.Command, name string) *cli.Command {
	for _, command := range commands {
		if command.HasName(name) {
			return command
		}
	}
	return nil
}

// takesValue says whether the flag's value is the next argument.
func takesValue(known []cli.Flag, arg string) bool {
	name := strings.TrimLeft(arg, "-")
	if strings.Contains(name, "=") {
		return false
	}
	for _, flag := range known {
		if documented, ok := flag.(cli.DocGenerationFlag); ok && hasName(flag, name) {
			return documented.TakesValue()
		}
	}
	return false
}

func hasName(flag cli.Flag, name string) bool {
	for _, n := range flag.Names() {
		if n == name {
			return true
		}
	}
	return false
}

func flagsOfAll(commands []*cli.Command) []cli.Flag {
	var out []cli.Flag
	for _, command := range commands {
		out = append(out, command.Flags...)
		out = append(out, flagsOfAll(command.Subcommands)...)
	}
	return out
}
