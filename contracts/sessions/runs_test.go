package sessions_test

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	"github.com/freeze-contracts/permafrost/readers/artifact"
)

// saidRun is all that is told of a run by which a session's work was saved.
type saidRun struct {
	ID, Project, Kind, Session, State string
	Harness, Conversation             string // none before v0.2.0
	Revision                          int64
	Root, Base, Fingerprint           string
	Files                             []file
	PatchSHA256                       string
	PatchSize                         int64
	Created, Updated                  string
}

type file struct {
	Path    string `json:"path"`
	OldMode string `json:"old_mode"`
	NewMode string `json:"new_mode"`
	OldHash string `json:"old_hash"`
	NewHash string `json:"new_hash"`
}

// printedRun is one in JSON, in either schema.
type printedRun struct {
	Schema       int            `json:"schema"`
	ID           string         `json:"id"`
	Project      string         `json:"project_id"`
	Kind         string         `json:"kind"`
	Session      string         `json:"session"`
	Harness      string         `json:"harness"`
	Conversation string         `json:"conversation"`
	Revision     int64          `json:"revision"`
	State        string         `json:"state"`
	Root         string         `json:"root"`
	Base         string         `json:"base"`
	Fingerprint  string         `json:"fingerprint"`
	Files        []file         `json:"files"`
	PatchSHA256  string         `json:"patch_sha256"`
	PatchSize    int64          `json:"patch_size"`
	Created      jsontext.Value `json:"created_at"`
	Updated      jsontext.Value `json:"updated_at"`
}

func (p printedRun) said(t *testing.T) saidRun {
	return saidRun{p.ID, p.Project, p.Kind, p.Session, p.State, p.Harness, p.Conversation, p.Revision, p.Root, p.Base, p.Fingerprint, p.Files,
		p.PatchSHA256, p.PatchSize, moment(t, p.Created), moment(t, p.Updated)}
}

// readRun is what today's reader tells of one.
func readRun(m *artifact.Manifest) saidRun {
	var files []file
	for _, f := range m.Files {
		files = append(files, file{f.Path, f.OldMode, f.NewMode, f.OldHash, f.NewHash})
	}
	return saidRun{m.ID, m.ProjectID, string(m.Kind), m.Session, string(m.State), m.Harness, m.Conversation, m.Revision, m.Root, m.Base, m.Fingerprint, files,
		m.PatchSHA256, m.PatchSize, given(m.CreatedAt), given(m.UpdatedAt)}
}

// runs are those that a view lists, or the one that it is about.
func runs(t *testing.T, f *contracts.Fixture, view string) []saidRun {
	t.Helper()
	all := parse[struct {
		Runs       []printedRun `json:"runs"`
		Run        *printedRun  `json:"run"`
		Unreadable []unreadable `json:"unreadable"`
	}](t, view, f.View(view).Stdout)
	f.Equal(t, "r10.exit", f.View(view).Exit, 0)
	require.Empty(t, all.Unreadable, view)
	if all.Run != nil {
		all.Runs = append(all.Runs, *all.Run)
	}
	var told []saidRun
	for _, p := range all.Runs {
		told = append(told, p.said(t))
	}
	return told
}

// unreadable is what list says of a document that does not read.
type unreadable struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// more is what the scenarios checkpointed and closed saved.
var more = saving{files: map[string]string{"README.md": readme + "more\n", "notes.md": "one\n"}, patch: `diff --git a/README.md b/README.md
index 7487549130c345451cf95936c8b0e574e9a71865..77708111af6db7128bbbe0ceb8b385a55f7a608d 100644
--- a/README.md
+++ b/README.md
@@ -1 +1,2 @@
 A small project.
+more
diff --git a/notes.md b/notes.md
new file mode 100644
index 0000000000000000000000000000000000000000..5626abf0f72e58d7a153368ba57db4c673c0e171
--- /dev/null
+++ b/notes.md
@@ -0,0 +1 @@
+one
`}

