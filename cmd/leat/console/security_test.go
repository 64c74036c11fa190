package console

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/pipeline"
)

// protected are the paths that hold something of the pipelines.
var protected = []string{
	"/api/stages",
	"/metrics", "/api/pipelines", "/api/pipelines/test", "/api/pipelines/test/dlq", "/api/pipelines/test/dlq/x",
	"/api/pipelines/test/tail", "/api/events", "/api/openapi.json",
}

func withToken(o *Options, _ *pipeline.Plan) { o.Token = testToken }

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

// An address that others can reach is refused without a token, and a short one is refused
// anywhere. Leaving the host out means the loopback.
func TestAddressNeedsAToken(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", "[::]:0", "192.0.2.1:0", "example.com:0"} {
		if _, err := Serve(Options{Address: address}); !errors.Is(err, ErrNoToken) {
			t.Errorf("%s: %v", address, err)
		}
	}
	if _, err := Serve(Options{Address: "127.0.0.1:0", Token: "short"}); err == nil {
		t.Error("a short token was taken")
	}
	if _, err := Serve(Options{Address: "8080"}); err == nil {
		t.Error("an address without a port was taken")
	}
	w := newWorld(t, func(o *Options, _ *pipeline.Plan) { o.Address = ":0" })
	if !strings.HasPrefix(w.server.Address(), "127.0.0.1:") {
		t.Error(w.server.Address())
	}
}

// Without the token, or with a wrong one, nothing of the pipelines is told or changed; it
// counts in the header alone. The page, health and readiness are open and tell nothing.
func TestTokenGuardsEverythingOfThePipelines(t *testing.T) {
	w := newWorld(t, withToken)
	wrong := []func(*http.Request){
		func(*http.Request) {},
		header("Authorization", "Bearer wrong"),
		header("Authorization", "Bearer "+testToken+"x"),
		header("Authorization", "Bearer "+testToken[1:]),
		header("Authorization", testToken),
		header("Authorization", "Basic "+testToken),
		header("Cookie", "token="+testToken),
		func(r *http.Request) { r.URL.RawQuery = "token=" + testToken + "&access_token=" + testToken },
	}
	for i, change := range wrong {
		for _, path := range protected {
			if status, text, h := w.ask("GET", path, "", change); status != http.StatusUnauthorized || strings.Contains(text, "pipeline\"") || h.Get("WWW-Authenticate") == "" {
				t.Errorf("wrong token %d: GET %s: %d %s", i, path, status, text)
			}
		}
		for _, verb := range []string{"pause", "resume", "drain", "replay", "dlq/purge"} {
			if status, text, _ := w.ask("POST", "/api/pipelines/test/"+verb, "{}", change); status != http.StatusUnauthorized {
				t.Errorf("wrong token %d: POST %s: %d %s", i, verb, status, text)
			}
		}
	}
	if s := w.engine.Status().State; s != "running" {
		t.Error("somebody without the token changed the state to", s)
	}
	right := header("Authorization", "Bearer "+testToken)
	if status, _, _ := w.ask("GET", "/api/pipelines", "", right); status != http.StatusOK {
		t.Error("the right token:", status)
	}
	for _, path := range []string{"/", "/assets/app.js", "/healthz", "/readyz"} {
		if status, text, _ := w.ask("GET", path, ""); status != http.StatusOK || strings.Contains(text, `"test"`) {
			t.Errorf("GET %s: %d %s", path, status, text)
		}
	}
}

// On the loopback a request under another name is refused: a page of another site whose
// name was made to resolve to this address (DNS rebinding) learns nothing.
func TestHostMustNameTheLoopback(t *testing.T) {
	w := newWorld(t)
	_, port, _ := net.SplitHostPort(w.server.Address())
	ask := func(host string) int {
		status, _, _ := w.ask("GET", "/api/pipelines", "", func(r *http.Request) { r.Host = host })
		return status
	}
	for _, host := range []string{
		"evil.example", "evil.example:" + port, "127.0.0.1.evil.example:" + port, "localhost.evil.example", "10.0.0.1:" + port,
		"0.0.0.0:" + port, "[::2]:" + port, "2130706433:" + port, "127.0.0.1@evil.example",
	} {
		if status := ask(host); status != http.StatusMisdirectedRequest && status != http.StatusBadRequest {
			t.Error(host, status)
		}
	}
	for _, host := range []string{"127.0.0.1", "127.0.0.1:" + port, "localhost:" + port, "LOCALHOST", "[::1]:" + port, "127.1.2.3"} {
		if status := ask(host); status != http.StatusOK {
			t.Error(host, status)
		}
	}
}

