package artifacts_test

import (
	"crypto/sha1"
	"fmt"
	"maps"
	"testing"

	"golang.org/x/mod/semver"

	"github.com/freeze-contracts/permafrost/contracts"
)

// story is what the script of a scenario did.
type story struct {
	made     bool   // a run
	state    string // that it is in
	revision int64
	moved    bool // the main work tree is at another commit than the run's base

	project  files    // the main work tree
	status   string   // of it, without what is ignored
	ignored  string   // what git says of the rest: all of it is stint's own
	commits  []string // of it, the newest first
	tree     string   // which of the trees the latest one is
	worktree files    // of the session; nil where it is closed
	took     string   // which of the trees the worktree's commit is

	more    []string // what lies in the state folder beside session, run and locks
	refused []string // views of a refusal
}

// files is a work tree.
type files map[string]file

// file is one of it, as git knows it. A symlink's content is where it leads.
type file struct{ Mode, Content string }

const (
	plain   = "100644"
	program = "100755"
	symlink = "120000"
)

// hash is git's name of the file's content.
func (f file) hash() string {
	return fmt.Sprintf("%x", sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(f.Content), f.Content)))
}

// with is a with the files of b in their places, and without those of no mode.
func (a files) with(b files) files {
	all := maps.Clone(a)
	maps.Copy(all, b)
	maps.DeleteFunc(all, func(_ string, f file) bool { return f.Mode == "" })
	return all
}

var (
	small = files{"README.md": {plain, "A small project.\n"}}
	base  = small.with(files{
		"old.txt":   {plain, "It goes.\n"},
		"tool.sh":   {plain, "#!/bin/sh\necho tool\n"},
		"moves.txt": {plain, "one\ntwo\nthree\n"},
		"work.sh":   {plain, workScript},
	})
	// changed is what work.sh makes of base.
	changed = files{
		"README.md":            {plain, "A small project.\nmore\n"},
		"committed.txt":        {plain, "committed\n"},
		"docs/memory/notes.md": {plain, "noted\n"},
		"link":                 {symlink, "docs/memory/notes.md"},
		"moved.txt":            {plain, "one\ntwo\nthree\n"},
		"moves.txt":            {},
		"odd name ü.txt":       {plain, "café\r\nno end"},
		"old.txt":              {},
		"staged.txt":           {plain, "staged\n"},
		"tool.sh":              {program, "#!/bin/sh\necho tool\n"},
	}
	worked = base.with(changed)
)

const workScript = `# What a text patch can hold: a file that changes, new ones of which git was
# told of one, a mode, links, a deletion, a renaming, odd names, and a last
# line without an end.
set -e
echo more >>README.md
mkdir -p docs/memory
echo 'noted' >docs/memory/notes.md
echo 'staged' >staged.txt
git add staged.txt
chmod +x tool.sh
ln -s docs/memory/notes.md link
rm old.txt
mv moves.txt moved.txt
printf 'café\r\nno end' >'odd name ü.txt'
echo 'committed' >committed.txt
git add committed.txt
git commit -q -m 'some of it' committed.txt
`

// What git status --porcelain --untracked-files=all says of worked files: on
// base, and in the session's worktree, where some were staged or committed.
const (
	statusApplied = ` M README.md
 D moves.txt
 D old.txt
 M tool.sh
?? committed.txt
?? docs/memory/notes.md
?? link
?? moved.txt
?? "odd name \303\274.txt"
?? staged.txt
`
	statusWorked = ` M README.md
 D moves.txt
 D old.txt
A  staged.txt
 M tool.sh
?? docs/memory/notes.md
?? link
?? moved.txt
?? "odd name \303\274.txt"
`
	statusPicture = " M README.md\n?? picture\n"
	ignoredOwn    = `!! .stint/.gitignore
!! .stint/lock
!! .stint/project.json
`
	ignoredStaged = `!! .stint/.gitignore
!! .stint/apply/README.md
!! .stint/apply/committed.txt
!! .stint/apply/docs/memory/notes.md
!! .stint/apply/link
!! .stint/apply/moved.txt
!! ".stint/apply/odd name \303\274.txt"
!! .stint/apply/staged.txt
!! .stint/apply/tool.sh
!! .stint/lock
!! .stint/project.json
`
)

var first = []string{"commit (initial): the first"}

