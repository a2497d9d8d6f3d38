package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/freeze-contracts/permafrost/internal/stint/document"
	"github.com/freeze-contracts/permafrost/internal/stint/git"
	"github.com/freeze-contracts/permafrost/internal/stint/project"
	"github.com/freeze-contracts/permafrost/internal/stint/runner"
	"github.com/freeze-contracts/permafrost/readers"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// at is a screen of a size that shows a snapshot. Nothing that it asks for is
// done.
func at(width, height int, s snapshot) *model {
	m := newModel(context.Background(), &runner.Runner{Project: &project.Project{Tree: git.Tree{Dir: "/repo"}}})
	m.Update(tea.WindowSizeMsg{Width: width, Height: height})
	m.Update(loaded{s})
	return m
}

func sessions(n int) []row {
	var all []row
	for i := range n {
		id := fmt.Sprintf("%012d", i)
		all = append(all, row{id: id, session: true, over: i%3 == 2, state: "open", offers: []act{attach, save, end}, text: "session      " + id + "\n",
			cells: lines(id, "open", "live", "", "fresh", "-", "sh", "2026-07-30 09:12:44Z")})
	}
	return all
}

func run(id string) row {
	return row{id: id, run: true, state: "pending", offers: []act{apply, discard}, cells: lines(id, "pending", "checkpoint", "-", "1", "2026-07-30 09:12:44Z")}
}

// press types keys, by the names that Bubble Tea has for them.
func (m *model) press(keys ...string) tea.Cmd {
	var last tea.Cmd
	for _, key := range keys {
		msg := tea.KeyPressMsg{Text: key}
		if code, ok := map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown, "space": tea.KeySpace}[key]; ok {
			msg = tea.KeyPressMsg{Code: code}
		}
		if key == "ctrl+c" {
			msg = tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}
		}
		m.screen() // as Bubble Tea draws it after every message
		_, last = m.Update(msg)
	}
	return last
}

// seen is the screen without its styles and the blanks at its end.
func (m *model) seen() string { return strings.TrimRight(ansi.Strip(m.screen()), "\n") }

func quits(cmd tea.Cmd) bool {
	if cmd == nil {
		return false
	}
	_, ok := cmd().(tea.QuitMsg)
	return ok
}

// Whatever is shown in whatever size, no line leaves the screen.
func TestScreenFits(t *testing.T) {
	wide := row{id: "w", session: true, text: strings.Repeat("漢字 ", 200), cells: lines("w", "open", "live", "unverified", "fresh", strings.Repeat("漢", 90), "sh\x1b[31m", "-")}
	broken := row{id: "/x", cells: lines("unreadable: " + strings.Repeat("x", 300)), text: "unreadable   /x\n"}
	s := snapshot{sessions: append(sessions(40), wide, broken), runs: []row{run("r")}}
	unsaved := done{err: &runner.UnsavedError{ID: "w", Losses: []runner.Loss{
		{Kind: runner.Changes, Items: []string{strings.Repeat("漢", 90), "a\x1b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n"}}, {Kind: runner.Run, Items: []string{"n"}},
	}}}
	for _, size := range [][2]int{{80, 24}, {60, 12}, {61, 13}, {200, 60}, {59, 24}, {80, 11}, {9, 3}, {1, 1}} {
		for name, do := range map[string]func(m *model){
			"list":     func(*model) {},
			"end":      func(m *model) { m.press("v", "G") },
			"runs":     func(m *model) { m.press("tab") },
			"help":     func(m *model) { m.press("?") },
			"question": func(m *model) { m.press("c") },
			"unsaved":  func(m *model) { m.Update(unsaved) },
			"error":    func(m *model) { m.Update(done{err: errors.New(strings.Repeat("no way ", 30))}) },
			"long":     func(m *model) { m.Update(done{err: errors.New(strings.Repeat("no way ", 900))}) },
			"page": func(m *model) {
				m.Update(opened{&page{title: strings.Repeat("漢", 90), of: wide, lines: wrapped(wide.text)}, false})
			},
			"patch": func(m *model) {
				m.Update(opened{&page{of: wide, lines: diff("w", []byte("+"+wide.text))}, false})
				m.press("l", "l")
			},
		} {
			m := at(size[0], size[1], s)
			do(m)
			all := strings.Split(m.screen(), "\n")
			if m.fits() && len(all) != size[1] || len(all) > size[1] {
				t.Errorf("%s at %v has %d lines", name, size, len(all))
			}
			for _, l := range all {
				if w := ansi.StringWidth(l); w > size[0] {
					t.Errorf("%s at %v has a line of %d columns: %q", name, size, w, l)
				}
			}
		}
	}
}

