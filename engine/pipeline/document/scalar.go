package document

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// scalar is one written value before its type is looked at.
type scalar struct {
	text string
	tag  string // as YAML resolves it: !!str, !!int, !!float, !!bool, !!null, …
	at   Place
	// replaced says that ${...} made the text: it then takes the type that the key wants,
	// quotes or not.
	replaced bool
}

// fault is what is wrong with a scalar.
type fault struct{ code, message, hint string }

func wrongType(want string, s scalar, hint string) *fault {
	return &fault{"wrong-type", fmt.Sprintf("expected %s, got %s", want, s.describe()), hint}
}

func (s scalar) describe() string {
	switch {
	case s.tag == "!!null" && s.text == "":
		return "nothing"
	case s.tag == "!!str":
		return fmt.Sprintf("the text %q", clip(s.text))
	default:
		return clip(s.text)
	}
}

// clip keeps a quoted value short.
func clip(text string) string {
	const most = 60
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}

func (s scalar) isText() bool { return s.tag == "!!str" || s.replaced || s.tag == "!!timestamp" }

// convert returns the scalar as the Go value of f's type.
func (s scalar) convert(f Field, dir string) (any, *fault) {
	switch f.Type {
	case Bool:
		return s.bool()
	case Int:
		return s.int(f)
	case Size:
		return s.size(f)
	case Duration:
		return s.duration(f)
	case Expression:
		text, bad := s.string(Field{})
		if bad == nil && strings.TrimSpace(text) == "" {
			bad = &fault{"bad-value", "the expression is empty", "leave the key out where there is no condition"}
		}
		return text, bad
	case Path:
		text, bad := s.string(Field{})
		if bad == nil && text == "" {
			bad = &fault{"bad-value", "the path is empty", ""}
		}
		if bad == nil && !filepath.IsAbs(text) {
			text = filepath.Join(dir, text)
		}
		return text, bad
	case Name:
		text, bad := s.string(Field{})
		if reason := CheckName(text); bad == nil && reason != "" {
			bad = &fault{"bad-name", fmt.Sprintf("%q is no name", clip(text)), reason}
		}
		return text, bad
	default:
		return s.string(f)
	}
}

func (s scalar) string(f Field) (string, *fault) {
	if !s.isText() {
		hint := "put it into quotes"
		if s.tag == "!!null" {
			hint = "write a value, or leave the key out"
		}
		return "", wrongType("a text", s, hint)
	}
	if len(f.Enum) > 0 && !slices.Contains(f.Enum, s.text) {
		hint := List("one of: ", slices.Values(f.Enum))
		if near := Nearest(s.text, slices.Values(f.Enum)); near != "" {
			hint = fmt.Sprintf("did you mean %q? (%s)", near, hint)
		}
		return "", &fault{"bad-value", fmt.Sprintf("%q is not possible here", clip(s.text)), hint}
	}
	return s.text, nil
}

func (s scalar) bool() (bool, *fault) {
	if s.tag == "!!bool" || s.replaced {
		switch strings.ToLower(s.text) {
		case "true":
			return true, nil
		case "false":
			return false, nil
		}
	}
	hint := "write true or false"
	if slices.Contains([]string{"yes", "on", "no", "off"}, strings.ToLower(s.text)) {
		hint = "write true or false, not " + s.text
	}
	return false, wrongType("true or false", s, hint)
}

func (s scalar) int(f Field) (int64, *fault) {
	v, ok := parseInt(s.text)
	if !ok || s.tag == "!!str" && !s.replaced {
		hint := "digits, with underscores if you like: 200_000"
		if ok {
			hint = "leave the quotes away"
		}
		return 0, wrongType("a whole number", s, hint)
	}
	return v, checkRange(v, f, strconv.FormatInt)
}

// parseInt reads a decimal whole number with underscores between digits. Leading zeros
// are refused, since some readers of YAML take them for octal.
func parseInt(text string) (int64, bool) {
	digits := strings.TrimPrefix(strings.TrimPrefix(text, "-"), "+")
	if digits == "" || len(digits) > 1 && digits[0] == '0' || strings.HasSuffix(digits, "_") || digits[0] == '_' {
		return 0, false
	}
	for i := range len(digits) {
		if c := digits[i]; c != '_' && (c < '0' || c > '9') || c == '_' && digits[i-1] == '_' {
			return 0, false
		}
	}
	v, err := strconv.ParseInt(strings.ReplaceAll(text, "_", ""), 10, 64)
	return v, err == nil
}

// sizeUnits are the units of a size, longest name first.
var sizeUnits = []struct {
	name  string
	bytes int64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"B", 1}}

