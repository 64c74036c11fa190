package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// consoleOf reads from a run's standard error where its console is.
func consoleOf(ts *testscript.TestScript, name string) string {
	found := regexp.MustCompile(`console: (http://\S+)/`).FindStringSubmatch(ts.ReadFile(name))
	if found == nil {
		ts.Fatalf("%s names no console", name)
	}
	return found[1]
}

// askConsole sends GET, or POST where there is a body, and returns the whole answer.
func askConsole(ts *testscript.TestScript, url string, body ...string) []byte {
	request, err := http.NewRequest(http.MethodGet, url, nil)
	if len(body) > 0 {
		request, err = http.NewRequest(http.MethodPost, url, strings.NewReader(body[0]))
	}
	ts.Check(err)
	defer http.DefaultClient.CloseIdleConnections()
	response, err := http.DefaultClient.Do(request)
	ts.Check(err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	ts.Check(err)
	return text
}

func cmdFetch(ts *testscript.TestScript, neg bool, args []string) {
	wants(ts, neg, args, 3, "fetch ERR PATH FILE [BODY]")
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), askConsole(ts, consoleOf(ts, args[0])+args[1], args[3:]...), 0o600))
}

func cmdPatient(ts *testscript.TestScript, neg bool, args []string) {
	wants(ts, neg, args, 4, "patient ERR PATH FILE REGEXP")
	pattern, err := regexp.Compile(args[3])
	ts.Check(err)
	var text []byte
	if eventually(func() bool {
		text = askConsole(ts, consoleOf(ts, args[0])+args[1])
		return pattern.Match(text)
	}) {
		ts.Check(os.WriteFile(ts.MkAbs(args[2]), text, 0o600))
		return
	}
	ts.Fatalf("%s never had %s: %s", args[1], args[3], text)
}

// cmdLetter takes the newest dead letter that the console has: its fields to FILE.json, its
// text to FILE.txt.
func cmdLetter(ts *testscript.TestScript, neg bool, args []string) {
	wants(ts, neg, args, 3, "letter ERR PIPELINE FILE")
	url := consoleOf(ts, args[0]) + "/api/pipelines/" + args[1] + "/dlq"
	var list struct{ Letters []struct{ ID string } }
	ts.Check(json.Unmarshal(askConsole(ts, url), &list))
	if len(list.Letters) == 0 {
		ts.Fatalf("there is no dead letter")
	}
	var one struct {
		Letter json.RawMessage
		Text   string
	}
	ts.Check(json.Unmarshal(askConsole(ts, url+"/"+list.Letters[0].ID), &one))
	fields := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(one.Letter)) // a console escapes markup
	ts.Check(os.WriteFile(ts.MkAbs(args[2]+".json"), []byte(fields+"\n"), 0o600))
	ts.Check(os.WriteFile(ts.MkAbs(args[2]+".txt"), []byte(one.Text), 0o600))
}

func cmdBegins(ts *testscript.TestScript, neg bool, args []string) {
	wants(ts, neg, args, 2, "begins FILE START")
	if whole, start := ts.ReadFile(args[0]), ts.ReadFile(args[1]); start == "" || !strings.HasPrefix(whole, start) {
		ts.Fatalf("%s:\n%s\ndoes not begin with\n%s", args[0], whole, start)
	}
}
