package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/freeze-contracts/permafrost/internal/stint/runner"
	"github.com/freeze-contracts/permafrost/internal/stint/session"
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

func viewSession(e session.Entry) sessionView {
	return sessionView{Document: e.Document, Live: e.Live, Stale: e.Stale, Why: e.Why}
}

func openText(w io.Writer, e session.Entry) {
	fmt.Fprintf(w, "opened session %s: %s on branch %s\n", e.ID, e.Harness, e.Branch)
	if e.WorkItem != "" || e.Standing != "" {
		fmt.Fprintf(w, "  for        %s\n", purposeText(e.Document))
	}
	if e.Live == session.Dead {
		fmt.Fprintf(w, "  %s has ended already\n", e.Harness)
	}
	fmt.Fprintf(w, "  worktree   %s\n  look in    stint session attach %s\n  save work  stint session checkpoint %s\n  close      stint session close %s\n",
		e.Paths.Worktree, e.ID, e.ID, e.ID)
}

// purposeText says what a session is for.
func purposeText(d *doc.Document) string {
	switch {
	case d.WorkItem != "":
		return d.WorkItem
	case d.Standing != "":
		return "standing " + d.Standing
	}
	return "-"
}

func showText(w io.Writer, e session.Entry) {
	live := string(e.Live)
	if e.Why != "" {
		live += " (" + e.Why + ")"
	}
	for _, line := range [][2]string{
		{"session", e.ID}, {"for", purposeText(e.Document)}, {"instance", e.Instance}, {"state", string(e.State)}, {"live", live}, {"repository", e.Paths.Repository + " (" + string(e.Stale) + ")"},
		{"harness", plain(e.Harness)}, {"branch", e.Branch}, {"base", e.Base}, {"fingerprint", e.Fingerprint},
		{"worktree", e.Paths.Worktree}, {"run root", e.Paths.RunRoot}, {"tmux", e.Tmux.Session + " on " + e.Tmux.Socket}, {"conversation", e.Conversation},
		{"created", clock(e.CreatedAt)}, {"opened", clock(e.OpenedAt)}, {"closed", clock(e.ClosedAt)},
		{"revision", fmt.Sprint(e.Revision)}, {"failure", plain(e.Failure)},
	} {
		if line[1] != "" {
			fmt.Fprintf(w, "%-12s %s\n", line[0], line[1])
		}
	}
}

func closeText(w io.Writer, c *runner.Closed) {
	if c.Already {
		fmt.Fprintf(w, "session %s was closed before, nothing was done\n", c.ID)
		return
	}
	fmt.Fprintf(w, "closed session %s\n", c.ID)
	for _, l := range c.Discarded {
		fmt.Fprintf(w, "  given up: %s\n", l)
	}
}

// plain is s, quoted if a terminal would take it for more than text.
func plain(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(s)
	}
	return s
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
