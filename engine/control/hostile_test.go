package control

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/leat-run/leat/engine"
)

// Whoever may open the socket may send anything: it is refused with a reason, nothing is replayed
// or deleted, and the run goes on answering.
func TestHostileRequests(t *testing.T) {
	st, e := running(t)
	ended := make(chan engine.Outcome)
	go func() { ended <- e.Run(context.Background()) }()
	s, err := Serve(t.TempDir(), e, st)
	must(t, err)
	for _, c := range []struct {
		method, path, body string
		want               int
	}{
		{"POST", "/replay", "", 400},
		{"POST", "/replay", "{", 400},
		{"POST", "/replay", `{"ids":[`, 400},
		{"POST", "/replay", `{"ids":"a"}`, 400},
		{"POST", "/replay", `{"ids":[1]}`, 400},
		{"POST", "/replay", `{"window":{"from":-1,"to":1}}`, 400},
		{"POST", "/replay", `{"window":{"from":18446744073709551616,"to":1}}`, 400},
		{"POST", "/replay", `{"window":{"from":0,"to":0}}`, 416},
		{"POST", "/replay", `{"window":{"from":1,"to":18446744073709551615}}`, 416},
		{"POST", "/replay", `{"window":{"from":1,"to":1},"ids":["a"]}`, 416},
		{"POST", "/replay", `{"ids":["a"],"at":"nowhere"}`, 409},
		{"POST", "/replay", `{}`, 200}, // none is not all
		{"POST", "/replay", `{"ids":[]}`, 200},
		{"POST", "/replay", `null`, 400},
		{"POST", "/dlq/delete", "", 400},
		{"POST", "/dlq/delete", `{}`, 200},
		{"POST", "/dlq/delete", `{"ids":["", "nobody"]}`, 200},
		{"GET", "/replay", "", 405},
		{"GET", "/drain", "", 405},
		{"DELETE", "/dlq", "", 405},
		{"GET", "/nothing", "", 404},
		{"GET", "/spool/-1", "", 400},
		{"GET", "/spool/18446744073709551616", "", 400},
	} {
		name := fmt.Sprintf("%s %s %.60s", c.method, c.path, c.body)
		status, body := request(t, s.Address(), c.method, c.path, c.body)
		if status != c.want {
			t.Errorf("%s: %d %s, want %d", name, status, body, c.want)
		}
		if status >= 400 && status != 404 && status != 405 && !strings.Contains(body, `"error":"`) {
			t.Errorf("%s: refused without a reason: %q", name, body)
		}
	}
	if _, body := request(t, s.Address(), "GET", "/dlq", ""); strings.Count(body, "\n") != 2 {
		t.Errorf("letters are gone: %s", body)
	}
	if got := e.Status(); got.Injected != 0 || got.State != engine.StateRunning {
		t.Errorf("the run is %+v", got)
	}
	e.Drain()
	<-ended
	must(t, s.Close())
}

// request sends one request as it is.
func request(t *testing.T, address, method, path, body string) (status int, text string) {
	t.Helper()
	conn, err := net.Dial("unix", address)
	must(t, err)
	defer conn.Close()
	go func() {
		_, _ = fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: run\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", method, path, len(body), body)
	}()
	answer, err := io.ReadAll(conn)
	if len(answer) == 0 {
		must(t, err)
	}
	head, rest, _ := bytes.Cut(answer, []byte("\r\n\r\n"))
	_, err = fmt.Sscanf(string(head), "HTTP/1.1 %d", &status)
	must(t, err)
	return status, string(rest)
}
