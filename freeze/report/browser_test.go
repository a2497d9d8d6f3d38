//go:build browser

package report_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

var pictures = flag.String("pictures", "", "keep what the browser shows in this folder")

// view is how somebody looks at a page.
type view struct {
	width  int64 // CSS pixels
	scheme string
}

func (v view) String() string { return fmt.Sprintf("%d-%s", v.width, v.scheme) }

var (
	phone, desk, night = view{390, "light"}, view{1280, "light"}, view{1280, "dark"}
	views              = []view{phone, {390, "dark"}, desk, night}
)

// A real browser shows each page as it should be, at a phone's width and at a
// desk's, light and dark.
func TestBrowser(t *testing.T) {
	ctx := browser(t)
	for name, r := range samples(t) {
		for _, v := range views {
			if (name == "large" || name == "one") && v != phone && v != night {
				continue // what is peculiar to them is not the colours
			}
			t.Run(name+"/"+v.String(), func(t *testing.T) {
				for _, problem := range look(ctx, t, name, page(t, r), v) {
					t.Error(problem)
				}
			})
		}
	}
}

// What TestBrowser looks for is seen where it is planted.
func TestBrowserSees(t *testing.T) {
	ctx := browser(t)
	sound := page(t, odd(2, 6))
	for _, fault := range []struct {
		name     string
		at       view
		old, new string
		want     string
	}{
		{"script", desk, "</main>", "</main><script>throw new Error('planted')</script>", "planted"},
		{"rejection", desk, "</main>", "</main><script>Promise.reject(new Error('planted'))</script>", "planted"},
		{"blank", desk, "</style>", "body { visibility: hidden }</style>", "the picture is empty"},
		{"plot", desk, "</style>", ".plot circle, .plot rect { fill: none }</style>", "the plot is empty"},
		{"overflow", phone, "</main>", `</main><p style="width: 500px">wide</p>`, "wider than the screen"},
		{"opened", phone, "</main>", `</main><details><summary>more</summary><p style="width: 500px">wide</p></details>`, "wider than the screen"},
		{"request", desk, "</main>", `</main><img alt="" src="other.png">`, "other.png"},
		{"contrast", desk, "</style>", "footer p { color: #aaa }</style>", "contrast"},
		{"dark", night, "</style>", "h1 { color: #222 }</style>", "contrast"},
		{"search", desk, "</style>", "tr[hidden] { display: table-row }</style>", "the search"},
		{"click", desk, "</main>", `</main><script>for (const s of document.querySelectorAll("summary")) s.onclick = e => e.preventDefault()</script>`, "does not open or close"},
		{"keyboard", desk, "</style>", "nav { visibility: hidden }</style>", "the keyboard"},
		{"header", desk, `scope="row"`, `data-was="row"`, "header"},
	} {
		t.Run(fault.name, func(t *testing.T) {
			planted := strings.ReplaceAll(sound, fault.old, fault.new)
			require.NotEqual(t, sound, planted)
			problems := look(ctx, t, "", planted, fault.at)
			if !slices.ContainsFunc(problems, func(p string) bool { return strings.Contains(p, fault.want) }) {
				t.Errorf("%q is not seen; seen are %q", fault.want, problems)
			}
		})
	}
}

// Without scripts all is there but the search, and names that look like
// elements have made none.
func TestBrowserWithoutScript(t *testing.T) {
	ctx := tab(browser(t), t)
	_, err := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	require.NoError(t, err)
	open(ctx, t, page(t, odd(2, 6)), desk)
	require.False(t, eval[bool](ctx, t, `document.querySelector(".find").checkVisibility()`))
	require.True(t, eval[bool](ctx, t, `[...document.querySelectorAll("h2, summary, figure")].every(e => e.checkVisibility())`))
	require.Equal(t, []int{1, 0}, eval[[]int](ctx, t, `[document.scripts.length, document.images.length]`))
}