// told is written by hand after fixtures/scenarios/artifacts.
var told = map[string]story{
	"pending": {made: true, state: "pending", revision: 1,
		project: base, commits: first, tree: "base", ignored: ignoredOwn, worktree: worked, took: "some"},
	"applied": {made: true, state: "applied", revision: 2,
		project: worked, status: statusApplied, commits: first, tree: "base", ignored: ignoredOwn,
		more: []string{"apply.lock"}, refused: []string{"again", "discard"}},
	"discarded": {made: true, state: "discarded", revision: 2,
		project: base, commits: first, tree: "base", ignored: ignoredOwn, worktree: worked, took: "some",
		more: []string{"apply.lock"}, refused: []string{"apply", "close"}},
	"refused": {made: true, state: "pending", revision: 1, moved: true,
		project: base.with(files{"README.md": {plain, "A small project.\nmine\n"}}),
		commits: []string{"commit: the second", "commit (initial): the first"}, tree: "mine", ignored: ignoredOwn,
		worktree: worked, took: "some",
		more: []string{"apply.lock"}, refused: []string{"dirty", "moved"}},
	"applying": {made: true, state: "pending", revision: 1,
		project: base, commits: first, tree: "base", ignored: ignoredStaged,
		more: []string{"apply.lock", "scratch/index",
			"scratch/objects/03/9bb18dbab899a3c57817a93d0e8736c097ed96",   // docs/memory/notes.md
			"scratch/objects/32/3b008eec9d10489acfffe8b2cd36ade6a10f68",   // odd name ü.txt
			"scratch/objects/77/708111af6db7128bbbe0ceb8b385a55f7a608d",   // README.md
			"scratch/objects/b0/98d3c2a974000266bbfdcf78e19a13a4d75d4e"}}, // link
	"binary": {project: small, commits: first, tree: "small", ignored: ignoredOwn,
		worktree: files{"README.md": {plain, "A small project.\nmore\n"}, "picture": {plain, "\x00\x01"}}, took: "small",
		refused: []string{"checkpoint"}},
}

// initial is what depends on the release whose init and patch it was.
type initial struct {
	since     string
	stintTOML string
	ignored   string            // .stint/.gitignore
	trees     map[string]string // by git write-tree, stint.toml among the files
	sum       string            // of the patch, by sha256sum
}

// written has the oldest first.
var written = []initial{{
	since: "v0.1.2",
	stintTOML: `# stint.toml says how coding-agent sessions run in this repository. Commit it.
config_version = 1

[project]
# Where agents keep notes for each other: a folder in each session's worktree,
# handed to the agent as $STINT_MEMORY_DIR.
memory_dir = "docs/memory"

[session]
# What "stint session open" starts when it is not told.
harness = "codex"
# For how many days "stint session list --state closed" shows a closed session;
# 0 means for ever.
retention_days = 90

# An agent that stint does not know by itself, or one to be started otherwise:
#
# [harness.codex]
# command = ["codex", "--full-auto"]
# prompt = ["--", "{prompt}"]
# resume = ["resume", "{conversation}"]
`,
	ignored: "*\n",
	trees: map[string]string{
		"small":  "055423cfe9177545fda241018a0f7c8af517b0a6",
		"base":   "1dca9d6b1530b17b6b3d61fa73bd025248224365",
		"some":   "4d2bb0ed6e60c3668e9ace67b72245c41d76545f", // base and committed.txt
		"mine":   "b1624f952062d0f8aa2101aedaabdf94f9c316d0", // base, and a line more in README.md
		"worked": "1ee40da9433a695ff6445a40800da0365f1532ec",
	},
	sum: "44ed85b8799a966e9b69840606ab18a3de892b7655b30919cc1ace3bdc2a2470",
}}

// tell is what was done in the fixture.
func tell(t *testing.T, f *contracts.Fixture) story {
	t.Helper()
	s, ok := told[f.Scenario]
	if !ok {
		t.Fatalf("scenario %q: this suite does not know what it did; tell it in told", f.Scenario)
	}
	return s
}

func since(release string) initial {
	last := written[0]
	for _, w := range written[1:] {
		if semver.Compare(w.since, release) <= 0 {
			last = w
		}
	}
	return last
}

// whole is a work tree with the stint.toml that lies in each.
func (p place) whole(tree files) files {
	return tree.with(files{"stint.toml": {plain, since(p.f.Release).stintTOML}})
}
