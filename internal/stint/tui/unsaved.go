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
	ended  bool  // its program was ended for it already
	below  *page // what the chosen kind has, and how it is kept
}

// newUnsaved is a refusal to close. What was given up before stays marked.
func newUnsaved(e *runner.UnsavedError, given []runner.Loss) *unsaved {
	u := &unsaved{id: e.ID, losses: slices.Concat(given, e.Losses), ended: e.Ended}
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
	chosen := u.losses[u.at]
	for _, item := range chosen.Items {
		fmt.Fprintf(&b, "%s  %q\n", chosen.Kind, item)
	}
	way := chosen.Way
	if chosen.Checkpoint {
		way = "s saves it as a run, or " + way
	}
	fmt.Fprintf(&b, "\nTo keep it: esc, and then %s. enter on the session says where its worktree is.\n", way)
	if u.ended {
		fmt.Fprintf(&b, "Its program was ended, and it stays closing until then.\n")
	}
	u.below = &page{lines: wrapped(b.String())}
}

// unsavedHints are there on the narrowest screen.
const unsavedHints = "esc keep all  space mark  enter lose marked, close  f more"

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
