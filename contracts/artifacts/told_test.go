package artifacts_test

import (
	"cmp"
	"strings"
	"testing"

	"golang.org/x/mod/semver"

	"github.com/freeze-contracts/permafrost/contracts"
	"github.com/freeze-contracts/permafrost/readers/artifact"
)

// story is what the script of a scenario did.
type story struct {
	runs []saved // that are there, the oldest first
	talk talk    // the one conversation, where the release kept any

	base    files    // what was committed first
	head    files    // what is committed now; base where it is nil
	commits []string // the newest first; the first one where it is nil
	project files    // the main work tree; head where it is nil
	status  string   // of it, without what is ignored
	ignored string   // what git says of the rest, all of it stint's own; ignoredOwn where it is empty

	session  string // its state; empty for none
	worktree files  // what is in the worktree that is there
	took     files  // what its commit holds
	dirty    string // its status
	reflog   []string

	more    []string          // what lies in the state folder beside documents and locks, RUN for the run's id
	refused []string          // views of a refusal
	made    string            // the release that made the project; the fixture's where it is empty
	asked   map[string]string // commands of views that are others than in most scenarios; empty for none that can be given again
}

// saved is a run, and the work it holds.
type saved struct {
	as, by   string // views that tell of it as it was saved, and as it was decided on
	kind     artifact.Kind
	state    artifact.State
	revision int64
	prompt   string
	exit     *int
	release  string // that saved it; the fixture's where it is empty
	moved    bool   // the main work tree is at another commit than the run's base
	half     bool   // an apply of it was killed

	work   files  // what it makes of base; nil: nothing was saved
	patch  string // empty where its sum is told
	sum    string
	status string // of the main work tree, where it was applied
}

// talk is what became of a conversation.
type talk struct {
	state    string
	revision int64
	named    bool // the agent told its own name of it, and it was noted
}

// waits says whether the run has work that is not decided on.
func (s saved) waits() bool {
	return s.state == artifact.Pending || s.state == artifact.Interrupted && s.work != nil
}

// applies says whether it can be applied where it is.
func (s saved) applies() bool { return s.waits() && !s.moved }

// worked says whether it is the work of which a patch of text can hold all.
func (s saved) worked() bool { return s.sum == sumWorked }

func (s saved) patchSum() string {
	if s.work == nil {
		return ""
	}
	return cmp.Or(s.sum, sum(s.patch))
}

// in holds for the runs in a state.
func in(state artifact.State) func(saved) bool {
	return func(s saved) bool { return s.state == state }
}

// whatever is any run.
func whatever(saved) bool { return true }

// holds says whether anything was saved.
func (s saved) holds() bool { return s.work != nil }

// checkpoint is one of worked.
func checkpoint(state artifact.State, revision int64, by string) saved {
	return saved{as: "checkpoint", by: by, kind: artifact.Checkpoint, state: state, revision: revision, work: changed, sum: sumWorked, status: statusApplied}
}

// turn is one that ended.
func turn(as, prompt string, exit int, work files, patch, status string) saved {
	return saved{as: as, kind: artifact.Turn, state: artifact.Pending, revision: 4, prompt: prompt, exit: &exit, work: work, patch: patch, status: status}
}

var (
	first = []string{"commit (initial): the first"}
	// someOf is the reflog of a worktree, whose first entry has no message.
	someOf = []string{"commit: some of it", "reset: moving to HEAD"}
	some   = base.with(files{"committed.txt": changed["committed.txt"]})
	open   = talk{state: "open", revision: 2, named: true}
	inOpen = talk{state: "open", revision: 2}
)

