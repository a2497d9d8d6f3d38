package tmux

import (
	"context"
	"strings"
)

// Respawn is a program to start in a pane whose own has ended.
type Respawn struct {
	Pane    string   // %N
	Session string   // $N, of the pane
	Dir     string   // as in NewSession
	Env     []string // NAME=value, for this program and every later one of the session
	Hide    []string // names that they are not to have, whatever the server has
	Options []Option // set on the pane
	Argv    []string
}

// Respawn starts a program in a pane that is dead. One whose program runs is
// refused. The pane, its window and its history stay, and it is kept when the
// new program ends, too.
func (u User) Respawn(ctx context.Context, r Respawn) error {
	var all []words
	for _, e := range r.Env {
		name, value, _ := strings.Cut(e, "=")
		all = append(all, words{"set-environment", "-t", r.Session, name, value})
	}
	for _, name := range r.Hide {
		all = append(all, words{"set-environment", "-r", "-t", r.Session, name})
	}
	all = append(all, keep(r.Pane))
	all = append(all, setOptions(r.Pane, r.Options)...)
	all = append(all, append(words{"respawn-pane", "-t", r.Pane, "-c", literal(r.Dir)}, program(r.Dir, nil, r.Argv)...))
	return u.batch(ctx, "respawn-pane", nil, all...)
}

// Keep has a pane stay when its program ends.
func (u User) Keep(ctx context.Context, pane string) error {
	_, err := u.Run(ctx, keep(pane)...)
	return err
}

func keep(pane string) words {
	return words{"set-option", "-p", "-t", pane, "remain-on-exit", "on"}
}

func setOptions(pane string, options []Option) []words {
	var all []words
	for _, o := range options {
		all = append(all, words{"set-option", "-p", "-t", pane, o.Name, o.Value})
	}
	return all
}
