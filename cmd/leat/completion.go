package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"
)

// completions are the shells' scripts; each asks the binary itself for candidates.
var completions = map[string]string{
	"bash": `_leat() {
  local words=("${COMP_WORDS[@]:0:$COMP_CWORD}")
  local found
  found=$("${words[@]}" --generate-bash-completion 2>/dev/null)
  COMPREPLY=($(compgen -W "$found" -- "${COMP_WORDS[COMP_CWORD]}"))
  [ ${#COMPREPLY[@]} -eq 0 ] && COMPREPLY=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o nospace -F _leat leat
`,
	"zsh": `#compdef leat
_leat() {
  local -a found
  found=(${(f)"$(${words[1,CURRENT-1]} --generate-bash-completion 2>/dev/null)"})
  if (( ${#found} )); then compadd -- $found; else _files; fi
}
compdef _leat leat
`,
	"fish": `function __leat_complete
  set -l words (commandline -opc)
  $words --generate-bash-completion 2>/dev/null
end
complete -c leat -a '(__leat_complete)'
`,
}

func completionCommand(s surroundings) *cli.Command {
	return verb(&cli.Command{
		Name:        "completion",
		Usage:       "print a shell's completion script",
		ArgsUsage:   "bash|zsh|fish",
		Description: "Example:\n   source <(leat completion bash)",
		Action: func(c *cli.Context) error {
			script, ok := completions[c.Args().First()]
			if !ok || c.NArg() != 1 {
				return usagef("give one of bash, zsh, fish", "no completion for %q", strings.Join(c.Args().Slice(), " "))
			}
			_, err := fmt.Fprint(s.stdout, script)
			return err
		},
	})
}
