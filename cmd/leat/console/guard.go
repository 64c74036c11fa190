package console

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

// guard decides who may ask. It stands before every handler:
//
//	loopback address   Host must name the loopback, so that a page of another site whose
//	                   name resolves to it (DNS rebinding) is refused
//	any other address  Authorization: Bearer TOKEN, but for what is open to all (route.open)
//	both               a request that changes something is refused if a page of another
//	                   origin sent it; nothing answers to CORS
type guard struct {
	loopback bool
	token    [sha256.Size]byte // of the token; its length is not told by the time of a compare
	asks     bool
	origin   *http.CrossOriginProtection
}

func newGuard(host, token string) (guard, error) {
	g := guard{loopback: isLoopback(host), asks: token != "", token: sha256.Sum256([]byte(token)), origin: http.NewCrossOriginProtection()}
	switch {
	case !g.loopback && token == "":
		return g, fmt.Errorf("%w: %s", ErrNoToken, host)
	case g.asks && len(token) < tokenLeast:
		return g, fmt.Errorf("console: the token has %d characters, at least %d are needed", len(token), tokenLeast)
	}
	return g, nil
}

// isLoopback is about the text: "localhost" is a name that others could answer for, and
// stands for itself alone.
func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && address.Unmap().IsLoopback()
}

// around puts what is true of every answer, and of every request, before next.
func (g *guard) around(next http.Handler) http.Handler {
	protected := g.origin.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		setHeaders(w.Header())
		r.Body = http.MaxBytesReader(w, r.Body, bodyMost)
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(answerTime)) // HTTP/1 can
		if g.loopback && !isLoopback(hostOf(r.Host)) {
			refuse(w, http.StatusMisdirectedRequest, "this console answers on the loopback only: use 127.0.0.1 or localhost in the address")
			return
		}
		protected.ServeHTTP(w, r)
	})
}

// allows says whether the request has the token, where one is asked for. A query or a
// cookie is no place for it: both end up in logs and histories.
func (g *guard) allows(r *http.Request) bool {
	if !g.asks {
		return true
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	given := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(given[:], g.token[:]) == 1 && strings.EqualFold(scheme, "Bearer")
}

func hostOf(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return host
	}
	return hostport
}

// setHeaders forbids what the page does not do: scripts and styles of its own only, in no
// frame, with no guessing of types and no copy kept.
func setHeaders(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "+
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}