// stories are written by hand after fixtures/scenarios/artifacts.
var stories = map[string]story{
	"pending": {runs: []saved{checkpoint("pending", 1, "")}, talk: inOpen, base: base,
		session: "open", worktree: worked, took: some, dirty: statusWorked, reflog: someOf},
	"applied": {runs: []saved{checkpoint("applied", 2, "apply")}, talk: inOpen, base: base,
		project: worked, status: statusApplied, session: "closed", more: []string{"apply.lock"}, refused: []string{"again", "discard"}},
	"discarded": {runs: []saved{checkpoint("discarded", 2, "discard")}, talk: inOpen, base: base,
		session: "open", worktree: worked, took: some, dirty: statusWorked, reflog: someOf,
		more: []string{"apply.lock"}, refused: []string{"apply", "close"}},
	"refused": {runs: []saved{elsewhere(checkpoint("pending", 1, ""))}, talk: inOpen, base: base,
		head:    base.with(files{"README.md": {plain, "A small project.\nmine\n"}}),
		commits: []string{"commit: the second", "commit (initial): the first"},
		session: "open", worktree: worked, took: some, dirty: statusWorked, reflog: someOf,
		more: []string{"apply.lock"}, refused: []string{"dirty", "moved"}},
	"applying": {runs: []saved{halved(checkpoint("pending", 1, ""))}, talk: inOpen, base: base, ignored: ignoredStaged,
		session: "closed", more: []string{"apply.lock", "scratch/index",
			"scratch/objects/03/9bb18dbab899a3c57817a93d0e8736c097ed96",   // docs/memory/notes.md
			"scratch/objects/32/3b008eec9d10489acfffe8b2cd36ade6a10f68",   // odd name ü.txt
			"scratch/objects/77/708111af6db7128bbbe0ceb8b385a55f7a608d",   // README.md
			"scratch/objects/b0/98d3c2a974000266bbfdcf78e19a13a4d75d4e"}}, // link
	"binary": {base: small, session: "open",
		worktree: files{"README.md": {plain, "A small project.\nmore\n"}, "picture": {plain, "\x00\x01"}}, took: small,
		dirty: statusPicture, reflog: someOf[1:], refused: []string{"checkpoint"}, asked: map[string]string{"show": ""}},
	"binaries": {runs: []saved{{as: "checkpoint", by: "apply", kind: "checkpoint", state: "applied", revision: 2, work: drawn, patch: drawnPatch}}, talk: inOpen,
		base: programs, project: programs.with(drawn), status: " M run.sh\n?? link\n?? moved\n?? picture\n",
		session: "closed", more: []string{"apply.lock"}},
	"run": {runs: []saved{turn("run", `echo more >>README.md; printf "\000\001" >picture; ln -s README.md link`, 0, turned, turnedPatch, " M README.md\n?? link\n?? picture\n")},
		talk: open, base: spaced, asked: map[string]string{"sessions": "session list --all"}},
	"run-failed": {runs: []saved{turn("", "echo half >half; exit 3", 3, files{"half": {plain, "half\n"}}, added("half", "half"), "?? half\n")},
		talk: open, base: spaced, refused: []string{"run"}},
	"running": {runs: []saved{{kind: "run", state: "running", revision: 3, prompt: "echo done >work"}}, talk: talk{state: "open", revision: 1},
		base: spaced, worktree: spaced.with(done), took: spaced, dirty: "?? work\n", reflog: []string{},
		more: []string{"apply.lock", "runs/RUN/scratch/index", "runs/RUN/scratch/objects/19/f86f493ab110b8dc8279a024880e44203968d8"}, refused: []string{"apply"}},
	"interrupted": {runs: []saved{{kind: "run", state: "interrupted", revision: 4, prompt: "echo done >work",
		work: done, patch: added("work", "done"), status: "?? work\n"}}, talk: open, base: spaced, asked: map[string]string{"again": "runs recover"}},
	"continued": {runs: []saved{
		turn("first", "echo one >one", 0, one, added("one", "one"), "?? one\n"),
		turn("second", "cat one; echo two >two", 0, two, added("one", "one")+added("two", "two"), "?? one\n?? two\n"),
	}, talk: talk{state: "open", revision: 3, named: true}, base: spaced, asked: map[string]string{"show": "conversations show TALK"}},
	"pruned": {talk: talk{state: "closed", revision: 3, named: true}, base: spaced, refused: []string{"continue"}},
	"twice": {runs: []saved{
		{as: "first", kind: "checkpoint", state: "pending", revision: 1, work: one, patch: added("one", "one"), status: "?? one\n?? two\n"},
		{as: "second", kind: "checkpoint", state: "applied", revision: 2, work: two, patch: added("one", "one") + added("two", "two")},
	}, talk: talk{state: "open", revision: 3}, base: small, project: small.with(two), status: "?? one\n?? two\n",
		session: "closed", more: []string{"apply.lock"}, asked: map[string]string{"list": "", "runs": "runs list"}},
	"upgraded": {runs: []saved{
		{as: "first", release: "v0.1.2", kind: "checkpoint", state: "pending", revision: 1, work: one, patch: added("one", "one"), status: "?? one\n?? two\n"},
		{as: "second", release: "v0.2.0", kind: "checkpoint", state: "applied", revision: 2, work: two, patch: added("one", "one") + added("two", "two")},
	}, talk: talk{state: "open", revision: 1}, base: small, project: small.with(two), status: "?? one\n?? two\n", made: "v0.1.2",
		session: "closed", more: []string{"apply.lock"}, asked: map[string]string{"list": "", "runs": "runs list"}},
}

// done is what the agent did that was cut off.
var done = files{"work": {plain, "done\n"}}

func elsewhere(s saved) saved { s.moved = true; return s }
func halved(s saved) saved    { s.half = true; return s }

// tell is what was done in the fixture.
func tell(t *testing.T, f *contracts.Fixture) story {
	t.Helper()
	s, ok := stories[f.Scenario]
	if !ok {
		t.Fatalf("scenario %q: this suite does not know what it did; tell it in stories", f.Scenario)
	}
	if s.head == nil {
		s.head = s.base
	}
	if s.project == nil {
		s.project = s.head
	}
	if s.commits == nil {
		s.commits = first
	}
	s.ignored = cmp.Or(s.ignored, ignoredOwn)
	return s
}

// converses says whether the release kept conversations.
func converses(f *contracts.Fixture) bool { return conversing(f.Release) }

func conversing(release string) bool { return semver.Compare(release, "v0.2.0") >= 0 }

// talked says whether the release that saved a run kept conversations.
func (p place) talked(s saved) bool { return conversing(cmp.Or(s.release, p.f.Release)) }

// ignores is what .stint/.gitignore holds.
func (p place) ignores() string {
	if semver.Compare(cmp.Or(p.made, p.f.Release), "v0.2.0") < 0 {
		return "*\n"
	}
	return strings.Join([]string{"project.json", ".gitignore", "lock", "apply", ".*.new", ""}, "\n")
}
