package tui

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	tea "charm.land/bubbletea/v2"
	"github.com/freeze-contracts/permafrost/internal/stint/runner"
	"github.com/freeze-contracts/permafrost/internal/stint/text"
)

type (
	// done is that what was begun is over.
	done struct {
		note  string
		err   error
		given []runner.Loss // that was to be given up
	}
	// ready is a session that can be shown.
	ready struct{ *runner.Command }
)

// question is asked before something is done that cannot be taken back.
type question struct {
	text string
	yes  func() tea.Cmd
}

// begin does what a key asks for, to what is chosen.
func (m *model) begin(a act) tea.Cmd {
	on := m.subject()
	switch {
	case m.doing != "":
		m.note = "not yet: " + m.doing + " is not over"
	case slices.Contains([]act{attach, save, end}, a) && !on.session:
		m.note = fmt.Sprintf("%s is for a session, and none is chosen", a)
	case slices.Contains([]act{apply, discard}, a) && !on.run:
		m.note = fmt.Sprintf("%s is for a run, and none is chosen", a)
	case asks(a) != "" && !slices.Contains(on.offers, a): // To ask first would be to promise.
		m.note = fmt.Sprintf("%s is for %s, and %s is %s", a, asks(a), on.id, on.state)
	case a == attach:
		return m.attach(on.id)
	case a == save:
		return m.save(on.id)
	case a == end:
		m.question = &question{"close session " + on.id + ": end its program, remove its worktree?", func() tea.Cmd { return m.end(on.id, nil) }}
	case a == apply:
		m.question = &question{"apply run " + on.id + " to " + m.r.Project.Tree.Dir + "?", func() tea.Cmd { return m.apply(on.id) }}
	case a == discard:
		m.question = &question{"discard run " + on.id + "? It cannot be applied then.", func() tea.Cmd { return m.discard(on.id) }}
	}
	return nil
}

// asks tells what an act is for that is asked about first; nothing, if it is
// not.
func asks(a act) string {
	switch a {
	case end:
		return "a session that is not closed"
	case apply, discard:
		return "a run that holds work and is pending or interrupted"
	}
	return ""
}

// do begins something that is done while the screen lives on.
func (m *model) do(what string, f func() tea.Msg) tea.Cmd {
	m.doing, m.note = what, ""
	return func() tea.Msg {
		m.acting.Lock()
		defer m.acting.Unlock()
		return f()
	}
}

func (m *model) attach(id string) tea.Cmd {
	return m.do("attaching to session "+id, func() tea.Msg {
		c, err := m.r.Attach(m.ctx, id, false)
		if err != nil {
			return done{err: err}
		}
		return ready{c}
	})
}

// show lends the terminal to tmux.
func (m *model) show(c ready) tea.Cmd {
	return tea.Exec(&visit{Command: c.Command}, func(err error) tea.Msg { return done{err: err} })
}

// visit is a command that is run on the terminal. What it says on standard
// error is in the error that it ends with.
type visit struct {
	*runner.Command
	in  io.Reader
	out io.Writer
}

func (v *visit) Run() error            { return v.Command.Run(v.in, v.out) }
func (v *visit) SetStdin(in io.Reader) { v.in = in }
func (v *visit) SetStdout(w io.Writer) { v.out = w }
func (v *visit) SetStderr(_ io.Writer) {}

func (m *model) save(id string) tea.Cmd {
	return m.do("saving session "+id, func() tea.Msg {
		saved, err := m.r.Checkpoint(m.ctx, id)
		return came(err, func(w io.Writer) { text.Saved(w, saved) })
	})
}

// end closes a session. Of its work that is nowhere else, what is given may be
// lost.
func (m *model) end(id string, given []runner.Loss) tea.Cmd {
	return m.do("closing session "+id, func() tea.Msg {
		var kinds []runner.Kind
		for _, l := range given {
			kinds = append(kinds, l.Kind)
		}
		c, err := m.r.CloseSession(m.ctx, id, kinds)
		d := came(err, func(w io.Writer) { text.Closed(w, c) })
		d.given = given
		return d
	})
}

func (m *model) apply(id string) tea.Cmd {
	return m.do("applying run "+id, func() tea.Msg {
		applied, err := m.r.Apply(m.ctx, id)
		return came(err, func(w io.Writer) { text.Applied(w, applied, m.r.Project.Tree.Dir) })
	})
}

func (m *model) discard(id string) tea.Cmd {
	return m.do("discarding run "+id, func() tea.Msg {
		discarded, err := m.r.Runs.Discard(m.ctx, m.r.Project.Tree, id)
		return came(err, func(w io.Writer) { text.Discarded(w, discarded) })
	})
}

func came(err error, said func(w io.Writer)) done {
	if err != nil {
		return done{err: err}
	}
	var note bytes.Buffer
	said(&note)
	return done{note: note.String()}
}

// finish tells what came of what was begun.
func (m *model) finish(d done) tea.Cmd {
	m.doing, m.note = "", d.note
	var work *runner.UnsavedError
	switch {
	case errors.As(d.err, &work):
		m.unsaved = newUnsaved(work, d.given)
	case d.err != nil:
		m.note = "error: " + text.Error(d.err)
	}
	if m.leaving {
		return tea.Quit
	}
	// What would cover the lists is read by itself.
	if p := (&page{title: "message", lines: wrapped(m.note)}); m.long(p) {
		m.page, m.note = p, ""
	}
	return m.load()
}

// long tells whether a page is too long for a note.
func (m *model) long(p *page) bool {
	p.lay(m.width)
	return len(p.shown) > m.height/2
}