func TestSelection(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(m *model)
		want string
	}{
		{"the first", func(*model) {}, "000000000000"},
		{"the next that is shown", func(m *model) { m.press("down", "j", "down") }, "000000000004"},
		{"beyond the beginning", func(m *model) { m.press("down", "up", "k") }, "000000000000"},
		{"the last", func(m *model) { m.press("G", "down") }, "000000000099"},
		{"all", func(m *model) { m.press("v", "down", "down") }, "000000000002"},
		{"stays when others are hidden", func(m *model) { m.press("v", "down", "down", "down", "v") }, "000000000003"},
		{"stays when it is read again", func(m *model) {
			m.press("down")
			m.Update(loaded{snapshot{sessions: sessions(100)[1:]}})
		}, "000000000001"},
		{"is near to one that is gone", func(m *model) {
			m.press("G")
			m.Update(loaded{snapshot{sessions: sessions(10)}})
		}, "000000000009"},
		{"is none of none", func(m *model) { m.Update(loaded{snapshot{}}); m.press("down", "enter", "f") }, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := at(80, 24, snapshot{sessions: sessions(100)})
			tt.do(m)
			if diff := cmp.Diff(tt.want, m.subject().id); diff != "" {
				t.Errorf("chosen (-want +got)\n%s", diff)
			}
			if tt.want != "" {
				require.Contains(t, m.seen(), "\n> "+tt.want+" ")
			}
		})
	}
}

// A document that does not read is a row, and so is a whole folder.
func TestBrokenRows(t *testing.T) {
	skipped := []document.Skipped{
		{Path: "/s/runs/a/manifest.json", Err: &readers.NewerError{Path: "runs/a/manifest.json", Schema: 9, Newest: 2}},
		{Path: "/s/runs/b/manifest.json", Err: errors.New("it belongs\nelsewhere\x1b[2J")},
	}
	want := [][2]string{
		{`unreadable: "runs/a/manifest.json": schema 9 is newer than 2, the newest this build reads: use a newer stint`, "/s/runs/a/manifest.json"},
		{`unreadable: runs/b/manifest.json: it belongs; elsewhere\x1b[2J`, "/s/runs/b/manifest.json"},
		{"unreadable: runs: no permission", "/s/runs"},
	}
	var got [][2]string
	for _, r := range brokenRows("/s", "runs", skipped, errors.New("no permission")) {
		got = append(got, [2]string{r.cells[0], r.id})
		require.False(t, r.session || r.run)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got)\n%s", diff)
	}
}

// While something is done, the screen can be looked at and nothing else is
// begun; leaving waits for it.
func TestOneAtATime(t *testing.T) {
	m := at(80, 24, snapshot{sessions: sessions(3)})
	require.NotNil(t, m.press("s"))
	require.Contains(t, m.seen(), "saving session 000000000000 …")
	require.Nil(t, m.press("c"))
	require.Nil(t, m.question)
	require.Contains(t, m.seen(), "not yet: saving session 000000000000 is not over")
	m.press("down")
	require.Contains(t, m.seen(), "\n> 000000000001")
	require.False(t, quits(m.press("q")))
	require.Contains(t, m.seen(), "saving session 000000000000 …; then this ends")
	_, cmd := m.Update(done{note: "saved"})
	require.True(t, quits(cmd))
	m = at(80, 24, snapshot{})
	require.True(t, quits(m.press("q")))
	require.True(t, quits(m.press("ctrl+c")))
}

// Only y is a yes, and leaving outright is always possible.
func TestQuestion(t *testing.T) {
	for _, key := range []string{"n", "q", "enter", "esc", "space", "c", "Y"} {
		m := at(80, 24, snapshot{sessions: sessions(3)})
		m.press("c")
		require.Contains(t, m.seen(), "close session 000000000000: end its program, remove its worktree?  y yes  n no")
		require.Nil(t, m.press(key), key)
		require.Contains(t, m.seen(), "nothing was done", key)
		require.Empty(t, m.doing, key)
	}
	m := at(80, 24, snapshot{sessions: sessions(3)})
	m.press("c")
	require.True(t, quits(m.press("ctrl+c")))
	m = at(80, 24, snapshot{sessions: sessions(3)})
	require.NotNil(t, m.press("c", "y"))
	require.Equal(t, "closing session 000000000000", m.doing)
}

