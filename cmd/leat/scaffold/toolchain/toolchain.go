// Package toolchain tells the tests of scaffolds what this machine can build: only they import it.
//
//	Command(language, build) --> the command as it runs here, or what is missing
package toolchain

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
)

// Command returns a language's build command as it runs on this machine, or an ErrMissing. The environment
// variable ASC may name the AssemblyScript compiler: npx would look for it in the scaffold, and then in the network.
func Command(language, build string) (string, error) {
	missing := missing(language)
	switch {
	case missing == "" && language == "assemblyscript":
		return strings.Replace(build, "npx asc", compiler(), 1), nil
	case missing == "":
		return build, nil
	case slices.Contains(strings.Fields(os.Getenv("LEAT_TOOLS")), language):
		return "", fmt.Errorf("LEAT_TOOLS promises what %s needs: %s", language, missing)
	default:
		return "", ErrMissing(missing)
	}
}

// ErrMissing is what a build needs that this machine has not, and LEAT_TOOLS does not promise: a reason to skip.
type ErrMissing string

func (e ErrMissing) Error() string { return "needs " + string(e) }

func missing(language string) string {
	switch {
	case !has("sh"):
		return "a shell"
	case language == "rust" && (!has("cargo") || !hasRustTarget()):
		return "cargo with the target wasm32-unknown-unknown"
	case language == "c" && (!exists("/usr/include/wasm32-wasi") || !has("clang") || !has("wasm-ld")):
		return "clang, wasm-ld and wasi-libc"
	case language == "assemblyscript" && !has(compiler()):
		return "asc on the PATH, or its path in ASC"
	case language == "go" && goruntime.GOOS == "windows":
		return "a shell that sets variables"
	}
	return ""
}

func compiler() string {
	if asc := os.Getenv("ASC"); asc != "" {
		return asc
	}
	return "asc"
}

func hasRustTarget() bool {
	root, err := exec.Command("rustc", "--print", "sysroot").Output()
	return err == nil && exists(filepath.Join(strings.TrimSpace(string(root)), "lib", "rustlib", "wasm32-unknown-unknown"))
}

func has(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
