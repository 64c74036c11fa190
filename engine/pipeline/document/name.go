package document

import (
	"regexp"
	"slices"
	"strings"
)

// NamePattern is the rule for names of documents and nodes, as a regular expression.
const NamePattern = `^[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$`

var namePattern = regexp.MustCompile(NamePattern)

// reservedDevices are file names that Windows gives to devices, with any extension.
var reservedDevices = []string{"con", "prn", "aux", "nul", "conin$", "conout$"}

// CheckName says what is wrong with a name, or "". Names become folders, metric labels and
// keys of the store, so the rule is the same on every platform.
func CheckName(name string) string {
	switch {
	case name == "":
		return "a name must not be empty"
	case len(name) > 64:
		return "a name has at most 64 characters"
	case !namePattern.MatchString(name):
		return "a name starts with a letter or digit and goes on with letters, digits, `.`, `_` and `-`"
	case strings.Contains(name, ".."):
		return "a name must not contain `..`"
	case strings.HasSuffix(name, "."):
		return "a name must not end with `.`"
	case isDevice(name):
		return "this name belongs to a device on Windows"
	default:
		return ""
	}
}

func isDevice(name string) bool {
	base, _, _ := strings.Cut(strings.ToLower(name), ".")
	if slices.Contains(reservedDevices, base) {
		return true
	}
	return len(base) == 4 && (base[:3] == "com" || base[:3] == "lpt") && base[3] >= '0' && base[3] <= '9'
}