// What is asked about first is not asked about where it is refused, and is not
// among the keys.
func TestOffers(t *testing.T) {
	closed := row{id: "c", session: true, state: "closed", cells: lines("c", "closed", "absent", "", "fresh", "-", "sh", "-")}
	dead := row{id: "d", session: true, state: "open", offers: []act{save, end}, cells: lines("d", "open", "dead", "", "fresh", "-", "sh", "-")}
	applied := row{id: "a", run: true, state: "applied", cells: lines("a", "applied", "run", "-", "1", "-")}
	m := at(80, 24, snapshot{sessions: []row{closed, dead}, runs: []row{applied}})
	require.Contains(t, m.seen(), "\n? help  q quit  enter look  tab other  v all")
	require.Nil(t, m.press("c"))
	require.Nil(t, m.question)
	require.Contains(t, m.seen(), "close is for a session that is not closed, and c is closed")
	m.press("down")
	require.Contains(t, m.seen(), "\n? help  q quit  enter look  s checkpoint  c close  tab other  v all")
	require.NotNil(t, m.press("a"), "the command says why not")
	m = at(80, 24, snapshot{runs: []row{applied}})
	m.press("tab", "p")
	require.Nil(t, m.question)
	require.Contains(t, m.seen(), "apply is for a run that holds work and is pending or interrupted, and a is\napplied")
}

// Keys and columns for which there is no room are left out as a whole.
func TestNarrow(t *testing.T) {
	s := snapshot{sessions: []row{{id: "000000000001", session: true, state: "open", offers: []act{attach, save, end},
		cells: lines("000000000001", "open", "live", "stale", "fresh", "github:octo/repo#15", "sh", "2026-07-30 09:12:44Z")}}}
	for _, tt := range []struct {
		width     int
		row, keys string
	}{
		{98, "> 000000000001  open   live  stale  fresh       github:octo/repo#15  sh       2026-07-30 09:12:44Z", "? help  q quit  enter look  a attach  s checkpoint  c close  tab other  v all"},
		{97, "> 000000000001  open   live  stale  fresh       github:octo/repo#15  sh       2026-07-30", "? help  q quit  enter look  a attach  s checkpoint  c close  tab other  v all"},
		{80, "> 000000000001  open   live  stale  fresh       github:octo/repo#15  sh", "? help  q quit  enter look  a attach  s checkpoint  c close  tab other  v all"},
		{76, "> 000000000001  open   live  stale  fresh       github:octo/repo#15  sh", "? help  q quit  enter look  a attach  s checkpoint  c close  tab other"},
		{60, "> 000000000001  open   live  stale  github:octo/repo#15", "? help  q quit  enter look  a attach  s checkpoint  c close"},
	} {
		all := strings.Split(at(tt.width, 12, s).seen(), "\n")
		got := [2]string{strings.TrimRight(all[2], " "), all[len(all)-1]}
		if diff := cmp.Diff([2]string{tt.row, tt.keys}, got); diff != "" {
			t.Errorf("%d columns (-want +got)\n%s", tt.width, diff)
		}
	}
}

// On however small a screen, all that would be lost can be read before it is
// given up.
func TestAllThatIsUnsavedIsSeen(t *testing.T) {
	var items []string
	for i := range 100 {
		items = append(items, fmt.Sprintf("file %d", i))
	}
	m := at(60, 12, snapshot{sessions: sessions(3)})
	var losses []runner.Loss
	for _, k := range runner.Kinds() {
		losses = append(losses, runner.Loss{Kind: k, Items: items})
	}
	m.Update(done{err: &runner.UnsavedError{ID: "x", Losses: losses}})
	m.press("down")
	seen := ""
	for range 200 {
		seen += m.seen()
		m.press("f")
	}
	for _, item := range items {
		require.Contains(t, seen, fmt.Sprintf("\nuntracked  %q\n", item))
	}
	require.Contains(t, seen, "\nTo keep it: ")
}

// What is asked is about what was chosen when it was asked.
func TestQuestionKeepsItsSubject(t *testing.T) {
	m := at(80, 24, snapshot{sessions: sessions(3)})
	m.press("c")
	m.Update(loaded{snapshot{sessions: sessions(3)[1:]}})
	require.Contains(t, m.seen(), "close session 000000000000: ")
	m.press("y")
	require.Equal(t, "closing session 000000000000", m.doing)
}

