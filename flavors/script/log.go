package script

import (
	"cmp"
	"strings"

	"github.com/dop251/goja"

	"github.com/leat-run/leat/runtime"
)

// logger passes a guest's log on, up to the budget of one Apply, and keeps its tail
// for a failure.
type logger struct {
	emit  func(level, text string)
	limit int64
	used  int64
	cut   bool
	tail  []string
}

// logTail is how many of the last lines a failure carries.
const logTail = 20

func (l *logger) reset() { l.used, l.cut, l.tail = 0, false, l.tail[:0] }

// write logs one line; what does not fit is cut and marked once.
func (l *logger) write(level, text string) {
	if l.cut {
		return
	}
	if left := l.limit - l.used; int64(len(text)) > left {
		text, l.cut = cmp.Or(runtime.Cut(text, int(max(left, 0))), "… [cut]"), true
	}
	l.used += int64(len(text)) + 1 // its end, so that empty lines come to an end too
	if len(l.tail) == logTail {
		l.tail = append(l.tail[:0], l.tail[1:]...)
	}
	l.tail = append(l.tail, level+": "+text)
	if l.emit != nil {
		l.emit(level, text)
	}
}

// text is the last of what was logged.
func (l *logger) text() string {
	text := strings.Join(l.tail, "\n")
	text = text[max(0, len(text)-runtime.MaxReason):]
	for len(text) > 0 && text[0]&0xC0 == 0x80 { // the rest of a character that is cut
		text = text[1:]
	}
	return runtime.Cut(text, runtime.MaxReason)
}

// logLevels maps the methods of console and of ctx.log to levels.
var logLevels = map[string]string{
	"log": "info", "info": "info", "debug": "debug", "trace": "debug", "warn": "warn", "error": "error",
}

// logFunction makes a function that logs its arguments at a level.
func (in *instance) logFunction(level string) func(goja.FunctionCall) goja.Value {
	return func(call goja.FunctionCall) goja.Value {
		in.spend(20)
		if in.log.cut {
			return goja.Undefined()
		}
		var parts []string
		left := in.log.limit - in.log.used
		for _, arg := range call.Arguments {
			in.spend(2)
			parts = append(parts, in.describe(arg))
			if left -= int64(len(parts[len(parts)-1]) + 1); left < 0 {
				break // what follows would be cut
			}
		}
		in.log.write(level, strings.Join(parts, " "))
		return goja.Undefined()
	}
}

// console makes an object with one function per level.
func (in *instance) console() *goja.Object {
	o := in.vm.NewObject()
	for name, level := range logLevels {
		in.must(o.Set(name, in.native(name, 0, in.logFunction(level))))
	}
	return o
}
