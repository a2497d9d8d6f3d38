package cli_test

import (
	"crypto/sha1"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// held is a document as it is on disk.
type held struct {
	ID, State, Session, Base string
	WorkItem                 string `json:"work_item"`
	Standing                 string
	Revision                 int
}

// read reads all documents of a kind from disk, by id.
func (h *hammer) read(pattern string) map[string]held {
	h.Helper()
	files, err := filepath.Glob(filepath.Join(h.state, pattern))
	require.NoError(h, err)
	all := make(map[string]held)
	for _, file := range files {
		b, err := os.ReadFile(file)
		require.NoError(h, err)
		var d held
		require.NoError(h, json.Unmarshal(b, &d), "%s: %s", file, b)
		require.Contains(h, file, d.ID)
		require.GreaterOrEqual(h, d.Revision, h.seen[d.ID], file)
		h.seen[d.ID] = d.Revision
		all[d.ID] = d
	}
	return all
}

// check looks at all there is while nobody is at work.
func (h *hammer) check() {
	h.Helper()
	sessions, runs, talks := h.read("sessions/*/session.json"), h.read("runs/*/manifest.json"), h.read("conversations/*.json")
	for id := range h.seen {
		require.True(h, sessions[id].ID == id || runs[id].ID == id || talks[id].ID == id, "the document of %s is gone", id)
	}
	require.NoError(h, h.everything())
	for _, id := range h.opened {
		require.Contains(h, sessions, id)
	}
	active := make(map[string]string)
	for id, d := range sessions {
		purpose := d.WorkItem + d.Standing
		if purpose != "" && d.State != "closed" {
			require.Empty(h, active[purpose], "%s and %s are for %s", active[purpose], id, purpose)
			active[purpose] = id
		}
	}
	h.programs(sessions)
	h.worktrees(sessions)
	h.kept(sessions, runs)
	h.clean()
}

// everything is that each command that lists reads all.
func (h *hammer) everything() error {
	for _, args := range [][]string{{"session", "list", "--all"}, {"runs", "list"}, {"conversations", "list"}} {
		out, done, err := h.call(h.Context(), args...)
		if err != nil || !done || strings.Contains(out, "unreadable") {
			return fmt.Errorf("%s: %w: %s", args, err, out)
		}
	}
	return nil
}

// programs: each open session has one pane and one agent in it, and no other
// has any.
func (h *hammer) programs(sessions map[string]held) {
	h.Helper()
	want, panes := make(map[string][]int), make(map[string][]int)
	for id, d := range sessions {
		require.Contains(h, []string{"open", "closing", "closed"}, d.State, id)
		require.Equal(h, h.closed[id] || d.State == "closed", d.State == "closed", id)
		h.closed[id] = d.State == "closed" // also by a recovery
	}
	for _, p := range h.panes(h.Context()) {
		require.False(h, p.dead, p)
		panes[p.mark] = append(panes[p.mark], p.pid)
	}
	for id, d := range sessions {
		if d.State == "open" {
			require.Len(h, panes[id], 1, id)
			want[id] = panes[id]
			h.await(id, "agent") // it may be only just starting
		}
	}
	require.Empty(h, cmp.Diff(want, panes), "panes (-want +got)")
	require.Empty(h, cmp.Diff(want, h.agents()), "agents (-want +got)")
}

// git asks git about the repository, with objects and an index of its own.
func (h *hammer) git(args ...string) string {
	h.Helper()
	repo, own := filepath.Join(h.dir, "repo"), filepath.Join(h.dir, "own")
	require.NoError(h, os.MkdirAll(own, 0o700))
	cmd := exec.Command("git", args...)
	cmd.Env = append(slices.Clone(h.env), "GIT_INDEX_FILE="+filepath.Join(own, "index"), "GIT_OBJECT_DIRECTORY="+own,
		"GIT_ALTERNATE_OBJECT_DIRECTORIES="+filepath.Join(repo, ".git/objects"))
	out, err := cmd.CombinedOutput()
	require.NoError(h, err, "%s: %s", args, out)
	return string(out)
}

var tracked = regexp.MustCompile(`(?m)^\d+ (?:blob )?(\w{40})(?: \d)?\t(.*)$`)

// hashes are git's names of files, by their own.
func hashes(listing string) map[string]string {
	all := make(map[string]string)
	for _, m := range tracked.FindAllStringSubmatch(listing, -1) {
		all[m[2]] = m[1]
	}
	return all
}

func hash(text string) string {
	return fmt.Sprintf("%x", sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(text), text)))
}