// An error that would cover the screen is a page of its own.
func TestLongError(t *testing.T) {
	m := at(80, 24, snapshot{sessions: sessions(3)})
	m.Update(done{err: errors.New(strings.Repeat("no way\n", 400) + "the end\x1b[2J")})
	require.Contains(t, m.seen(), "stint  message  1-22 of ")
	require.Contains(t, m.seen(), "error: no way; no way; ")
	m.press("G")
	require.Contains(t, m.seen(), `the end\x1b[2J`)
	m.press("esc")
	require.Contains(t, m.seen(), "\n> 000000000000")
}

// One reading at a time, one more if it was asked for in the meantime, and the
// next one by itself, once.
func TestReadings(t *testing.T) {
	m := at(80, 24, snapshot{})
	require.NotNil(t, m.press("r"))
	require.Nil(t, m.press("r"))
	require.Nil(t, m.press("r"))
	m.Update(loaded{})
	require.True(t, m.loading, "what was asked for in the meantime")
	m.Update(loaded{})
	require.False(t, m.loading)
	_, cmd := m.Update(tick{m.reads - 1})
	require.Nil(t, cmd, "an old tick")
	_, cmd = m.Update(tick{m.reads})
	require.NotNil(t, cmd)
}

// A page that is read again stays where it is, and one that comes late does
// not push away what the user looks at by now.
func TestPageIsReadAgain(t *testing.T) {
	s := snapshot{sessions: sessions(2)}
	m := at(80, 24, s)
	long := wrapped(strings.Repeat("line\n", 100))
	m.Update(opened{&page{of: s.sessions[0], lines: long}, false})
	m.press("f")
	top := m.page.top
	require.NotZero(t, top)
	m.Update(opened{&page{of: s.sessions[0], lines: long}, true})
	require.Equal(t, top, m.page.top)
	m.press("?")
	m.Update(opened{&page{of: s.sessions[0], lines: long}, true})
	require.Equal(t, "keys", m.page.title)
}

func TestDiff(t *testing.T) {
	const patch = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@ f()\n same\n--- taken out\n+\tput in\r\n\\ No newline at end of file\ndiff --git a/y b/y\n--- a/y\n"
	want := []string{
		bold("diff --git a/x b/x"), "--- a/x", "+++ b/x", place("@@ -1,2 +1,2 @@ f()"), " same", removed("--- taken out"),
		added(`+       put in\r`), `\ No newline at end of file`, bold("diff --git a/y b/y"), "--- a/y",
	}
	p := page{lines: diff("r", []byte(patch))}
	if d := cmp.Diff(want, p.draw(80, 24)); d != "" {
		t.Errorf("diff (-want +got)\n%s", d)
	}
}

func TestWindow(t *testing.T) {
	for _, tt := range []struct {
		text string
		left int
		want string
	}{
		{"short", 0, "short"},
		{"0123456789", 0, "0123456789"},
		{"0123456789a", 0, "012345678…"},
		{"0123456789abcdefghij", 8, "…9abcdefg…"},
		{"0123456789abcdef", 8, "…9abcdef"},
		{"0123", 8, ""},
		{"漢字漢字漢字", 0, "漢字漢字…"},
		{strings.Repeat("x", 1<<20), 0, "xxxxxxxxx…"},
	} {
		if diff := cmp.Diff(tt.want, window(tt.text, tt.left, 10)); diff != "" {
			t.Errorf("window(%.20q, %d) (-want +got)\n%s", tt.text, tt.left, diff)
		}
	}
}

// A patch beyond what is shown says how much is not.
func TestHugePatch(t *testing.T) {
	patch := []byte(strings.Repeat("+"+strings.Repeat("x", 1023)+"\n", patchMost/1025+10))
	all := diff("r1", patch)
	want := fmt.Sprintf("%d bytes more: stint runs diff r1", len(patch)-patchMost)
	require.Equal(t, want, all[len(all)-1].text)
}

// 1,000 sessions, read and drawn once.
func BenchmarkRefresh(b *testing.B) {
	s := snapshot{sessions: sessions(1000), took: time.Millisecond}
	m := at(80, 24, s)
	m.press("v", "G")
	for b.Loop() {
		m.Update(loaded{s})
		if !strings.Contains(m.screen(), "000000000999") {
			b.Fatal("the last one is not there")
		}
	}
}