// browser starts one with an empty folder for its data, and ends it.
func browser(t *testing.T) context.Context {
	t.Helper()
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			program = found
			break
		}
	}
	require.NotEmpty(t, program, "there is no chromium; make check-report installs it")
	// It leaves files behind; and the path of a socket among them must be short.
	dir, err := os.MkdirTemp("", "browser")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program), chromedp.UserDataDir(filepath.Join(dir, "data")), chromedp.Env("TMPDIR="+dir), chromedp.DisableGPU,
		chromedp.NoSandbox, // root has none, nor has a container; and the pages are our own
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true))
	all, end := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(end)
	ctx, cancel := chromedp.NewContext(all)
	t.Cleanup(cancel)
	require.NoError(t, chromedp.Do(ctx))
	return ctx
}

// tab opens one for a test.
func tab(browser context.Context, t *testing.T) context.Context {
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// open shows a page in a tab.
func open(ctx context.Context, t *testing.T, html string, v view) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	require.NoError(t, os.WriteFile(file, []byte(html), 0o644))
	_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: v.scheme}}})
	require.NoError(t, err)
	require.NoError(t, chromedp.Do(ctx,
		chromedp.EmulateViewport(v.width, 800),
		chromedp.Navigate((&url.URL{Scheme: "file", Path: file}).String())))
}

func eval[T any](ctx context.Context, t *testing.T, js string) T {
	t.Helper()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
	require.NoError(t, err, js)
	return value
}

// look opens a page, uses all that can be used on it, and tells what is wrong.
func look(browser context.Context, t *testing.T, name string, html string, v view) []string {
	t.Helper()
	ctx := tab(browser, t)
	l := &looker{T: t, ctx: ctx, name: name, view: v}
	require.NoError(t, chromedp.Listen(ctx, l.hear))
	open(ctx, t, html, v)
	l.overflow()
	l.picture("")
	l.plots()
	l.keyboard()
	l.search()
	l.click()
	l.overflow()
	l.picture("-open")
	l.text()
	// What scripts did last is heard of before this has an answer.
	eval[bool](ctx, t, `new Promise(done => setTimeout(() => done(true)))`)
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.problems
}

type looker struct {
	*testing.T
	ctx  context.Context
	name string
	view view

	mu       sync.Mutex
	problems []string
}

func (l *looker) saw(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.problems = append(l.problems, fmt.Sprintf(format, args...))
}

// hear notes errors, and requests of anything but the page.
func (l *looker) hear(event any) {
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		text := e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			text += " " + e.ExceptionDetails.Exception.Description
		}
		l.saw("script: %s", text)
	case *log.EventEntryAdded:
		l.saw("browser: %s: %s", e.Entry.Level, e.Entry.Text)
	case *network.EventRequestWillBeSent:
		if e.Type != network.ResourceTypeDocument {
			l.saw("the page asks for %s", e.Request.URL)
		}
	}
}

// overflow finds what makes the page wider than the screen.
func (l *looker) overflow() {
	for _, wide := range eval[[]string](l.ctx, l.T, `(() => {
		const root = document.documentElement;
		if (root.scrollWidth <= root.clientWidth) return [];
		return [root.scrollWidth + " of " + root.clientWidth + " pixels, by " + [...document.querySelectorAll("body *")]
			.filter(e => !e.closest(".wide") && e.getBoundingClientRect().right > root.clientWidth + .5).map(e => e.tagName + "." + e.className).join(", ")];
	})()`) {
		l.saw("wider than the screen: %s", wide)
	}
}

// picture looks at the screen, and keeps a picture of the whole page where
// that is wanted.
func (l *looker) picture(state string) {
	if *pictures != "" && l.name != "" {
		all, err := chromedp.Run(l.ctx, chromedp.FullScreenshot(100))
		require.NoError(l.T, err)
		require.NoError(l.T, os.WriteFile(filepath.Join(*pictures, l.name+"-"+l.view.String()+state+".png"), all, 0o644))
	}
	shot, err := chromedp.Run(l.ctx, chromedp.CaptureScreenshot())
	require.NoError(l.T, err)
	if n := len(colours(l.T, shot)); n < 10 {
		l.saw("the picture is empty: it has %d colours", n)
	}
}