// worktrees are those of the sessions that are not closed, and no others; each
// session has its branch.
func (h *hammer) worktrees(sessions map[string]held) {
	h.Helper()
	var want, got, branches, folders []string
	for id, d := range sessions {
		if d.State != "closed" {
			want, folders = append(want, h.worktree(id)), append(folders, id)
		}
		branches = append(branches, "stint/"+id)
	}
	for line := range strings.Lines(h.git("worktree", "list", "--porcelain")) {
		if dir, ok := strings.CutPrefix(strings.TrimSpace(line), "worktree "); ok && strings.HasPrefix(dir, h.state) {
			got = append(got, dir)
		}
	}
	require.ElementsMatch(h, want, got)
	require.ElementsMatch(h, branches, strings.Fields(h.git("for-each-ref", "--format=%(refname:short)", "refs/heads/stint")))
	entries, err := os.ReadDir(filepath.Join(h.state, "workspaces"))
	require.NoError(h, err)
	var there []string
	for _, e := range entries {
		there = append(there, e.Name())
	}
	require.ElementsMatch(h, folders, there)
}

// kept is that work is where it was written, or in a run or on the branch of
// its session; that each run holds what was there before it; and that what was
// applied is in the main work tree.
func (h *hammer) kept(sessions, runs map[string]held) {
	h.Helper()
	holds := make(map[string]map[string]string)
	for id, s := range h.saved {
		run := runs[id]
		require.Equal(h, s.session, run.Session, "run %s", id)
		require.Contains(h, []string{"pending", "applied"}, run.State, id)
		require.Equal(h, h.put[id], run.State == "applied", id)
		in := h.holds(run)
		for name, text := range s.works {
			require.Equal(h, hash(text), in[name], "%s of session %s in run %s", name, s.session, id)
			if h.put[id] {
				b, err := os.ReadFile(name)
				require.NoError(h, err)
				require.Equal(h, hash(text), hash(string(b)), "%s in the main work tree", name)
			}
		}
		if holds[s.session] == nil {
			holds[s.session] = make(map[string]string)
		}
		maps.Copy(holds[s.session], in)
	}
	for id, works := range h.works {
		if sessions[id].State == "closed" {
			in := hashes(h.git("ls-tree", "-r", "stint/"+id))
			for name, text := range works {
				require.Contains(h, []string{in[name], holds[id][name]}, hash(text), "%s of session %s, which is closed", name, id)
			}
			continue
		}
		for name, text := range works {
			b, err := os.ReadFile(filepath.Join(h.worktree(id), name))
			require.NoError(h, err)
			require.Equal(h, hash(text), hash(string(b)), "%s of session %s", name, id)
		}
	}
}

// holds is what the commit that a run was made on and its patch make.
func (h *hammer) holds(run held) map[string]string {
	h.Helper()
	if h.verified[run.ID] == nil {
		h.git("read-tree", run.Base)
		h.git("apply", "--cached", "--binary", filepath.Join(h.state, "runs", run.ID, "changes.patch"))
		h.verified[run.ID] = hashes(h.git("ls-files", "-s"))
	}
	return h.verified[run.ID]
}

var leftover = regexp.MustCompile(`\.new$|/scratch$|/applying$|/\.pruned-[^/]*$|/\.stint/apply$|/(index|HEAD|packed-refs|config)\.lock$|/tmp/.`)

// clean is that no scratch is left, and that git finds nothing wrong.
func (h *hammer) clean() {
	h.Helper()
	var left []string
	require.NoError(h, filepath.WalkDir(h.dir, func(name string, _ fs.DirEntry, err error) error {
		if leftover.MatchString(strings.TrimPrefix(name, h.dir)) {
			left = append(left, name)
		}
		return err
	}))
	require.Empty(h, left)
	cmd := exec.Command("git", "fsck", "--no-progress")
	cmd.Env = h.env
	out, err := cmd.CombinedOutput()
	require.NoError(h, err, "%s", out)
	require.Empty(h, string(out))
}
