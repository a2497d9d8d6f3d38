package tui

import (
	"bytes"
	"cmp"
	"context"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/freeze-contracts/permafrost/internal/stint/document"
	"github.com/freeze-contracts/permafrost/internal/stint/runner"
	"github.com/freeze-contracts/permafrost/internal/stint/session"
	"github.com/freeze-contracts/permafrost/internal/stint/text"
	"github.com/freeze-contracts/permafrost/readers/artifact"
	doc "github.com/freeze-contracts/permafrost/readers/session"
)

// row is a session, a run, or a document that is neither since it does not
// read.
type row struct {
	id      string // a document's that does not read is its path
	session bool
	run     bool
	over    bool     // closed, applied or discarded: nobody waits for it
	state   string   // of a session or a run
	offers  []act    // that are not refused for its state
	cells   []string // as they are shown
	text    string   // all that is known of it
}

// snapshot is the project at one moment.
type snapshot struct {
	sessions, runs []row
	took           time.Duration
}

// created is the column of a time, which may be no more than its date.
const created = "CREATED"

func sessionHead() []string {
	return []string{"ID", "STATE", "LIVE", "ENV", "REPOSITORY", "FOR", "HARNESS", created}
}

// sessionSpare are the columns that go first where there is no room for all.
func sessionSpare() []string { return []string{created, "HARNESS", "REPOSITORY"} }

func runHead() []string {
	return []string{"ID", "STATE", "KIND", "SESSION", "FILES", created}
}

func runSpare() []string { return []string{created, "FILES"} }

// read reads all documents, and asks tmux and git once.
func read(ctx context.Context, r *runner.Runner) snapshot {
	var s snapshot
	began := time.Now()
	docs, skipped, err := r.Sessions.Documents()
	entries := r.Sessions.List(ctx, docs)
	drifts := driftOf(ctx, r, entries)
	for _, e := range entries {
		s.sessions = append(s.sessions, sessionRow(e, drifts(e)))
	}
	s.sessions = append(s.sessions, brokenRows(r.Project.StateDir, "sessions", skipped, err)...)
	runs, skipped, err := r.Runs.Manifests()
	for _, m := range runs {
		s.runs = append(s.runs, runRow(m))
	}
	s.runs = append(s.runs, brokenRows(r.Project.StateDir, "runs", skipped, err)...)
	s.took = time.Since(began)
	return s
}

func sessionRow(e session.Entry, d *runner.Drift) row {
	var all bytes.Buffer
	text.Session(&all, e, driftText(d))
	return row{
		id: e.ID, session: true, over: e.State == doc.Closed, state: string(e.State), offers: sessionOffers(e),
		text:  all.String(),
		cells: lines(e.ID, string(e.State), string(e.Live), driftCell(d), string(e.Stale), text.Purpose(e.Document), text.Plain(e.Harness), text.Clock(e.CreatedAt)),
	}
}

// sessionOffers is what can be done with a session as it stands.
func sessionOffers(e session.Entry) []act {
	switch {
	case e.State == doc.Closed:
		return nil
	case e.State == doc.Open && e.Live == session.Live:
		return []act{attach, save, end}
	}
	return []act{save, end}
}

func runRow(m *artifact.Manifest) row {
	var all bytes.Buffer
	text.Run(&all, m)
	return row{
		id: m.ID, run: true, over: m.State == artifact.Applied || m.State == artifact.Discarded, text: all.String(),
		state: string(m.State), offers: runOffers(m),
		cells: lines(m.ID, string(m.State), string(m.Kind), cmp.Or(m.Session, "-"), strconv.Itoa(len(m.Files)), text.Clock(m.CreatedAt)),
	}
}

// runOffers is what can be done with a run as it stands: one that holds work
// and is not decided on is to be.
func runOffers(m *artifact.Manifest) []act {
	if m.PatchSHA256 == "" || m.State != artifact.Pending && m.State != artifact.Interrupted {
		return nil
	}
	return []act{apply, discard}
}

// brokenRows are the documents of a folder that do not read; err is that the
// folder itself does not.
func brokenRows(state, folder string, skipped []document.Skipped, err error) []row {
	if err != nil {
		skipped = append(skipped, document.Skipped{Path: filepath.Join(state, folder), Err: err})
	}
	var all []row
	for _, s := range skipped {
		name, reason := strings.TrimPrefix(s.Path, state+string(filepath.Separator)), text.Error(s.Err)
		// Most reasons name it themselves.
		if !strings.Contains(reason, name) {
			reason = name + ": " + reason
		}
		all = append(all, row{id: s.Path, cells: lines("unreadable: " + reason), text: "unreadable   " + s.Path + "\nreason       " + text.Error(s.Err) + "\n"})
	}
	return all
}

func lines(cells ...string) []string {
	for i, c := range cells {
		cells[i] = text.Line(c)
	}
	return cells
}
