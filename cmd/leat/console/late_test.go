package console

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/store"
)

// twoPipelines is a console on the running pipelines test and other. What test's letters hold says one,
// what other's say two.
func twoPipelines(t *testing.T) (one, two *world, server *Server) {
	t.Helper()
	one = newWorld(t)
	two = newWorld(t, func(_ *Options, plan *pipeline.Plan) { plan.Name = "other" })
	server, err := Serve(Options{
		Address: "127.0.0.1:0", Version: "test", Pipelines: append(one.server.opt.Pipelines, two.server.opt.Pipelines...),
		Letter: func(l store.DeadLetter) any {
			return map[string]any{
				"id": l.ID, "node": l.Node, "class": l.Class, "kind": "guest", "created_at": l.CreatedAt.Format(time.RFC3339),
				"reason": l.Reason,
			}
		},
		Show: func(out io.Writer, l store.DeadLetter) { fmt.Fprintf(out, "%s: %s", l.Node, l.Message.Payload) },
	})
	one.must(err)
	t.Cleanup(func() { one.must(server.Close()) })
	one.emit(`{"bad":"quote one-a"}`, `{"bad":"quote one-b"}`)
	two.emit(`{"bad":"quote two-a"}`)
	return one, two, server
}

// lateAnswers lets a test hold the answers to paths that match window.hold until letGo. answered counts the
// held ones that the page has read and acted upon.
const lateAnswers = `
  window.hold = null; window.held = []; window.answered = 0;
  const real = window.fetch;
  window.fetch = async (path, options) => {
    const holds = window.hold && window.hold.test(path), response = await real(path, options);
    if (!holds) return response;
    await new Promise(go => window.held.push(go));
    const json = response.json.bind(response);
    response.json = async () => { const value = await json(); setTimeout(() => window.answered++); return value; };
    return response;
  };
  window.letGo = () => { window.hold = null; window.held.splice(0).forEach(go => go()); };
`

// holding has answers to paths that match come late, after between.
func (v *visit) holding(what, path, act string, between func()) {
	v.Helper()
	v.script(`window.answered = 0; window.hold = new RegExp(` + fmt.Sprintf("%q", path) + `); ` + act)
	v.until(what+": it is asked", `window.held.length > 0`)
	between()
	v.script(`window.letGo()`)
	v.until(what+": it is answered", `window.answered > 0`)
}

// is checks what is true at this moment.
func (v *visit) is(what, condition string) {
	v.Helper()
	if ok, err := chromedp.Run(v.ctx, chromedp.Evaluate[bool]("Boolean("+condition+")")); err != nil || !ok {
		v.Errorf("%s: not so: %s (%v)", what, condition, err)
	}
}

func (v *visit) tab(name string) {
	v.Helper()
	v.script(fmt.Sprintf(`[...document.querySelectorAll('#tabs button')].find(b => b.textContent === %q).click()`, name))
	v.until("the tab "+name, fmt.Sprintf(`document.title.startsWith(%q)`, name+":"))
}

func (v *visit) letters(words string, many int) {
	v.Helper()
	v.until("letters of "+words, fmt.Sprintf(`document.querySelectorAll('#rows tr').length === %d &&
		[...document.querySelectorAll('#rows tr')].every(row => row.textContent.includes(%q))`, many, words))
}

// openLetter opens the nth letter of the list.
func (v *visit) openLetter(n int) {
	v.Helper()
	v.script(fmt.Sprintf(`document.querySelectorAll('#rows button')[%d].click()`, n))
	v.until("a letter is open", `document.querySelector('#letter').open`)
}

func (v *visit) closeLetter() {
	v.Helper()
	v.script(`document.querySelector('#letter form button').click()`)
	v.until("it is closed", `!document.querySelector('#letter').open`)
}

