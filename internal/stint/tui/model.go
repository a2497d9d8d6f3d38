package tui

import (
	"context"
	"slices"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/freeze-contracts/permafrost/internal/stint/runner"
	"github.com/freeze-contracts/permafrost/internal/stint/text"
)

// every is the time between two refreshes; more where reading takes long, so
// that most of the time is nobody's.
const every = 2 * time.Second

// model is what is on the screen. It is changed by Update only.
type model struct {
	ctx    context.Context // Bubble Tea hands none to what it runs
	r      *runner.Runner
	acting sync.Mutex // held while something is done to the project

	width, height int
	all           snapshot // as it was last read
	reads         int      // how often it was read
	loading       bool
	again         bool // once more after this

	sessions, runs list
	onRuns         bool // the list of runs is shown
	everything     bool
	page           *page     // that is looked at; nil: the lists
	question       *question // that is to be answered
	unsaved        *unsaved  // work that is to be given up or not

	doing   string // what is being done
	leaving bool   // once that is over
	note    string // what came of the last one
}

func newModel(ctx context.Context, r *runner.Runner) *model {
	m := &model{ctx: ctx, r: r}
	m.sessions = list{name: "sessions", head: sessionHead(), spare: sessionSpare()}
	m.runs = list{name: "runs", head: runHead(), spare: runSpare()}
	if r.Project.NoConfig != nil {
		m.note = text.Error(r.Project.NoConfig) + "; this is shown without it"
	}
	return m
}

type (
	tick   struct{ of int } // count of what was read before it
	loaded struct{ snapshot }
	opened struct {
		*page
		again bool // for it is what the user looks at
	}
)

func (m *model) Init() tea.Cmd { return m.load() }

// load reads the project, once at a time.
func (m *model) load() tea.Cmd {
	if m.loading {
		m.again = true
		return nil
	}
	m.loading = true
	return func() tea.Msg { return loaded{read(m.ctx, m.r)} }
}

func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.KeyPressMsg:
		return m, m.key(msg.String())
	case tick:
		if msg.of == m.reads {
			return m, m.load()
		}
	case loaded:
		return m, m.take(msg.snapshot)
	case opened:
		m.turn(msg)
	case ready:
		return m, m.show(msg)
	case done:
		return m, m.finish(msg)
	}
	return m, nil
}

// take takes over what was read.
func (m *model) take(s snapshot) tea.Cmd {
	m.all, m.loading = s, false
	m.reads++
	m.fill()
	if m.again {
		m.again = false
		return tea.Batch(m.load(), m.renew())
	}
	of := m.reads
	return tea.Batch(m.renew(), tea.Tick(max(every, 10*s.took), func(time.Time) tea.Msg { return tick{of} }))
}

func (m *model) fill() {
	m.sessions.fill(m.all.sessions, m.everything)
	m.runs.fill(m.all.runs, m.everything)
}

// renew reads the page again if what it is of has changed.
func (m *model) renew() tea.Cmd {
	if m.page == nil || m.page.stale {
		return nil
	}
	for _, rows := range [][]row{m.all.sessions, m.all.runs} {
		i := slices.IndexFunc(rows, func(r row) bool { return r.id == m.page.of.id })
		if i >= 0 && rows[i].text != m.page.of.text {
			m.page.stale = true
			return m.open(rows[i], true)
		}
	}
	return nil
}

func (m *model) open(of row, again bool) tea.Cmd {
	return func() tea.Msg { return opened{open(m.r, of), again} }
}

// turn shows a page. One that is read again stays where it was.
func (m *model) turn(to opened) {
	same := m.page != nil && m.page.of.id == to.of.id
	if to.again && !same {
		return
	}
	if same {
		to.top, to.left = m.page.top, m.page.left
	}
	m.page = to.page
}

func (m *model) list() *list {
	if m.onRuns {
		return &m.runs
	}
	return &m.sessions
}

// subject is what a key acts on.
func (m *model) subject() row {
	if m.page != nil {
		return m.page.of
	}
	if r := m.list().chosen(); r != nil {
		return *r
	}
	return row{}
}
