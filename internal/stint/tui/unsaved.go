package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/freeze-contracts/permafrost/internal/stint/runner"
	"github.com/freeze-contracts/permafrost/internal/stint/text"
)

// unsaved is work that would be lost with a session. Each kind is to be given
// up by itself.
type unsaved struct {
	id     string
	losses []runner.Loss
	marked []bool // that may be lost
	at     int
	why    string // the refusal
	below  *page  // what the chosen kind has, and the refusal
}

// newUnsaved is a refusal to close. What was given up before stays marked.
func newUnsaved(e *runner.UnsavedError, given []runner.Loss) *unsaved {
	u := &unsaved{id: e.ID, losses: slices.Concat(given, e.Losses), why: text.Error(e)}
	u.marked = make([]bool, len(u.losses))
	for i := range given {
		u.marked[i] = true
	}
	u.choose(len(given))
	return u
}

func (u *unsaved) choose(i int) {
	u.at = max(0, min(i, len(u.losses)-1))
	var b strings.Builder
	for _, item := range u.losses[u.at].Items {
		fmt.Fprintf(&b, "%s  %q\n", u.losses[u.at].Kind, item)
	}
	u.below = &page{lines: wrapped(b.String() + "\n" + u.why + "\n")}
}

const unsavedHints = "space mark  enter close, and lose what is marked  f more  esc keep all"

func (u *unsaved) draw(width, height int) []string {
	all := []string{bold(ansi.Truncate("Work that is nowhere else. Mark each kind that may be lost:", width, "…"))}
	for i, l := range u.losses {
		mark, box, style := "  ", "[ ] ", plain
		if u.marked[i] {
			box = "[x] "
		}
		if i == u.at {
			mark, style = "> ", reverse
		}
		all = append(all, style(ansi.Truncate(mark+box+text.Line(l.String()), width, "…")))
	}
	all = append(all, "")
	return append(all, u.below.draw(width, max(0, height-len(all)))...)
}

// decide takes a key while there is work to be decided on.
func (m *model) decide(key string) tea.Cmd {
	u := m.unsaved
	m.note = ""
	switch a := find(key); {
	case key == "space":
		u.marked[u.at] = !u.marked[u.at]
	case key == "enter":
		return m.give(u)
	case a == back, a == quit, key == "n":
		m.unsaved, m.note = nil, "nothing was given up, and session "+u.id+" is not closed"
	case a == up:
		u.choose(u.at - 1)
	case a == down:
		u.choose(u.at + 1)
	default:
		u.below.move(a)
	}
	return nil
}

// give closes the session if all that would be lost is given up.
func (m *model) give(u *unsaved) tea.Cmd {
	var kept []string
	for i, l := range u.losses {
		if !u.marked[i] {
			kept = append(kept, string(l.Kind))
		}
	}
	if len(kept) > 0 {
		m.note = "not closed: not marked: " + strings.Join(kept, ", ")
		return nil
	}
	m.unsaved = nil
	return m.end(u.id, u.losses)
}
