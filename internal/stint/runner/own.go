package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/freeze-contracts/permafrost/internal/stint/shell"
	"github.com/freeze-contracts/permafrost/internal/tmux"
	doc "github.com/freeze-contracts/permafrost/readers/session"
)

// errElsewhere is matched by the refusal of a pane whose program is no process
// here.
var errElsewhere = errors.New("its tmux server runs where processes are counted otherwise, as in a container")

// own looks that the number which tmux tells of a pane's program is that of the
// program here, too, and returns the pane as it is then. A pane whose program
// has ended meanwhile is dead, and so is one that is gone. No process is
// signalled, and nothing is concluded of one, without it.
func (r *Runner) own(ctx context.Context, d *doc.Document, p tmux.Marked) (tmux.Marked, error) {
	// A program that is being started is a copy of the server for a moment, and
	// one that has ended is known to the kernel before tmux knows.
	for end := time.Now().Add(hangup); ; time.Sleep(20 * time.Millisecond) {
		err := ofPane(&p)
		switch {
		case p.Dead || err == nil:
			return p, nil
		case ctx.Err() != nil:
			return p, ctx.Err()
		case time.Now().After(end):
			return p, fmt.Errorf("pane %s: %w: %w", p.ID, err, errElsewhere)
		}
		panes, err := r.Sessions.Panes(ctx, d.Tmux.Socket)
		if err != nil {
			return p, fmt.Errorf("tmux on %q does not answer, so it is not known what runs there: %w", d.Tmux.Socket, err)
		}
		i := slices.IndexFunc(panes, func(o tmux.Marked) bool { return o.ID == p.ID })
		if i < 0 {
			p.Dead = true
			return p, nil
		}
		p = panes[i]
	}
}

// ownAll is own for several panes. The error says how a session that has one of
// them can be closed all the same.
func (r *Runner) ownAll(ctx context.Context, d *doc.Document, panes []tmux.Marked) ([]tmux.Marked, error) {
	all := make([]tmux.Marked, len(panes))
	for i, p := range panes {
		var err error
		switch all[i], err = r.own(ctx, d, p); {
		case errors.Is(err, errElsewhere):
			return nil, fmt.Errorf("%w: close it from there, or end it by tmux -S %s kill-session -t %s and close it again", err, shell.Word(d.Tmux.Socket), shell.Word("="+p.Session))
		case err != nil:
			return nil, err
		}
	}
	return all, nil
}

// lastWords is the command that prints what a dead pane holds. To attach to it
// would not do: tmux scrolls a line away for its own word that the pane is dead.
func lastWords(d *doc.Document, p *tmux.Marked) string {
	return fmt.Sprintf("tmux -S %s capture-pane -p -S - -t %s", shell.Word(d.Tmux.Socket), shell.Word(p.ID))
}

// how is how the program of a dead pane has ended, to be put behind that it has.
func how(p *tmux.Marked) string {
	if p.Ended == "" {
		return ""
	}
	return " (" + p.Ended + ")"
}
