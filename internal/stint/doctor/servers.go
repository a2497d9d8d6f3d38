package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/freeze-contracts/permafrost/internal/tmux"
	doc "github.com/freeze-contracts/permafrost/readers/session"
)

// patience is how long all tmux servers together have for their answers.
const patience = 4 * time.Second

// server is what one tmux server said.
type server struct {
	socket string // empty where tmux does not say which is its default
	panes  []tmux.Marked
	err    error
}

// servers asks at once all that a session is on, and the one that the next
// would be on, so that a mute one takes no time from the others.
func (v *visit) servers() []server {
	ctx, cancel := context.WithTimeout(v.ctx, patience)
	defer cancel()
	sockets := v.sockets()
	all := make([]server, len(sockets), len(sockets)+1)
	var group sync.WaitGroup
	for i, socket := range sockets {
		group.Go(func() {
			panes, err := v.Sessions.Panes(ctx, socket)
			all[i] = server{socket, panes, err}
		})
	}
	next, err := v.Socket(ctx)
	var panes []tmux.Marked
	if err == nil && !slices.Contains(sockets, next) {
		panes, err = v.Sessions.Panes(ctx, next)
	}
	group.Wait()
	switch {
	case slices.Contains(sockets, next):
	case next == "" && !errors.Is(err, context.DeadlineExceeded): // Then a session says why.
	case next == "" && slices.ContainsFunc(all, func(s server) bool { return s.err != nil }): // It may be that one.
	default:
		all = append(all, server{next, panes, err})
	}
	return all
}

// sockets are those of sessions that are not closed.
func (v *visit) sockets() []string {
	var all []string
	for _, d := range v.sessions {
		if d.State != doc.Closed {
			all = append(all, d.Tmux.Socket)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// mute names a server that does not answer.
func (v *visit) mute(s server) {
	why := s.err.Error()
	if errors.Is(s.err, context.DeadlineExceeded) {
		why = fmt.Sprintf("it did not answer within %v", patience)
	}
	if s.socket == "" {
		v.add("tmux server", "default", why, "tmux list-sessions # and end what holds its socket, should that not answer")
		return
	}
	v.add("tmux server", s.socket, why, "tmux -S "+quote(s.socket)+" list-sessions # and end what holds the socket, should that not answer")
}
