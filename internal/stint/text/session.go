package text

import (
	"fmt"
	"io"

	"github.com/freeze-contracts/permafrost/internal/stint/runner"
	"github.com/freeze-contracts/permafrost/internal/stint/session"
	doc "github.com/freeze-contracts/permafrost/readers/session"
)

// Purpose says what a session is for.
func Purpose(d *doc.Document) string {
	switch {
	case d.WorkItem != "":
		return d.WorkItem
	case d.Standing != "":
		return "standing " + d.Standing
	}
	return "-"
}

// Session writes all that is known of a session; env is how its program stands
// to the env file, empty where that is not told.
func Session(w io.Writer, e session.Entry, env string) {
	live := string(e.Live)
	if e.Why != "" {
		live += " (" + e.Why + ")"
	}
	fields(w, [][2]string{
		{"session", e.ID}, {"for", Purpose(e.Document)}, {"instance", e.Instance}, {"state", string(e.State)}, {"live", live}, {"env file", env}, {"repository", e.Paths.Repository + " (" + string(e.Stale) + ")"},
		{"harness", Plain(e.Harness)}, {"branch", e.Branch}, {"base", e.Base}, {"fingerprint", e.Fingerprint},
		{"worktree", e.Paths.Worktree}, {"run root", e.Paths.RunRoot}, {"tmux", e.Tmux.Session + " on " + e.Tmux.Socket}, {"conversation", e.Conversation},
		{"created", Clock(e.CreatedAt)}, {"opened", Clock(e.OpenedAt)}, {"closed", Clock(e.ClosedAt)},
		{"revision", fmt.Sprint(e.Revision)}, {"failure", Plain(e.Failure)},
	})
}

// Closed writes what closing a session came to.
func Closed(w io.Writer, c *runner.Closed) {
	if c.Already {
		fmt.Fprintf(w, "session %s was closed before, nothing was done\n", c.ID)
		return
	}
	fmt.Fprintf(w, "closed session %s\n", c.ID)
	for _, l := range c.Discarded {
		fmt.Fprintf(w, "  given up: %s\n", l)
	}
}
