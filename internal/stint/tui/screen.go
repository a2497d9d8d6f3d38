package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/freeze-contracts/permafrost/internal/stint/text"
)

// What fits on a screen of less is not enough to decide by.
const (
	leastWidth  = 60
	leastHeight = 12
)

func (m *model) fits() bool { return m.width >= leastWidth && m.height >= leastHeight }

func (m *model) View() tea.View {
	v := tea.NewView(m.screen())
	v.AltScreen = true
	return v
}

// screen is as many lines as the terminal has, none wider than it.
func (m *model) screen() string {
	if m.width == 0 || m.height == 0 {
		return ""
	}
	if !m.fits() {
		return m.tooSmall()
	}
	bottom := m.bottom()
	height := m.height - 1 - len(bottom)
	var body []string
	switch {
	case m.unsaved != nil:
		body = m.unsaved.draw(m.width, height)
	case m.page != nil:
		body = m.page.draw(m.width, height)
	case m.reads == 0:
		body = []string{"", "  reading …"}
	default:
		body = m.list().draw(m.width, height)
	}
	body = slices.Concat(body, make([]string, height))[:height]
	return strings.Join(slices.Concat([]string{bold(ansi.Truncate(m.title(height), m.width, "…"))}, body, bottom), "\n")
}

func (m *model) tooSmall() string {
	said := fmt.Sprintf("stint tui needs %d columns and %d lines, and has %d and %d. q leaves.", leastWidth, leastHeight, m.width, m.height)
	all := strings.Split(ansi.Wrap(said, m.width, ""), "\n")
	return strings.Join(all[:min(len(all), m.height)], "\n")
}

// title is the first line. The list that is shown is in brackets.
func (m *model) title(height int) string {
	switch {
	case m.unsaved != nil:
		return "stint  close session " + m.unsaved.id
	case m.page != nil:
		m.page.lay(m.width)
		return strings.TrimRight("stint  "+text.Line(m.page.title)+"  "+m.page.where(height), " ")
	}
	tabs := [2]string{}
	for i, l := range []*list{&m.sessions, &m.runs} {
		tabs[i] = fmt.Sprintf("%s: %d of %d", l.name, len(l.rows), l.total)
		if l == m.list() {
			tabs[i] = "[" + tabs[i] + "]"
		}
	}
	return fmt.Sprintf("stint  %s  %s  %s", tabs[0], tabs[1], text.Plain(m.r.Project.Tree.Dir))
}

// bottom is what was said last, and which keys there are now.
func (m *model) bottom() []string {
	var all []string
	note := m.note
	switch {
	case m.leaving:
		note = m.doing + " …; then this ends"
	case m.doing != "" && note == "":
		note = m.doing + " …"
	}
	if m.question != nil {
		note = m.question.text + "  y yes  n no"
	}
	if note != "" {
		all = m.wrap(note)
	}
	return append(all, m.hints())
}

func (m *model) wrap(note string) []string {
	p := page{lines: wrapped(note)}
	return p.draw(m.width, m.height/2)
}

// hints are what can be done now, the most needed first: a narrow screen has
// room for those on what is chosen.
func (m *model) hints() string {
	on := m.subject()
	acts := []act{help, quit}
	switch {
	case m.question != nil:
		return ""
	case m.unsaved != nil:
		return unsavedHints
	case m.page != nil:
		acts = append([]act{back}, acts...)
	case on.id != "":
		acts = append(acts, look)
	}
	acts = append(acts, on.offers...)
	if m.page == nil {
		acts = append(acts, other, more)
	}
	return hints(m.width, acts...)
}

// body is how many lines there are between the first and the last ones.
func (m *model) body() int { return m.height - 1 - len(m.bottom()) }