// A page of another origin can neither read (no answer to CORS, not even to a preflight)
// nor change anything; its requests are refused though they come from a browser that can
// reach the loopback. The console's own page can.
func TestOtherOriginsCannotSteer(t *testing.T) {
	w := newWorld(t)
	for _, foreign := range []func(*http.Request){
		header("Origin", "http://evil.example"), header("Sec-Fetch-Site", "cross-site"),
		header("Sec-Fetch-Site", "same-site"), header("Origin", "null"),
	} {
		for _, verb := range []string{"pause", "drain", "dlq/purge", "replay"} {
			if status, text, h := w.ask("POST", "/api/pipelines/test/"+verb, `{"all": true}`, foreign); status != http.StatusForbidden || h.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("POST %s: %d %s", verb, status, text)
			}
		}
	}
	status, _, h := w.ask("OPTIONS", "/api/pipelines/test/pause", "", header("Origin", "http://evil.example"), header("Access-Control-Request-Method", "POST"))
	if status < 400 || h.Get("Access-Control-Allow-Origin")+h.Get("Access-Control-Allow-Methods") != "" {
		t.Error("a preflight was answered:", status, h)
	}
	if _, _, h := w.ask("GET", "/api/pipelines", "", header("Origin", "http://evil.example")); h.Get("Access-Control-Allow-Origin") != "" {
		t.Error("a foreign origin may read")
	}
	own := header("Origin", "http://"+w.server.Address())
	if status, text, _ := w.ask("POST", "/api/pipelines/test/pause", "{}", own); status != http.StatusAccepted {
		t.Error("the page itself:", status, text)
	}
	w.engine.Resume()
}

// A body beyond its bound, one with a key that does not exist, two values or no JSON at
// all is refused before anything is done. The refusal of a key, in a body or a query, names the
// nearest that there is.
func TestBodiesAreBoundedAndStrict(t *testing.T) {
	w := newWorld(t)
	w.emit(`{"bad":1}`)
	for body, want := range map[string]int{
		`{"ids": ["` + strings.Repeat("x", bodyMost) + `"]}`: http.StatusRequestEntityTooLarge,
		`{"id": ["a"], "all": true}`:                         http.StatusBadRequest,
		`{"all": true} {"all": true}`:                        http.StatusBadRequest,
		`{"all": true}}`:                                     http.StatusBadRequest,
		`all`:                                                http.StatusBadRequest,
		``:                                                   http.StatusBadRequest,
		`{}`:                                                 http.StatusBadRequest, // nothing was asked for in particular
		`{"all": true, "node": "check"}`:                     http.StatusBadRequest,
		`{"since": "yesterday"}`:                             http.StatusBadRequest,
	} {
		if status, text, _ := w.ask("POST", "/api/pipelines/test/dlq/purge", body); status != want {
			t.Errorf("%.40s: %d %s", body, status, text)
		}
	}
	for _, c := range []struct{ method, path, body, want string }{
		{"POST", "dlq/purge", `{"al": true}`, `did you mean \"all\"?`},
		{"POST", "dlq/purge", `{"nod": "check"}`, `did you mean \"node\"?`},
		{"POST", "replay", `{"dryrun": true}`, `did you mean \"dry_run\"?`},
		{"POST", "replay", `{"kid": "guest", "delete": true}`, `did you mean \"kind\"?`},
		{"POST", "replay?dry_run=true", `{"ids": ["x"]}`, `unknown key \"dry_run\" at the query`},
		{"POST", "replay", `{"ids": []}`, `ids is empty`}, // a selection that came out empty is not all that there is
		{"POST", "replay", `{"ids": [], "dry_run": true}`, `ids is empty`},
		{"POST", "dlq/purge", `{"ids": [], "node": "check"}`, `ids is empty`},
		{"POST", "pause", `{"for": "1m"}`, `unknown key \"for\"`},
		{"POST", "drain?now", ``, `unknown key \"now\"`},
		{"GET", "dlq?nod=check", ``, `did you mean \"node\"?`},
		{"GET", "tail?rates=1", ``, `did you mean \"rate\"?`},
	} {
		status, text, _ := w.ask(c.method, "/api/pipelines/test/"+c.path, c.body)
		if status != http.StatusBadRequest || !strings.Contains(text, c.want) {
			t.Errorf("%s %s: %d %s", c.path, c.body, status, text)
		}
	}
	if l := get[letterListJSON](w, "/api/pipelines/test/dlq"); l.Selected != 1 {
		t.Errorf("%+v", l)
	}
	if state := w.engine.Status().State; state != engine.StateRunning {
		t.Error("a refused request left the run", state)
	}
}

