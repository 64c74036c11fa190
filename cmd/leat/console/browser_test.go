package console

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// visit is a tab of a headless Chromium.
type visit struct {
	*testing.T
	ctx context.Context
}

// browse starts a headless Chromium, or skips and says how to get one.
func browse(t *testing.T) *visit {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes too long for -short")
	}
	var path string
	for _, name := range []string{"google-chrome", "chromium-browser", "chromium"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
		}
	}
	if path == "" {
		if slices.Contains(strings.Fields(os.Getenv("LEAT_TOOLS")), "chromium") {
			t.Fatal("LEAT_TOOLS promises chromium, and there is none on the path")
		}
		t.Skip("NOT TESTED: there is no Chromium on the path; install one: apt-get install -y chromium")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.UserDataDir(t.TempDir()))
	for _, flag := range []string{"disable-quic", "no-first-run", "disable-background-networking", "disable-component-update", "disable-sync"} {
		options = append(options, chromedp.Flag(flag, true))
	}
	allocated, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocated)
	limited, end := context.WithTimeout(ctx, 4*waitMost)
	t.Cleanup(func() { end(); cancel(); stop() })
	return &visit{t, limited}
}

// do runs steps.
func (v *visit) do(what string, steps ...chromedp.Action[chromedp.Void]) {
	v.Helper()
	if err := chromedp.Do(v.ctx, steps...); err != nil {
		v.stuck(what, err)
	}
}

// waitMost bounds the wait for a condition. A loaded machine may be slow; only what never comes waits so long.
const waitMost = 2 * time.Minute

// until waits for a condition on the page.
func (v *visit) until(what, condition string) {
	v.Helper()
	wait := chromedp.Poll[bool]("Boolean("+condition+")", chromedp.WithPollingInterval(100*time.Millisecond), chromedp.WithPollingTimeout(waitMost))
	if _, err := chromedp.Run(v.ctx, wait); err != nil {
		v.stuck(what, fmt.Errorf("%s: %w", condition, err))
	}
}

func (v *visit) text(selector string) string {
	v.Helper()
	text, err := chromedp.Run(v.ctx, chromedp.Evaluate[string]("document.querySelector("+fmt.Sprintf("%q", selector)+").textContent"))
	if err != nil {
		v.stuck(selector, err)
	}
	return text
}

func (v *visit) script(text string) {
	v.Helper()
	if _, err := chromedp.Run(v.ctx, chromedp.Evaluate[chromedp.Void](text+"; undefined")); err != nil {
		v.stuck(text, err)
	}
}

// stuck ends the test with a picture of where it stands.
func (v *visit) stuck(what string, err error) {
	v.Helper()
	if png, failed := chromedp.Run(v.ctx, chromedp.CaptureScreenshot()); failed == nil {
		v.keep("stuck", png)
	}
	v.Fatalf("%s: %v", what, err)
}

// keep makes a picture an artifact of the test (go test -artifacts).
func (v *visit) keep(name string, png []byte) {
	v.Helper()
	path := filepath.Join(v.ArtifactDir(), name+".png")
	if err := os.WriteFile(path, png, 0o600); err != nil {
		v.Fatal(err)
	}
	v.Log("picture:", path)
}

func (v *visit) picture(name string, whole bool) {
	v.Helper()
	shoot := chromedp.CaptureScreenshot()
	if whole {
		shoot = chromedp.FullScreenshot(100)
	}
	png, err := chromedp.Run(v.ctx, shoot)
	if err != nil {
		v.stuck(name, err)
	}
	v.keep(name, png)
}

