package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// Client speaks with a run. It is safe for concurrent use.
type Client struct{ http *http.Client }

// Dial returns a client of the socket at address, as the lease names it. It does not
// connect yet.
func Dial(address string) *Client {
	var d net.Dialer
	return &Client{http: &http.Client{Transport: &http.Transport{
		IdleConnTimeout: clientIdleFor,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return d.DialContext(ctx, "unix", address)
		},
	}}}
}

// Close releases the idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Status asks what the run is doing.
func (c *Client) Status(ctx context.Context) (s engine.RunStatus, err error) {
	return s, c.call(ctx, http.MethodGet, "/status", nil, &s)
}

// Letters calls fn with every dead letter, the oldest first, until fn returns an error,
// which it then returns.
func (c *Client) Letters(ctx context.Context, fn func(store.DeadLetter) error) error {
	response, err := c.send(ctx, http.MethodGet, "/dlq", nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	for in := json.NewDecoder(response.Body); ; {
		var l store.DeadLetter
		if err := in.Decode(&l); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("control: read the dead letters: %w", err)
		}
		if err := fn(l); err != nil {
			return err
		}
	}
}

// DeleteLetters removes letters for good.
func (c *Client) DeleteLetters(ctx context.Context, ids ...string) error {
	return c.call(ctx, http.MethodPost, "/dlq/delete", lettersRequest{IDs: ids}, &struct{}{})
}

// Row reads a row of the spool, committed or not. One that the spool has not is
// store.ErrNotFound.
func (c *Client) Row(ctx context.Context, seq runtime.Seq) (row store.Row, err error) {
	return row, c.call(ctx, http.MethodGet, fmt.Sprintf("/spool/%d", seq), nil, &row)
}

// Replay replays the named letters through the run and waits until they are committed.
// at overrides the node, remove deletes the letters that then committed.
func (c *Client) Replay(ctx context.Context, ids []string, at string, remove bool) (r engine.ReplayResult, err error) {
	return r, c.call(ctx, http.MethodPost, "/replay", replayRequest{IDs: ids, At: at, Delete: remove}, &r)
}

// ReplayWindow replays committed rows of the spool through the run and waits until they are
// committed again. at overrides where they enter. A window that cannot be replayed is
// engine.ErrWindow.
func (c *Client) ReplayWindow(ctx context.Context, window engine.Window, at string) (r engine.ReplayResult, err error) {
	return r, c.call(ctx, http.MethodPost, "/replay", replayRequest{Window: &window, At: at}, &r)
}

// Ask reads what the run offers at path (Server.Offer).
func (c *Client) Ask(ctx context.Context, path string, into any) error {
	return c.call(ctx, http.MethodGet, path, nil, into)
}

// Drain asks the run to end once what is in flight is done. It does not wait for that.
func (c *Client) Drain(ctx context.Context) error {
	return c.call(ctx, http.MethodPost, "/drain", struct{}{}, nil)
}

func (c *Client) call(ctx context.Context, method, path string, body, into any) error {
	response, err := c.send(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if into == nil {
		return nil
	}
	if err := json.NewDecoder(response.Body).Decode(into); err != nil {
		return fmt.Errorf("control: read the answer of %s: %w", path, err)
	}
	return nil
}

// send returns a response that is no refusal; the caller closes its body.
func (c *Client) send(ctx context.Context, method, path string, body any) (*http.Response, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("control: write the request of %s: %w", path, err)
	}
	request, err := http.NewRequestWithContext(ctx, method, "http://run"+path, bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("control: %w", err)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, fmt.Errorf("control: ask the run: %w", err)
	}
	if response.StatusCode < 300 {
		return response, nil
	}
	defer response.Body.Close()
	var refused refusal
	_ = json.NewDecoder(response.Body).Decode(&refused) // the status says enough
	if response.StatusCode == http.StatusRequestedRangeNotSatisfiable {
		return nil, fmt.Errorf("control: %w%s", engine.ErrWindow, strings.TrimPrefix(refused.Error, engine.ErrWindow.Error()))
	}
	if known := codes[refused.Code]; known != nil {
		return nil, &refusedError{refused.Error, known}
	}
	return nil, fmt.Errorf("control: the run refuses %s: %s (%s)", path, refused.Error, response.Status)
}

// refusedError is an error of the other process that is told apart by its code.
type refusedError struct {
	text  string
	known error
}

func (e *refusedError) Error() string { return e.text }
func (e *refusedError) Unwrap() error { return e.known }