// Who sends its request byte by byte, or nothing at all, loses the connection, and others
// are served meanwhile; headers are bounded too.
func TestSlowAndLargeRequestsEnd(t *testing.T) {
	w := newWorld(t, func(o *Options, _ *pipeline.Plan) {
		o.limits = limits{header: time.Second, request: time.Second, idle: time.Second}
	})
	for name, start := range map[string]string{
		"silent": "", "half a header": "GET /healthz HTTP/1.1\r\nHost: 127", "half a body": "POST /api/pipelines/test/replay HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{",
		"idle": "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
	} {
		conn, err := net.Dial("tcp", w.server.Address())
		w.must(err)
		_, err = io.WriteString(conn, start)
		w.must(err)
		if status, _, _ := w.ask("GET", "/healthz", ""); status != http.StatusOK {
			t.Errorf("%s: others get %d", name, status)
		}
		w.must(conn.SetReadDeadline(time.Now().Add(30 * time.Second)))
		if _, err := io.Copy(io.Discard, conn); err != nil && !errors.Is(err, net.ErrClosed) && strings.Contains(err.Error(), "timeout") {
			t.Errorf("%s: the connection stays: %v", name, err)
		}
		w.must(conn.Close())
	}
	request, err := http.NewRequest("GET", "http://"+w.server.Address()+"/healthz", nil)
	w.must(err)
	request.Header.Set("X-Large", strings.Repeat("x", 4*headerMost))
	if response, err := http.DefaultClient.Do(request); err == nil { // else it was cut off while it wrote
		w.must(response.Body.Close())
		if response.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
			t.Error("large headers:", response.Status)
		}
	}
}

// A stream beyond the bound is refused; one that ends makes room.
func TestStreamsAreBounded(t *testing.T) {
	w := newWorld(t)
	var open []*http.Response
	for range streamsMost {
		response, err := http.Get("http://" + w.server.Address() + "/api/events")
		w.must(err)
		_, err = bufio.NewReader(response.Body).ReadString('\n')
		w.must(err)
		open = append(open, response)
	}
	if status, _, h := w.ask("GET", "/api/pipelines/test/tail", ""); status != http.StatusServiceUnavailable || h.Get("Retry-After") == "" {
		t.Error("one more:", status)
	}
	for _, response := range open {
		w.must(response.Body.Close())
	}
	w.eventually("the streams' room is free", func() bool { return len(w.server.streams) == 0 })
}

// A path leads to what is in the tables and to nothing else.
func TestPathTricks(t *testing.T) {
	w := newWorld(t)
	for _, path := range []string{
		"/assets/../openapi.json", "/assets/..%2f..%2fgo.mod", "/assets/%2e%2e/%2e%2e/etc/passwd", "/assets/....//page.go", "/assets/",
		"/assets/app.js%00.css", "/assets/index.html/", "/page/index.html", "//etc/passwd", "/api/pipelines/..", "/api/pipelines/test%2f..%2fother",
		"/api/pipelines/test/dlq/..%2f..", "/api/pipelines/nobody", "/api/pipelines/nobody/tail", "/debug/pprof/", "/api", "/index.html",
	} {
		conn, err := net.Dial("tcp", w.server.Address()) // as it is written: a client would tidy it
		w.must(err)
		_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n", path)
		w.must(err)
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		w.must(err)
		text, _ := io.ReadAll(response.Body)
		_ = conn.Close()
		redirect := response.StatusCode/100 == 3 && strings.HasPrefix(response.Header.Get("Location"), "/") && !strings.HasPrefix(response.Header.Get("Location"), "//")
		if response.StatusCode < 400 && !redirect || strings.Contains(string(text), "root:") || strings.Contains(string(text), "module ") {
			t.Errorf("GET %s: %d %s %.80s", path, response.StatusCode, response.Header.Get("Location"), text)
		}
	}
	for _, method := range []string{"PUT", "DELETE", "PATCH", "TRACE", "POST"} {
		if status, _, _ := w.ask(method, "/api/pipelines/test", ""); status != http.StatusMethodNotAllowed {
			t.Error(method, status)
		}
	}
}

