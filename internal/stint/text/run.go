package text

import (
	"bytes"
	"fmt"
	"io"

	"github.com/freeze-contracts/permafrost/readers/artifact"
)

// Run writes all that is known of a run, and the files it changes.
func Run(w io.Writer, m *artifact.Manifest) {
	patch, exit := "", ""
	if m.PatchSHA256 != "" {
		patch = fmt.Sprintf("%d bytes, sha256 %s", m.PatchSize, m.PatchSHA256)
	}
	if m.Exit != nil {
		exit = fmt.Sprint(*m.Exit)
	}
	fields(w, [][2]string{
		{"run", m.ID}, {"kind", string(m.Kind)}, {"state", string(m.State)}, {"session", m.Session}, {"conversation", m.Conversation},
		{"harness", Plain(m.Harness)}, {"prompt", Plain(m.Prompt)}, {"exit", exit}, {"worktree", m.Root}, {"base", m.Base}, {"patch", patch},
		{"created", Since(m.CreatedAt)}, {"started", Since(m.StartedAt)}, {"finished", Since(m.FinishedAt)}, {"applied", Since(m.AppliedAt)}, {"discarded", Since(m.DiscardedAt)},
		{"failure", Plain(m.Failure)},
	})
	for _, f := range m.Files {
		fmt.Fprintf(w, "  %s\n", file(f))
	}
}

func file(f artifact.File) string {
	name := Plain(f.Path)
	switch {
	case f.OldMode == "":
		return "added    " + name
	case f.NewMode == "":
		return "deleted  " + name
	case f.OldMode != f.NewMode:
		return fmt.Sprintf("changed  %s (mode %s to %s)", name, f.OldMode, f.NewMode)
	}
	return "changed  " + name
}

// Saved writes what a checkpoint came to.
func Saved(w io.Writer, m *artifact.Manifest) {
	fmt.Fprintf(w, "saved session %s as run %s (%s)\n", m.Session, m.ID, Count(len(m.Files), "file"))
	fmt.Fprintf(w, "  look at it   stint runs diff %s\n  take it      stint runs apply %s\n", m.ID, m.ID)
}

// Applied writes what an apply to the main work tree came to.
func Applied(w io.Writer, m *artifact.Manifest, worktree string) {
	fmt.Fprintf(w, "applied run %s: %s in %s, not committed\n", m.ID, Count(len(m.Files), "file"), worktree)
}

// Discarded writes that a run was discarded.
func Discarded(w io.Writer, m *artifact.Manifest) { fmt.Fprintf(w, "discarded run %s\n", m.ID) }

// Patch is the lines of a patch as a terminal can show them.
func Patch(patch []byte) []string {
	var all []string
	for l := range bytes.Lines(patch) {
		all = append(all, Line(string(bytes.TrimSuffix(l, []byte("\n")))))
	}
	return all
}
