package jot_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	"github.com/freeze-contracts/permafrost/contracts/testdata/jot"
)

// This is the one suite that owns the family notes.
func TestMain(m *testing.M) { contracts.Main(m, "notes") }

const state = "home/.local/state/jot"

// What the scripts of the scenarios did, written by hand.
var told = map[string]struct {
	texts, events []string
	files         map[string]string // what lies beside jot's state
	tree          string            // of the repository, if there is one: git write-tree on its files
}{
	"add":     {texts: []string{"buy milk", `say "hello" to C:\`}, events: []string{"add", "add"}, files: map[string]string{"project/keep.txt": "This file was here first, and stays.\n"}},
	"open":    {texts: []string{"from the keyboard;"}, events: []string{"open", "add"}},
	"refused": {texts: []string{"harmless"}, events: []string{"add"}},
	"killed": {texts: []string{"written"}, events: []string{"add"}, tree: "f183f8c990677c540ea9e34bd1a924aec4dbe554",
		files: map[string]string{"project/note.md": "A note.\n", state + "/trees/lost/note.md": "A note.\n"}},
	"tree": {events: []string{"tree"}, tree: "c03d9af70a64a48cbf3c91cdd7e34646e2e19df8", files: map[string]string{
		"project/note.md": "A note.\n", "project/draft.md": "A note, and more of it.\n",
		state + "/trees/draft/note.md": "A note, and more of it.\n", state + "/trees/draft/draft.md": "A note, and more of it.\n"}},
	"upgrade": {texts: []string{"of the first release", "of the second"}, events: []string{"add", "add"}},
}

// began is the release whose jot init wrote the configuration.
func began(f *contracts.Fixture) string {
	if f.Scenario == "upgrade" {
		return "v1.0.0"
	}
	return f.Release
}

func TestConfig(t *testing.T) {
	contracts.Each(t, "notes", func(t *testing.T, f *contracts.Fixture) {
		th := f.Thaw(t)
		got, err := jot.ReadConfig(th.FS(t, state))
		require.NoError(t, err)
		want := jot.Config{Format: 1, Editor: "ask", Project: th.Path("project")}
		if began(f) == "v1.1.0" {
			want.Format, want.Key = 2, fmt.Sprintf("%x", sha256.Sum256([]byte(th.Path("project"))))[:12]
		}
		f.Equal(t, "r1.config", got, want)
	})
}

func TestNotes(t *testing.T) {
	contracts.Each(t, "notes", func(t *testing.T, f *contracts.Fixture) {
		th := f.Thaw(t)
		notes, err := jot.ReadNotes(th.FS(t, state))
		require.NoError(t, err)
		var texts []string
		for _, n := range notes {
			texts = append(texts, n.Text)
		}
		f.Equal(t, "r2.texts", texts, told[f.Scenario].texts)
		for _, name := range f.Views() {
			said := f.View(name)
			f.Equal(t, "r2.exit", said.Exit, map[string]int{"nobody": 1, "again": 1}[name])
			switch name {
			case "list":
				f.Equal(t, "r2.list", notes, listed(t, said.Stdout))
			case "latest":
				f.Equal(t, "r2.latest", notes[len(notes)-1:], listed(t, fmt.Appendf(nil, "[%s]", said.Stdout)))
			case "first":
				f.Equal(t, "r2.first", notes[0].ID+" "+notes[0].Text+"\n", string(said.Stdout))
			case "nobody", "again":
				f.Equal(t, "r2.silent", string(said.Stdout), "")
			}
		}
		f.Unchanged(t)
	})
}

// listed is what a release printed as JSON, taken apart without the reader.
func listed(t *testing.T, printed []byte) []jot.Note {
	t.Helper()
	var docs []map[string]jsontext.Value
	require.NoError(t, json.Unmarshal(printed, &docs))
	var notes []jot.Note
	for _, d := range docs {
		var n jot.Note
		path, created := d["project"], d["created_unix"]
		if d["format"] != nil {
			var project map[string]jsontext.Value
			require.NoError(t, json.Unmarshal(d["project"], &project))
			path, created = project["path"], d["created"]
		}
		for value, into := range map[string]any{string(d["id"]): &n.ID, string(d["text"]): &n.Text, string(d["blob"]): &n.Blob, string(path): &n.Project, string(created): &n.Created} {
			require.NoError(t, json.Unmarshal([]byte(value), into))
		}
		notes = append(notes, n)
	}
	return notes
}

func TestLog(t *testing.T) {
	contracts.Each(t, "notes", func(t *testing.T, f *contracts.Fixture) {
		th := f.Thaw(t)
		log, err := jot.ReadLog(th.FS(t, state), "log.jsonl")
		require.NoError(t, err)
		var events []string
		for _, e := range log {
			events = append(events, e.Event)
			require.Equal(t, time.UTC, e.Time.Location())
		}
		f.Equal(t, "r3.events", events, told[f.Scenario].events)
		if f.Scenario == "upgrade" {
			before, err := jot.ReadLog(th.FS(t, "keep"), "before.jsonl")
			require.NoError(t, err)
			id, _, _ := strings.Cut(string(f.View("first").Stdout), " ")
			f.Equal(t, "r3.before", before[0].ID, id)
		}
	})
}

func TestTrees(t *testing.T) {
	contracts.Each(t, "notes", func(t *testing.T, f *contracts.Fixture) {
		th := f.Thaw(t)
		trees, err := jot.ReadTrees(th.FS(t, state))
		require.NoError(t, err)
		var want []jot.Tree
		if f.Scenario == "tree" {
			want = []jot.Tree{{Name: "draft", Branch: "draft", Path: th.Path(state + "/trees/draft"), Repository: th.Path("project")}}
			if f.Release == "v1.1.0" {
				want[0].Branch = "jot/draft"
			}
		}
		f.Equal(t, "r4.trees", trees, want)
	})
}

func TestGit(t *testing.T) {
	contracts.Each(t, "notes", func(t *testing.T, f *contracts.Fixture) {
		name := map[string]string{"tree": "draft", "killed": "lost"}[f.Scenario]
		if name == "" {
			return
		}
		th := f.Thaw(t)
		want := contracts.Git{
			Revisions: map[string]string{"HEAD^{tree}": told[f.Scenario].tree},
			Reflog:    []string{"commit (initial): the first"},
			Worktrees: []string{th.Path("project"), th.Path(state + "/trees/" + name)},
		}
		f.CheckGit(t, "r5.repository", "project", want)
		if f.Scenario == "tree" {
			want.Status = string(f.View("status").Stdout)
		}
		// The first entry in a new work tree's reflog has no message.
		want.Reflog = []string{"reset: moving to HEAD"}
		f.CheckGit(t, "r5.worktree", state+"/trees/"+name, want)
	})
}

func TestFiles(t *testing.T) {
	contracts.Each(t, "notes", func(t *testing.T, f *contracts.Fixture) {
		th := f.Thaw(t)
		for name, want := range told[f.Scenario].files {
			got, err := fs.ReadFile(th.FS(t, "."), name)
			require.NoError(t, err)
			f.Equal(t, "r6.kept", string(got), want)
		}
		if f.Scenario == "refused" {
			notes, err := jot.ReadNotes(th.FS(t, state))
			require.NoError(t, err)
			got, err := fs.ReadFile(th.FS(t, "home"), "printed.txt")
			require.NoError(t, err)
			f.Equal(t, "r6.printed", notes[0].ID+" "+notes[0].Text+"\n", string(got))
		}
	})
}