// plots wants each plot to have something in it, in a colour of its own.
func (l *looker) plots() {
	for i := range eval[int](l.ctx, l.T, `document.querySelectorAll("figure.plot").length`) {
		sel := fmt.Sprintf("figure.plot:nth-of-type(%d) tbody tr:first-child svg", i+1)
		shot, err := chromedp.Run(l.ctx, chromedp.Screenshot(chromedp.CSS(sel)))
		require.NoError(l.T, err)
		accent := eval[[]int](l.ctx, l.T, `(() => {
			const probe = document.body.appendChild(document.createElement("i"));
			probe.style.color = "var(--accent)";
			const rgb = getComputedStyle(probe).color.match(/\d+/g).map(Number);
			probe.remove();
			return rgb;
		})()`)
		if colours(l.T, shot)[color.RGBA{uint8(accent[0]), uint8(accent[1]), uint8(accent[2]), 255}] < 20 {
			l.saw("the plot is empty: number %d", i+1)
		}
	}
}

func colours(t *testing.T, shot []byte) map[color.RGBA]int {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(shot))
	require.NoError(t, err)
	all := make(map[color.RGBA]int)
	for p := range points(img.Bounds()) {
		r, g, b, a := img.At(p.X, p.Y).RGBA()
		all[color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), uint8(a >> 8)}]++
	}
	return all
}

func points(r image.Rectangle) func(func(image.Point) bool) {
	return func(yield func(image.Point) bool) {
		for y := r.Min.Y; y < r.Max.Y; y++ {
			for x := r.Min.X; x < r.Max.X; x++ {
				if !yield(image.Pt(x, y)) {
					return
				}
			}
		}
	}
}

// keyboard goes to the first section by it, and opens what can be opened there.
func (l *looker) keyboard() {
	require.NoError(l.T, chromedp.Do(l.ctx, chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter)))
	if got := eval[string](l.ctx, l.T, `location.hash`); got != "#releases" {
		l.saw("the keyboard leads to %q, and not to #releases", got)
	}
	if eval[bool](l.ctx, l.T, `document.querySelector("summary") === null`) {
		return
	}
	const open = `document.querySelector("summary").parentElement.open`
	before := eval[bool](l.ctx, l.T, open)
	eval[bool](l.ctx, l.T, `(document.querySelector("summary").focus(), true)`)
	require.NoError(l.T, chromedp.Do(l.ctx, chromedp.KeyEvent(kb.Enter)))
	if eval[bool](l.ctx, l.T, open) == before {
		l.saw("the keyboard does not open or close the first part")
	}
}

// search looks for a scenario by its name, and then for nothing again.
func (l *looker) search() {
	if eval[bool](l.ctx, l.T, `document.querySelector(".find") === null`) {
		return
	}
	const shown = `[...document.querySelectorAll(".scenarios tbody tr")].filter(r => r.checkVisibility()).map(r => r.cells[0].firstChild.textContent)`
	const opens = `[...document.querySelectorAll("details")].map(d => d.open)`
	if !eval[bool](l.ctx, l.T, `document.querySelector("#find").checkVisibility({ visibilityProperty: true })`) {
		l.saw("the search is not to be seen")
		return
	}
	before, parts := eval[[]string](l.ctx, l.T, shown), eval[[]bool](l.ctx, l.T, opens)
	name := eval[string](l.ctx, l.T, `[...document.querySelectorAll(".scenarios tbody th")].at(-1).firstChild.textContent`)
	require.NoError(l.T, chromedp.Do(l.ctx, chromedp.SendKeys(chromedp.CSS("#find"), name)))
	found := eval[[]string](l.ctx, l.T, shown)
	if len(found) == 0 || slices.ContainsFunc(found, func(f string) bool { return !strings.Contains(f, name) }) {
		l.saw("the search for %q shows %q", name, found)
	}
	require.NoError(l.T, chromedp.Do(l.ctx, chromedp.Focus(chromedp.CSS("#find")), chromedp.KeyEvent(strings.Repeat(kb.Backspace, len([]rune(name))))))
	if after := eval[[]string](l.ctx, l.T, shown); !slices.Equal(before, after) {
		l.saw("the search for nothing shows %d scenarios, and it were %d", len(after), len(before))
	}
	if after := eval[[]bool](l.ctx, l.T, opens); !slices.Equal(parts, after) {
		l.saw("the search for nothing leaves other parts open than before")
	}
}

