package tui

import tea "charm.land/bubbletea/v2"

// key takes a key.
func (m *model) key(key string) tea.Cmd {
	a := find(key)
	switch {
	case key == "ctrl+c", a == quit && !m.fits():
		return m.quit()
	case !m.fits(): // Nobody sees what it would do.
		return nil
	case m.question != nil:
		return m.answer(key)
	case m.unsaved != nil:
		return m.decide(key)
	}
	switch a {
	case quit:
		return m.quit()
	case refresh:
		m.note = ""
		return m.load()
	case help:
		m.page, m.note = helpPage(), ""
	case back:
		m.back()
	case attach, save, end, apply, discard:
		return m.begin(a)
	case look, other, more:
		return m.onList(a)
	default:
		m.move(a)
	}
	return nil
}

// answer takes a key while there is a question: all but y is a no.
func (m *model) answer(key string) tea.Cmd {
	q := m.question
	m.question = nil
	if key == "y" {
		return q.yes()
	}
	m.note = "nothing was done"
	return nil
}

// back takes away what lies on top.
func (m *model) back() {
	if m.note != "" {
		m.note = ""
		return
	}
	m.page = nil
}

// onList does what makes sense where there is no page.
func (m *model) onList(a act) tea.Cmd {
	if m.page != nil {
		return nil
	}
	m.note = ""
	switch chosen := m.list().chosen(); {
	case a == other:
		m.onRuns = !m.onRuns
	case a == more:
		m.everything = !m.everything
		m.fill()
	case chosen != nil:
		return m.open(*chosen, false)
	}
	return nil
}

func (m *model) move(a act) {
	if m.page != nil {
		m.page.move(a)
		return
	}
	height := m.body()
	l := m.list()
	switch a {
	case up:
		l.move(-1)
	case down:
		l.move(1)
	case pageUp:
		l.move(1 - height)
	case pageDn:
		l.move(height - 1)
	case first:
		l.move(-len(l.rows))
	case last:
		l.move(len(l.rows))
	}
}

// quit leaves, at once or when what was begun is over.
func (m *model) quit() tea.Cmd {
	if m.doing == "" {
		return tea.Quit
	}
	m.leaving = true
	return nil
}