// Whatever is answered forbids scripts of others, frames, guesses of types and copies.
func TestEveryAnswerCarriesTheHeaders(t *testing.T) {
	w := newWorld(t)
	for _, path := range []string{"/", "/assets/app.js", "/metrics", "/api/pipelines", "/nothing", "/api/pipelines/test/dlq/none"} {
		_, _, h := w.ask("GET", path, "")
		policy := h.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"} {
			if !strings.Contains(policy, want) {
				t.Errorf("%s: policy %q", path, policy)
			}
		}
		if strings.Contains(policy, "unsafe") || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Cache-Control") != "no-store" || h.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: %v", path, h)
		}
	}
}

// Markup in a payload and in an error leaves as JSON that no browser takes for a page, and
// the page has no way to make markup of a text: the browser test sees it shown.
func TestMarkupStaysText(t *testing.T) {
	w := newWorld(t)
	w.emit(`{"bad":"</pre><script>alert(1)</script>"}`)
	id := get[letterListJSON](w, "/api/pipelines/test/dlq").Letters[0].ID
	for _, path := range []string{"/api/pipelines/test/dlq", "/api/pipelines/test/dlq/" + id, "/api/pipelines/<script>", "/api/pipelines/test/dlq?since=<script>"} {
		_, text, h := w.ask("GET", path, "")
		if h.Get("Content-Type") != "application/json" || strings.Contains(text, "<script>") {
			t.Errorf("%s: %s %s", path, h.Get("Content-Type"), text)
		}
	}
	markup := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|srcdoc|DOMParser|\.style\s*=|https?://[^w]`)
	entries, err := os.ReadDir("page")
	w.must(err)
	for _, e := range entries {
		text, err := os.ReadFile("page/" + e.Name())
		w.must(err)
		if found := markup.Find(text); found != nil {
			t.Errorf("page/%s: %q", e.Name(), found)
		}
		if strings.HasSuffix(e.Name(), ".html") && regexp.MustCompile(`(?i)<script[^>]*>[^<]|<style|\son[a-z]+=|\sstyle=`).Match(text) {
			t.Errorf("page/%s: script or style inside", e.Name())
		}
	}
}

// What telemetry.redact names does not leave: not in the tail, not in a letter, not in a text
// of a failure that quotes it, in the list, in a letter or after a replay, and not in
// what a dry run shows.
func TestRedactedValuesDoNotLeave(t *testing.T) {
	w := newWorld(t)
	w.emit(`{"bad":"once","secret":"s3cr3t","items":[{"secret":"s3cr3t"}]}`, `s3cr3t is no JSON`, `{"bad":"quote","secret":"s3cr3t"}`)
	tail, err := http.Get("http://" + w.server.Address() + "/api/pipelines/test/tail?rate=40")
	w.must(err)
	w.emit(`{"secret":"s3cr3t"}`)
	in := bufio.NewScanner(tail.Body)
	for in.Scan() && !strings.HasPrefix(in.Text(), "data:") {
	}
	w.must(tail.Body.Close())
	seen := in.Text()
	for _, l := range get[letterListJSON](w, "/api/pipelines/test/dlq").Letters {
		_, text, _ := w.ask("GET", "/api/pipelines/test/dlq/"+l.ID, "")
		_, dry, _ := w.ask("POST", "/api/pipelines/test/replay", `{"dry_run":true,"ids":["`+l.ID+`"]}`)
		_, again, _ := w.ask("POST", "/api/pipelines/test/replay", `{"ids":["`+l.ID+`"]}`)
		seen += text + dry + again
	}
	_, list, _ := w.ask("GET", "/api/pipelines/test/dlq", "")
	seen += list
	if strings.Contains(seen, "s3cr3t") || strings.Count(seen, "***") < 4 {
		t.Error(seen)
	}
	for text, want := range map[string]int{"s3cr3t": 0, "s3c": 0, "***": 1, "it is bad": 2} {
		if n := get[letterListJSON](w, "/api/pipelines/test/dlq?text="+url.QueryEscape(text)).Selected; n != want {
			t.Errorf("%d reasons are said to hold %q, %d do as they are shown", n, text, want)
		}
	}
}