// click opens and closes every part with the mouse, and leaves all open.
func (l *looker) click() {
	nodes, err := chromedp.Run(l.ctx, chromedp.Nodes(chromedp.CSSAll("summary"), chromedp.AtLeast(0)))
	require.NoError(l.T, err)
	for i, node := range nodes {
		open := fmt.Sprintf(`document.querySelectorAll("summary")[%d].parentElement.open`, i)
		for range 2 {
			before := eval[bool](l.ctx, l.T, open)
			require.NoError(l.T, chromedp.Do(l.ctx, chromedp.MouseClickNode(node)))
			if eval[bool](l.ctx, l.T, open) == before {
				l.saw("part %d does not open or close", i+1)
				break
			}
			if !before {
				break // it is open now
			}
		}
	}
}

// text asks of all text that is shown for contrast, and of tables and headings
// that they can be made out without seeing.
func (l *looker) text() {
	for _, problem := range eval[[]string](l.ctx, l.T, `(() => {
		const wrong = new Set();
		const number = c => (c.match(/[\d.]+/g) || []).map(Number);
		const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
			.reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
		const paper = e => {
			for (; e; e = e.parentElement) {
				const c = number(getComputedStyle(e).backgroundColor);
				if (c.length && (c.length < 4 || c[3] > 0)) return c;
			}
			return [255, 255, 255];
		};
		const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
		while (walk.nextNode()) {
			const e = walk.currentNode.parentElement;
			if (!walk.currentNode.textContent.trim() || !e.checkVisibility({ visibilityProperty: true }) || e.closest("script, .vh")) continue;
			const style = getComputedStyle(e), a = light(number(e.closest("svg") ? style.fill : style.color)), b = light(paper(e));
			const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
			if (ratio < 4.5) wrong.add("contrast " + ratio.toFixed(2) + " of " + e.tagName + "." + e.className + ": " + walk.currentNode.textContent.trim().slice(0, 40));
		}
		for (const row of document.querySelectorAll("tbody tr")) {
			if (!row.querySelector("th[scope=row]") && !row.parentElement.querySelector("th[scope=rowgroup]")) wrong.add("a row has no header: " + row.textContent.slice(0, 40));
		}
		for (const table of document.querySelectorAll("table")) {
			if (!table.querySelector("thead th[scope=col]")) wrong.add("a table has no column header");
		}
		let last = 1;
		for (const h of document.querySelectorAll("h1, h2, h3, h4")) {
			const level = Number(h.tagName[1]);
			if (level > last + 1) wrong.add("heading " + h.textContent + " skips a level");
			last = level;
		}
		if (document.querySelectorAll("h1").length !== 1) wrong.add("there is not one h1");
		const ids = [...document.querySelectorAll("[id]")].map(e => e.id);
		for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) wrong.add("the id " + id + " is there twice");
		for (const a of document.querySelectorAll("a[href^='#']")) if (!document.getElementById(a.getAttribute("href").slice(1))) wrong.add("nothing is at " + a.href);
		return [...wrong];
	})()`) {
		l.saw("%s", problem)
	}
}
