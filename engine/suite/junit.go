package suite

import (
	"encoding/xml"
	"fmt"
	"strings"
	"time"

	"github.com/leat-run/leat/engine/pipeline/document"
)

type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Tests   int          `xml:"tests,attr"`
	Failed  int          `xml:"failures,attr"`
	Errors  int          `xml:"errors,attr"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name   string      `xml:"name,attr"`
	File   string      `xml:"file,attr"`
	Tests  int         `xml:"tests,attr"`
	Failed int         `xml:"failures,attr"`
	Errors int         `xml:"errors,attr"`
	Time   string      `xml:"time,attr"`
	Cases  []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Time    string        `xml:"time,attr"`
	Failure *junitFailure `xml:"failure"`
	Error   *junitFailure `xml:"error"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// JUnit renders results as the XML that build servers read: a failing case is a failure, a suite
// that cannot be loaded one case with an error.
func JUnit(results []Result) ([]byte, error) {
	var all junitSuites
	for i := range results {
		s := junitOf(&results[i])
		all.Tests, all.Failed, all.Errors = all.Tests+s.Tests, all.Failed+s.Failed, all.Errors+s.Errors
		all.Suites = append(all.Suites, s)
	}
	text, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("suite: write the JUnit report: %w", err)
	}
	return append([]byte(xml.Header), append(text, '\n')...), nil
}

func junitOf(r *Result) junitSuite {
	s := junitSuite{Name: r.Suite, File: r.File}
	if s.Name == "" {
		s.Name = r.File
	}
	var took time.Duration
	for _, c := range r.Cases {
		one := junitCase{Name: c.Name, Class: s.Name, Time: seconds(c.Duration)}
		if c.Diff != "" {
			one.Failure = &junitFailure{Message: firstLine(c.Diff), Text: printable(c.Diff + "\n" + c.Log)}
			s.Failed++
		}
		took += c.Duration
		s.Cases = append(s.Cases, one)
	}
	if r.Invalid() {
		var lines []string
		for _, d := range r.Diagnostics {
			if d.Severity == document.SeverityError {
				lines = append(lines, d.String())
			}
		}
		s.Errors = 1
		s.Cases = append(s.Cases, junitCase{Name: "load", Class: s.Name, Time: seconds(0), Error: &junitFailure{
			Message: firstLine(lines[0]), Text: printable(strings.Join(lines, "\n")),
		}})
	}
	s.Tests, s.Time = len(s.Cases), seconds(took)
	return s
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

// printable replaces what XML cannot hold.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0xFFFE || r == 0xFFFF {
			return '\uFFFD'
		}
		return r
	}, text)
}