// An answer that comes after the view changed is dropped: the list of another pipeline, a letter that was
// closed or left, what a try said of another letter, what was done to another pipeline. What was armed for
// one thing is not armed for the next, and a tail ends with its tab. The address may hold anything.
func TestBrowserDropsWhatIsNoLongerAskedFor(t *testing.T) {
	v := browse(t)
	one, _, server := twoPipelines(t)
	v.do("open the page", chromedp.EmulateViewport(1280, 900), chromedp.Navigate(server.URL()+"#%"))
	v.until("it is live", `document.querySelector('#link').textContent === 'live'`)
	v.script(lateAnswers)
	v.letters("one-", 2)
	change := `document.querySelector('#filters').dispatchEvent(new Event('input'))`

	v.holding("the list of a pipeline that was left", "/test/dlq\\?", change, func() {
		v.tab("other")
		v.letters("two-", 1)
	})
	v.is("its letters stay away", `document.querySelector('#rows').textContent.includes('two-') && !document.querySelector('#rows').textContent.includes('one-')`)

	v.holding("the list of a filter that was changed", "/other/dlq\\?", change, func() {
		v.script(`document.querySelector('#filters').elements.text.value = 'nothing'; ` + change)
	})
	v.until("the filter holds", `document.querySelectorAll('#rows tr').length === 0`)
	v.script(`document.querySelector('#filters').reset(); ` + change)
	v.letters("two-", 1)

	v.script(`window.focused = document.querySelector('#rows button'); window.focused.focus()`)
	v.holding("a list that is under somebody's hand", "/other/dlq\\?", change, func() {})
	v.is("it stays there", `document.activeElement === window.focused && window.focused.isConnected`)

	v.holding("a letter of a pipeline that was left", "/other/dlq/", `document.querySelector('#rows button').click()`, func() { v.tab("test") })
	v.is("it does not open", `!document.querySelector('#letter').open`)
	v.letters("one-", 2)

	v.openLetter(0)
	v.script(`document.querySelector('#delete').click()`)
	v.is("delete is armed", `document.querySelector('#delete').textContent.includes('sure')`)
	v.holding("the try of a letter that was closed", "/test/replay", `document.querySelector('#dry').click()`, func() {
		v.closeLetter()
		v.openLetter(1)
		v.is("delete is not armed for it", `document.querySelector('#delete').textContent === 'Delete'`)
	})
	v.is("the other letter was not tried", `document.querySelector('#replay').disabled && document.querySelector('#result').textContent === ''`)
	v.script(`document.querySelector('#letter').dispatchEvent(new Event('close')); document.querySelector('#dry').click()`)
	v.until("and can be, also when word of the first one's end comes late", `document.querySelector('#result .verdict.same')`)
	v.closeLetter()
	v.openLetter(0)
	v.script(`document.querySelector('#delete').click(); document.querySelector('#letter').close()`)
	v.script(`document.querySelectorAll('#rows button')[1].click()`)
	v.until("another is open", `document.querySelector('#letter').open && document.querySelector('#letter-text').textContent.includes('one-a')`)
	v.is("delete is not armed for it", `document.querySelector('#delete').textContent === 'Delete'`)
	v.closeLetter()

	v.holding("the try of a list that was left", "/test/replay", `document.querySelector('#dry-all').click()`, func() {
		v.tab("other")
		v.letters("two-", 1)
	})
	v.is("the other list was not tried", `document.querySelector('#replay-all').disabled && document.querySelector('#all-result').textContent === ''`)
	v.tab("test")

	v.script(`document.querySelector('#drain').click()`)
	v.holding("the pause of a pipeline that was left", "/test/pause", `document.querySelector('#pause').click()`, func() { v.tab("other") })
	v.is("the other is not paused", `document.querySelector('#state').textContent === 'running'`)
	v.is("nor is its drain armed", `document.querySelector('#drain').textContent === 'Drain'`)
	v.tab("test")
	v.until("it is paused", `document.querySelector('#state').textContent === 'paused'`)
	v.script(`document.querySelector('#pause').click()`)
	v.until("it goes on", `document.querySelector('#state').textContent === 'running'`)

	v.script(`document.querySelector('#tail-switch').click()`)
	one.eventually("the tail is open", func() bool { return len(server.streams) == 2 })
	one.emit(`{"n":"one-tail"}`)
	v.until("a message comes", `document.querySelector('#messages').textContent.includes('one-tail')`)
	v.tab("other")
	v.until("the tail ended", `document.querySelector('#messages').children.length === 0 && document.querySelector('#tail-switch').getAttribute('aria-pressed') === 'false'`)
	one.eventually("its stream too", func() bool { return len(server.streams) == 1 })
	v.script(`document.querySelector('#tail-switch').click(); document.querySelector('#tail-switch').click(); document.querySelector('#tail-switch').click()`)
	one.eventually("a new one is open, and no more", func() bool { return len(server.streams) == 2 })
	v.is("it is switched on", `document.querySelector('#tail-switch').textContent === 'Stop'`)
	v.do("an address of another pipeline is followed", chromedp.Evaluate[chromedp.Void](`location.hash = '#test'; undefined`))
	v.until("it is looked at", `document.title.startsWith('test:')`)
	v.script(`location.hash = '#main'`)
	v.letters("one-", 2)
	if !strings.HasPrefix(v.text("title"), "test:") {
		t.Error("an anchor of the page changes the pipeline:", v.text("title"))
	}
}