// one is what the scenarios upgraded and returned saved.
var one = saving{files: map[string]string{"README.md": readme, "one": "one\n"}, patch: `diff --git a/one b/one
new file mode 100644
index 0000000000000000000000000000000000000000..5626abf0f72e58d7a153368ba57db4c673c0e171
--- /dev/null
+++ b/one
@@ -0,0 +1 @@
+one
`}

// saved are the files of a checkpoint that found work in a worktree.
func saved(base, work map[string]string) []file {
	var files []file
	for name, text := range work {
		was, there := base[name]
		if there && was == text {
			continue
		}
		f := file{Path: name, NewMode: "100644", NewHash: blob(text)}
		if there {
			f.OldMode, f.OldHash = "100644", blob(was)
		}
		files = append(files, f)
	}
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.Path, b.Path) })
	return files
}

// blob is git's name of a file's content.
func blob(text string) string {
	sum := sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(text), text))
	return hex.EncodeToString(sum[:])
}

// The run of a checkpoint is read as the release told of it, long after its
// session.
func TestRuns(t *testing.T) {
	each(t, func(t *testing.T, f *contracts.Fixture, th *contracts.Thawed) {
		s := tell(t, f)
		r := stint(t, f, th)
		all, skipped, err := r.Runs.Manifests()
		require.NoError(t, err)
		f.Equal(t, "r10.readable", len(skipped), 0)
		if s.saved == nil {
			f.Equal(t, "r10.none", len(all), 0)
			return
		}
		require.Len(t, all, 1)
		got := readRun(all[0])
		for _, view := range []string{"runs", "checkpoint", "run"} {
			if slices.Contains(f.Views(), view) {
				f.Equal(t, "r10."+view, got, runs(t, f, view)[0])
			}
		}
		of := s.sessions[0].said(t, f)
		want := saidRun{
			ID: got.ID, Project: of.Project, Kind: "checkpoint", Session: of.ID, State: "pending", Revision: 1,
			Root: of.Worktree, Base: of.Base, Fingerprint: of.Fingerprint, Files: saved(s.base, s.saved.files),
			PatchSHA256: sum(s.saved.patch), PatchSize: int64(len(s.saved.patch)), Created: got.Created, Updated: got.Created,
		}
		if converses(f) {
			want.Harness, want.Conversation = "codex", s.sessions[0].conversation(t, f)
		}
		f.Equal(t, "r10.story", got, want)
		b, err := r.Runs.Patch(all[0])
		require.NoError(t, err)
		f.Equal(t, "r10.patch", string(b), s.saved.patch)
		if slices.Contains(f.Views(), "diff") {
			diff := parse[map[string]string](t, "diff", f.View("diff").Stdout)
			f.Equal(t, "r10.diff", diff, map[string]string{"run": got.ID, "patch": s.saved.patch})
			f.Equal(t, "r10.diff", f.View("diff").Exit, 0)
		}
		f.Unchanged(t)
	})
}

func sum(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// What an older release said of a newer run: it is there, and does not read.
func TestOlderRuns(t *testing.T) {
	contracts.Each(t, "sessions", func(t *testing.T, f *contracts.Fixture) {
		if !slices.Contains(f.Views(), "older-runs") {
			return
		}
		th := look(t, f)
		l := parse[struct {
			Runs       []printedRun `json:"runs"`
			Unreadable []unreadable `json:"unreadable"`
		}](t, "older-runs", f.View("older-runs").Stdout)
		f.Equal(t, "r10.older", f.View("older-runs").Exit, 0)
		f.Equal(t, "r10.older", l.Runs, []printedRun{})
		box := path.Join("runs", runs(t, f, "checkpoint")[0].ID, "manifest.json")
		f.Equal(t, "r10.older", l.Unreadable, []unreadable{{th.Path(path.Join(state(t, th), box)),
			fmt.Sprintf("%q: schema 2 is newer than 1, the newest this build reads: use a newer stint", box)}})
	})
}
