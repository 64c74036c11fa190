package pipeline

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/leat-run/leat/engine/pipeline/document"
)

// output is the file that a sink must have for itself: it writes at the end that it knows, so
// a second writer's lines would be written over.
type output struct {
	path string      // as the document names it, absolute
	real string      // RealPath of it
	info fs.FileInfo // of the file; nil where there is none yet
	at   document.Place
}

// is says whether both are one file: by its name, or where it exists by any hard link to it.
func (o *output) is(other *output) bool {
	return o.real == other.real || o.info != nil && other.info != nil && os.SameFile(o.info, other.info)
}

// writer is a sink that has a file for itself.
type writer struct {
	plan *Plan
	sink *Sink
}

// writerOf finds who of them writes the sink's file.
func writerOf(all []writer, s *Sink) (writer, bool) {
	at := slices.IndexFunc(all, func(w writer) bool { return w.sink.output.is(s.output) })
	if at < 0 {
		return writer{}, false
	}
	return all[at], true
}

// output is what a sink's plugin writes; nil where it is no file, or its path is wrong.
func (l *loader) output(o *document.Object, s *Sink) *output {
	key := l.opt.Catalog.Sinks[s.Plugin].Writes
	_, config := o.Choice()
	if key == "" || config == nil || s.Config.String(key) == "" {
		return nil
	}
	path := s.Config.String(key)
	info, _ := os.Stat(path) // an error is that of who opens it
	return &output{path: path, real: RealPath(path), info: info, at: config.ValueAt(key)}
}

// files reports sinks that would meet in one file, and those that would feed a source.
func (l *loader) files() {
	var writers []writer
	for _, s := range l.plan.Sinks {
		if s.output == nil {
			continue
		}
		if first, ok := writerOf(writers, s); ok {
			l.report.Add(l.plan.sharedFile(s, first.sink.Name, first.sink.Line, ""))
			continue
		}
		writers = append(writers, writer{l.plan, s})
		l.feedback(s)
	}
}

// feedback reports a sink whose file a source of the same pipeline reads.
func (l *loader) feedback(sink *Sink) {
	for _, source := range l.plan.Sources {
		reads := l.opt.Catalog.Sources[source.Plugin].Reads
		if reads != nil && source.Config != nil && reads(source.Config, sink.output.real) {
			l.report.Errorf(sink.output.at, "own-source", "write to another file, or narrow the source's path",
				"%s writes %s, which the source %s on line %d reads", sink.Name, l.plan.shown(sink.output.path), source.Name, source.Line)
		}
	}
}

// SharedFiles returns an error for every sink that would write the file which a sink of an
// earlier plan writes. Within one document Load says so.
func SharedFiles(plans []*Plan) (found []Diagnostic) {
	var writers []writer
	for _, p := range plans {
		for _, s := range p.Sinks {
			if s.output == nil {
				continue
			}
			if first, ok := writerOf(writers, s); ok {
				found = append(found, p.sharedFile(s, first.sink.Name, first.sink.Line, " of "+first.plan.File))
				continue
			}
			writers = append(writers, writer{p, s})
		}
	}
	return found
}

func (p *Plan) sharedFile(s *Sink, other string, line int, of string) Diagnostic {
	report := document.NewReport(p.File)
	report.Errorf(s.output.at, "shared-file", "give each sink a file of its own, or let one sink read from both",
		"%s writes %s, and so does the sink %s on line %d%s", s.Name, p.shown(s.output.path), other, line, of)
	return report.Sorted()[0]
}

// shown is a path as a reader of the document finds it: below the document's directory
// without it.
func (p *Plan) shown(path string) string {
	short, err := filepath.Rel(p.Dir, path)
	if err != nil || strings.HasPrefix(short, "..") {
		return path
	}
	return short
}

// mostLinks bounds how many links that lead to nothing yet are followed.
const mostLinks = 40

// RealPath is an absolute path without symbolic links, as far as it exists: however a file is
// named, also one that is not there yet, its RealPath is the same. Hard links are not
// seen through: SameFile does.
func RealPath(path string) string { return realPath(filepath.Clean(path), mostLinks) }

// SameFile says whether two paths lead to one file that exists, by whatever links.
func SameFile(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

func realPath(path string, links int) string {
	if found, err := filepath.EvalSymlinks(path); err == nil {
		return found
	}
	dir := filepath.Dir(path)
	if target, err := os.Readlink(path); err == nil && links > 0 {
		if !filepath.IsAbs(target) {
			target = filepath.Join(dir, target)
		}
		return realPath(target, links-1)
	}
	if dir == path {
		return path
	}
	return filepath.Join(realPath(dir, links), filepath.Base(path))
}