func (s scalar) size(f Field) (int64, *fault) {
	bad := func(hint string) (int64, *fault) {
		return 0, &fault{"bad-size", fmt.Sprintf("expected a size, got %s", s.describe()), hint}
	}
	if s.text == "0" {
		return 0, checkRange(0, f, FormatSizeBase)
	}
	for _, unit := range sizeUnits {
		number, found := strings.CutSuffix(s.text, unit.name)
		if !found {
			continue
		}
		v, ok := parseInt(strings.TrimSpace(number))
		switch {
		case !ok && unit.name == "B":
			return bad("units are B, KiB, MiB, GiB and TiB, of 1024 each")
		case !ok:
			return bad("a whole number and a unit: 512KiB, 32MiB, 1GiB")
		case v > math.MaxInt64/unit.bytes, v < -math.MaxInt64/unit.bytes:
			return bad("this is more than 63 bits of bytes")
		}
		return v * unit.bytes, checkRange(v*unit.bytes, f, FormatSizeBase)
	}
	if _, ok := parseInt(s.text); ok {
		return bad(fmt.Sprintf("add a unit: %sB, %sKiB or %sMiB", s.text, s.text, s.text))
	}
	return bad("a whole number and a unit: 512KiB, 32MiB, 1GiB")
}

func (s scalar) duration(f Field) (time.Duration, *fault) {
	if s.text == "0" {
		return 0, checkRange(0, f, formatDurationBase)
	}
	d, err := time.ParseDuration(strings.ReplaceAll(s.text, "_", ""))
	if err == nil {
		return d, checkRange(int64(d), f, formatDurationBase)
	}
	hint := "a number and a unit: 200ms, 10s, 5m, 1h"
	if days, ok := parseInt(strings.TrimSuffix(s.text, "d")); ok && days > 0 && days < 100_000 {
		if strings.HasSuffix(s.text, "d") {
			hint = fmt.Sprintf("days are written in hours: %dh", days*24)
		} else {
			hint = fmt.Sprintf("add a unit: %sms, %ss or %sm", s.text, s.text, s.text)
		}
	}
	return 0, &fault{"bad-duration", fmt.Sprintf("expected a duration, got %s", s.describe()), hint}
}

func checkRange(v int64, f Field, format func(int64, int) string) *fault {
	if v < 0 && f.Type != Int {
		return &fault{"out-of-range", format(v, 10) + " is negative", ""}
	}
	if f.Min == 0 && f.Max == 0 || v >= f.Min && (v <= f.Max || f.Max == 0) {
		return nil
	}
	bound := "at least " + format(f.Min, 10)
	if f.Max != 0 && f.Max != math.MaxInt64 {
		bound = format(f.Min, 10) + " to " + format(f.Max, 10)
	}
	return &fault{"out-of-range", fmt.Sprintf("%s is out of range", format(v, 10)), "allowed: " + bound}
}

// ParseInt reads a whole number as documents write it, with underscores between digits.
func ParseInt(text string) (int64, bool) { return parseInt(text) }

// ParseSize reads a size as documents write it: 512KiB, 32MiB.
func ParseSize(text string) (int64, bool) {
	v, bad := scalar{text: text}.size(Field{Type: Size})
	return v, bad == nil
}

// FormatSize writes bytes with the largest unit that divides them.
func FormatSize(bytes int64) string {
	text := fmt.Sprintf("%dB", bytes)
	for _, unit := range sizeUnits[:4] {
		if bytes != 0 && bytes%unit.bytes == 0 {
			text = fmt.Sprintf("%d%s", bytes/unit.bytes, unit.name)
		}
	}
	return text
}

// FormatSizeBase is FormatSize in the form of strconv.FormatInt.
func FormatSizeBase(bytes int64, _ int) string { return FormatSize(bytes) }

// FormatDuration writes a duration without the zero units that time.Duration adds.
func FormatDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

func formatDurationBase(nanos int64, _ int) string { return FormatDuration(time.Duration(nanos)) }

// resolveTag returns the tag that YAML gives to plain text.
func resolveTag(text string) string {
	n := yaml.Node{Kind: yaml.ScalarNode, Value: text}
	return n.ShortTag()
}

// free returns the value in the type that it is written in.
func (s scalar) free() (any, *fault) {
	switch s.tag {
	case "!!null":
		return nil, nil
	case "!!bool":
		return s.bool()
	case "!!int":
		v, ok := parseInt(s.text)
		if !ok {
			return nil, &fault{"wrong-type", fmt.Sprintf("%s is no decimal number of 64 bits", clip(s.text)), "put it into quotes to keep it as text"}
		}
		return v, nil
	case "!!float":
		v, err := strconv.ParseFloat(strings.ReplaceAll(s.text, "_", ""), 64)
		if err != nil || wholeDigits(s.text) || math.IsInf(v, 0) || math.IsNaN(v) {
			return nil, &fault{"wrong-type", fmt.Sprintf("%s is no finite number of 64 bits", clip(s.text)), "put it into quotes to keep it as text"}
		}
		return v, nil
	case "!!str", "!!timestamp":
		return s.text, nil
	default:
		return nil, &fault{"wrong-type", fmt.Sprintf("values of type %s are not supported", s.tag), "put it into quotes to keep it as text"}
	}
}

// wholeDigits says whether text has digits only: YAML reads a whole number that is too
// large for 64 bits as an inexact float.
func wholeDigits(text string) bool {
	digits := strings.TrimLeft(text, "+-")
	return digits != "" && strings.Trim(digits, "0123456789_") == ""
}