// look keeps pictures in light, dark and on a phone, and checks that nothing runs over the
// edge of a phone.
func (v *visit) look(name string, whole bool) {
	v.Helper()
	for _, theme := range []string{"light", "dark"} {
		v.script(fmt.Sprintf("document.documentElement.dataset.theme = %q", theme))
		v.picture(name+"-"+theme, whole)
	}
	v.do("phone", chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	v.until("the graph stands upright", `document.querySelector('#graph').classList.contains('upright')`)
	v.picture(name+"-phone", whole)
	over, err := chromedp.Run(v.ctx, chromedp.Evaluate[bool]("document.documentElement.scrollWidth > innerWidth"))
	if err != nil || over {
		v.Error("the page is wider than a phone", err)
	}
	v.do("desk", chromedp.EmulateViewport(1280, 900))
	v.script("document.documentElement.dataset.theme = 'auto'")
}

// A number of the headline, as far as it is one.
func headline(name string) string {
	return fmt.Sprintf(`parseFloat(document.querySelector('#numbers [data-name="%s"] dd').textContent)`, name)
}

// A person's visit with the sample running: rates move, the graph has them on its edges,
// what calls spend is drawn beside the budget; a dead letter is opened by keyboard, tried
// without effect, replayed into the node that failed, and is gone with the counters
// changed. Text that holds markup is text.
func TestBrowserFollowsTheSample(t *testing.T) {
	v := browse(t)
	s := startSample(t)
	v.do("open the page", chromedp.EmulateViewport(1280, 900), chromedp.Navigate(s.URL))
	v.until("it is live", `document.querySelector('#link').textContent === 'live'`)
	v.until("rates move", headline("Committed")+` > 0`)
	v.until("rates are on the edges", `document.querySelectorAll('#graph path.edge.busy').length >= 3`)
	v.until("budgets are drawn", `document.querySelectorAll('#spent-enrich figure line.budget').length === 3`)
	v.until("so is what was spent", `document.querySelectorAll('#spent-score .bar').length > 0`)
	v.until("dead letters are listed", `document.querySelectorAll('#rows tr').length === 4`)
	v.look("page", true)

	v.do("filter", chromedp.SendKeys(`#filters input[name=text]`, "rate service"))
	v.until("the filter finds the letter", `document.querySelectorAll('#rows tr').length === 1`)
	v.do("open it by keyboard", chromedp.Focus(`#rows button`), chromedp.KeyEvent("\r"))
	v.until("it is open", `document.querySelector('#letter').open`)
	text := v.text("#letter-text")
	for _, want := range []string{"<img src=x", "enrich.ts:", "the message as it entered enrich", `"name":"***"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in the letter:\n%s", want, text)
		}
	}
	v.do("try it", chromedp.Click("#dry"))
	v.until("it would be fixed", `document.querySelector('#result .verdict.fixed') && document.querySelector('#result pre').textContent.includes('"total"')`)
	v.look("letter", false)
	v.do("replay it", chromedp.Click("#replay"))
	v.until("it is fixed", `document.querySelector('#result').textContent.includes('fixed and committed')`)
	v.do("close it", chromedp.Click(`#letter form button`))
	v.until("it is gone", `document.querySelectorAll('#rows tr').length === 0`)

	v.script(`document.querySelector('#filters').reset(); document.querySelector('#filters').dispatchEvent(new Event('input'))`)
	v.until("the others are there", `document.querySelectorAll('#rows tr').length === 3`)
	v.do("try them all", chromedp.Click("#dry-all"))
	v.until("they would fail", `document.querySelector('#all-result').textContent === '3 would fail again'`)
	v.do("pause", chromedp.Click("#pause"))
	v.until("it is paused", `document.querySelector('#state').textContent === 'paused'`)
	v.until("nothing is committed", headline("Committed")+` === 0`)
	v.do("resume", chromedp.Click("#pause"))
	v.until("it goes on", headline("Committed")+` > 0`)
	v.do("watch the tail", chromedp.Click("#tail-switch"))
	v.until("messages come", `document.querySelectorAll('#messages li').length > 2`)
	if text := v.text("#messages"); !strings.Contains(text, "***") || strings.Contains(v.text("title"), "owned") {
		t.Errorf("title %q, tail:\n%s", v.text("title"), text)
	}
}

// Where a token is asked for, the page asks its visitor, says when it is wrong by asking
// again, and is live once it is right. It keeps the token out of the address.
func TestBrowserAsksForTheToken(t *testing.T) {
	v := browse(t)
	w := newWorld(t, withToken, withStage(t))
	v.do("open the page", chromedp.EmulateViewport(1280, 900), chromedp.Navigate(w.server.URL()))
	v.until("it asks", `document.querySelector('#ask').open`)
	v.do("escape", chromedp.KeyEvent("\x1b"))
	v.until("it offers to ask again", `!document.querySelector('#ask').open && !document.querySelector('#ask-again').hidden`)
	v.do("ask again", chromedp.Click("#ask-again"))
	v.until("it asks", `document.querySelector('#ask').open && document.querySelector('#ask-again').hidden`)
	v.do("a token that no header can hold", chromedp.SendKeys("#token", "tökén→"), chromedp.Click("#token-form button"))
	v.until("it asks again", `document.querySelector('#ask').open && document.querySelector('#token').value === ''`)
	v.do("a wrong token", chromedp.SendKeys("#token", "wrong"), chromedp.Click("#token-form button"))
	v.until("it asks again", `document.querySelector('#ask').open && document.querySelector('#token').value === ''`)
	v.do("the right token", chromedp.SendKeys("#token", testToken), chromedp.KeyEvent("\r"))
	v.until("it is live", `document.querySelector('#link').textContent === 'live' && !document.querySelector('#ask').open`)
	v.until("the address tells nothing", `!location.href.includes('token') && document.cookie === ''`)
	v.until("the stage tells what it holds", `document.querySelector('#stage-cards').textContent.includes('payments:0@0 waits')`)
	v.until("no letter is there", `!document.querySelector('#none').hidden`)
	v.look("stage", true)
}
