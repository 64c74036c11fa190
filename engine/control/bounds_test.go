package control

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
)

// pipes is a listener whose connections are pipes in memory, so that time is the test's.
type pipes struct {
	offered chan net.Conn
	closed  chan struct{}
	once    sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.offered:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error { p.once.Do(func() { close(p.closed) }); return nil }
func (*pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipes", Net: "unix"} }

// dial offers a connection and returns the client's end; accepted says whether the server took it.
func (p *pipes) dial() (client net.Conn, accepted chan struct{}) {
	client, server := net.Pipe()
	accepted = make(chan struct{})
	go func() {
		select {
		case p.offered <- server:
			close(accepted)
		case <-p.closed:
		}
	}()
	return client, accepted
}

func is(closed chan struct{}) bool {
	synctest.Wait()
	select {
	case <-closed:
		return true
	default:
		return false
	}
}

// bounded runs test with a server over pipes, in a time of its own.
func bounded(t *testing.T, test func(t *testing.T, p *pipes)) {
	synctest.Test(t, func(t *testing.T) {
		p := &pipes{offered: make(chan net.Conn), closed: make(chan struct{})}
		s := &Server{}
		mux := http.NewServeMux()
		mux.HandleFunc("POST /read", func(w http.ResponseWriter, r *http.Request) {
			var q lettersRequest
			if read(w, r, &q) {
				answer(w, q)
			}
		})
		s.accept(p, mux)
		test(t, p)
		must(t, s.Close())
	})
}

// Connections beyond the bound are not taken in, however many are opened, and one that says
// nothing is closed in time to let the next one in.
func TestConnectionsAreBounded(t *testing.T) {
	bounded(t, func(t *testing.T, p *pipes) {
		for range connectionsMost {
			idle, accepted := p.dial()
			if !is(accepted) {
				t.Fatal("a connection below the bound was not taken in")
			}
			defer idle.Close()
		}
		client, accepted := p.dial()
		defer client.Close()
		if is(accepted) {
			t.Fatal("a connection beyond the bound was taken in")
		}
		<-accepted // once the idle ones are closed
		if got := ask(t, client, `{"ids":["a"]}`); got != `200 {"ids":["a"]}` {
			t.Error(got)
		}
	})
}

// A connection is not kept for ever: not between two requests, not for headers and not for a body
// that never come. Without the bounds the reads below would be a deadlock, which the bubble reports.
func TestSlowClientsAreCutOff(t *testing.T) {
	for name, sent := range map[string]string{
		"nothing":         "",
		"half a header":   "POST /read HTTP/1.1\r\nHost: ru",
		"half a body":     "POST /read HTTP/1.1\r\nHost: run\r\nContent-Length: 100\r\n\r\n{",
		"a whole request": "POST /read HTTP/1.1\r\nHost: run\r\nContent-Length: 2\r\n\r\n{}",
	} {
		t.Run(name, func(t *testing.T) {
			bounded(t, func(t *testing.T, p *pipes) {
				client, _ := p.dial()
				defer client.Close()
				_, err := io.WriteString(client, sent)
				must(t, err)
				if _, err := io.Copy(io.Discard, client); err != nil && !errors.Is(err, io.ErrClosedPipe) {
					t.Error(err)
				}
			})
		})
	}
}

// A body is bounded, and a key that the request does not have is refused with the nearest one.
func TestBodiesAreStrict(t *testing.T) {
	bounded(t, func(t *testing.T, p *pipes) {
		for body, want := range map[string]string{
			`{"idds":["a"]}`:   `400 {"error":"the body is not what this request takes: unknown key \"idds\": did you mean \"ids\"?"}`,
			`{"ids":["a"]} {}`: `400 {"error":"the body is not what this request takes: something follows the JSON value"}`,
			`{"ids":["` + strings.Repeat("x", bodyMost) + `"]}`: `413 {"error":"the body is larger than 16777216 bytes"}`,
		} {
			client, _ := p.dial()
			if got := ask(t, client, body); got != want {
				t.Errorf("%.40s: %s", body, got)
			}
			_ = client.Close()
		}
	})
}

func ask(t *testing.T, client net.Conn, body string) string {
	t.Helper()
	go func() { // the server may answer before it has read all
		_, _ = fmt.Fprintf(client, "POST /read HTTP/1.1\r\nHost: run\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	}()
	response, err := http.ReadResponse(bufio.NewReader(client), nil)
	must(t, err)
	text, err := io.ReadAll(response.Body)
	must(t, err)
	return fmt.Sprint(response.StatusCode, " ", strings.TrimSpace(string(text)))
}
