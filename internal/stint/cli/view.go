package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/freeze-contracts/permafrost/internal/stint/document"
	"github.com/freeze-contracts/permafrost/internal/stint/runner"
	"github.com/freeze-contracts/permafrost/internal/stint/session"
	"github.com/freeze-contracts/permafrost/internal/stint/text"
	"github.com/freeze-contracts/permafrost/readers/artifact"
	doc "github.com/freeze-contracts/permafrost/readers/session"
)

// sessionView is a session in JSON: its document, and what tmux and git say.
type sessionView struct {
	*doc.Document `json:",embed"`
	Live          session.Liveness  `json:"live"`
	Stale         session.Staleness `json:"staleness"`
	Why           string            `json:"live_reason,omitempty"`
}

type (
	sessionAnswer struct {
		Session sessionView `json:"session"`
	}
	sessionsAnswer struct {
		Sessions   []sessionView `json:"sessions"`
		Unreadable []unreadable  `json:"unreadable"`
	}
	closeAnswer struct {
		Session   sessionView   `json:"session"`
		Already   bool          `json:"already_closed"`
		Discarded []runner.Loss `json:"discarded"`
	}
	runAnswer struct {
		Run *artifact.Manifest `json:"run"`
	}
	runsAnswer struct {
		Runs       []*artifact.Manifest `json:"runs"`
		Unreadable []unreadable         `json:"unreadable"`
	}
	unreadable struct {
		Path   string `json:"path"`
		Reason string `json:"reason"`
	}
)

// notRead are documents as an answer names them: a list, though it be empty.
func notRead(skipped []document.Skipped) []unreadable {
	all := []unreadable{}
	for _, s := range skipped {
		all = append(all, unreadable{s.Path, text.Error(s.Err)})
	}
	return all
}

// unfinished says of how many sessions an answer says that they are not as they
// should be, or that nobody knows; of none it says nothing.
func unfinished(failed int, unread []unreadable) string {
	var parts []string
	if failed > 0 {
		parts = append(parts, text.Count(failed, "session"))
	}
	if len(unread) > 0 {
		parts = append(parts, "the sessions of "+text.Count(len(unread), "document")+" that cannot be read")
	}
	return strings.Join(parts, ", ")
}

func viewSession(e session.Entry) sessionView {
	return sessionView{Document: e.Document, Live: e.Live, Stale: e.Stale, Why: e.Why}
}

func openText(w io.Writer, e session.Entry) {
	fmt.Fprintf(w, "opened session %s: %s on branch %s\n", e.ID, e.Harness, e.Branch)
	if e.WorkItem != "" || e.Standing != "" {
		fmt.Fprintf(w, "  for        %s\n", text.Purpose(e.Document))
	}
	look := "look in    stint session attach " + e.ID
	if e.Live == session.Dead { // Nobody can attach to it any more.
		look = e.Harness + " has ended already"
	}
	fmt.Fprintf(w, "  worktree   %s\n  %s\n  save work  stint session checkpoint %s\n  close      stint session close %s\n",
		e.Paths.Worktree, look, e.ID, e.ID)
}
