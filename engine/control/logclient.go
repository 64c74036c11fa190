package control

import (
	"context"
	"net/http"
	"net/url"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/stage"
	"github.com/leat-run/leat/store"
)

// LogClient speaks with the process that owns a data dir's log. It is safe for concurrent use.
type LogClient struct{ *Client }

var _ Topics = LogClient{}

// DialLog returns a client of the socket at address, as the log's lease names it. It does not
// connect yet.
func DialLog(address string) LogClient { return LogClient{Dial(address)} }

// List: see Topics.
func (c LogClient) List(ctx context.Context) (all []store.Topic, err error) {
	return all, c.call(ctx, http.MethodGet, "/topics", nil, &all)
}

// Create: see Topics.
func (c LogClient) Create(ctx context.Context, spec store.TopicSpec) (t store.Topic, err error) {
	return t, c.call(ctx, http.MethodPost, "/topics/create", spec, &t)
}

// Delete: see Topics.
func (c LogClient) Delete(ctx context.Context, name string) error {
	return c.call(ctx, http.MethodPost, "/topics/delete", nameRequest{name}, &struct{}{})
}

// Read: see Topics.
func (c LogClient) Read(ctx context.Context, at ReadAt) (records []store.TopicRecord, err error) {
	return records, c.call(ctx, http.MethodPost, "/topics/read", at, &records)
}

// Append: see Topics.
func (c LogClient) Append(ctx context.Context, a Append) (places []Place, err error) {
	return places, c.call(ctx, http.MethodPost, "/topics/append", a, &places)
}

// Stage asks what a stage holds and what blocks it.
func (c LogClient) Stage(ctx context.Context, name string) (s StageState, err error) {
	return s, c.call(ctx, http.MethodGet, "/stages/"+url.PathEscape(name), nil, &s)
}

// DescribeStage asks what the log keeps of a stage that its owner does not run.
func (c LogClient) DescribeStage(ctx context.Context, o stage.Outline) (d stage.Description, err error) {
	return d, c.call(ctx, http.MethodPost, "/stages/describe", o, &d)
}

// StageWaiting asks what the log holds for a stage that its owner does not run.
func (c LogClient) StageWaiting(ctx context.Context, o stage.Outline) (w stage.Waiting, err error) {
	return w, c.call(ctx, http.MethodPost, "/stages/waiting", o, &w)
}

// ReplayStage replays dead letters of a running stage and waits until that is durable.
func (c LogClient) ReplayStage(ctx context.Context, name string, ids ...string) (r engine.ReplayResult, err error) {
	return r, c.call(ctx, http.MethodPost, "/stages/"+url.PathEscape(name)+"/replay", lettersRequest{IDs: ids}, &r)
}
