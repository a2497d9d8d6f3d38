package sessions_test

import (
	"cmp"
	"testing"

	"golang.org/x/mod/semver"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	"github.com/freeze-contracts/permafrost/internal/stint/runner"
	"github.com/freeze-contracts/permafrost/internal/tmux"
	config "github.com/freeze-contracts/permafrost/readers/project"
)

// story is what the script of a scenario did.
type story struct {
	sessions []made

	opened  map[string]string // views that tell of a session as it was when it had been opened, by the view that told of it last
	lists   map[string]string // views of list, by the states that they show; all of them where it is empty
	refused []string          // views of a refusal
	closes  map[string]bool   // views that are an answer of close, by whether it was closed before

	by      string            // the release that made the project; the fixture's where it is empty
	base    map[string]string // what was committed beside stint.toml; README.md where it is nil
	config  *config.Config    // stint.toml where it was written by hand
	files   map[string]string // what else lies in the repository
	reflog  []string          // the newest first
	status  string            // ignored files included
	asked   string            // what the view status says
	tree    string            // git write-tree of what was committed
	notes   string            // and of what the agent committed
	saved   *saving           // by a checkpoint of the first session
	only    bool              // open asked whether there was a session for the same
	noToml  bool              // stint.toml was never committed
	tracked bool              // as the marker was
	renamed string            // where the repository is since, by its path in the box

	ignore string // what init wrote as .stint/.gitignore
}

// made is a session of it.
type made struct {
	view string // in which the release told of it last
	fate
	purpose
	talk string // state of its conversation: open where it is empty

	work  map[string]string // files that lie in its worktree beside stint.toml; nil where there is none
	index string            // git status of the worktree
	run   map[string]string // files of its run root; {project} is the repository
	lost  []runner.Kind     // of which close says that they are nowhere else
}

// works says whether it has a worktree.
func (m made) works() bool { return m.work != nil }

// fate is what the release told of it there.
type fate struct {
	State, Live, Stale string
	Revision           int64
	Opened             bool   // it was open at some time
	Failure            string // a part of it
}

// purpose is what it is for, where it is for something, and what follows.
type purpose struct {
	WorkItem, Standing, Instance string
	Tmux                         string // stint- and its id where it is for nothing
}

// saving is the work that was saved by a checkpoint.
type saving struct {
	patch string
	files map[string]string
}

// none is the state of a conversation that was never begun.
const none = "none"

const (
	readme  = "A small project.\n"
	ignored = "!! .stint/.gitignore\n!! .stint/lock\n!! .stint/project.json\n"
	marker  = "{\n  \"schema\": 1,\n  \"project_id\": \"0123456789abcdef0123456789abcdef\",\n  \"created_at\": 1577836800\n}\n"
)

var (
	first = []string{"commit (initial): the first"}
	plain = map[string]string{"README.md": readme}
	// byHand are the files of the scenario standing.
	byHand = map[string]string{"README.md": readme,
		"demo.env": "# What every session is started with.\nexport DEMO_PLACE='a place with  spaces'\nDEMO_EMPTY=\n"}
	reviewer = purpose{Standing: "reviewer", Instance: "blue.example", Tmux: "stint-standing-reviewer"}
)

// stories is written by hand after fixtures/scenarios/sessions.
var stories = map[string]story{
	"open": {
		sessions: []made{{view: "show", fate: fate{"open", "live", "fresh", 2, true, ""},
			work: map[string]string{"README.md": readme + "more\n", "notes.md": "one\n"}, index: " M README.md\n?? notes.md\n",
			run: map[string]string{"log": "kept\n"}, lost: []runner.Kind{runner.Changes, runner.Untracked, runner.Run}}},
		opened: map[string]string{"open": "show"}, lists: map[string]string{"list": "open", "all": ""}, refused: []string{"attach", "close"},
		files: map[string]string{"README.md": readme, "draft.md": readme}, reflog: first, status: "?? draft.md\n" + ignored, asked: "?? draft.md\n",
	},
	"checkpointed": {
		sessions: []made{{view: "show", fate: fate{"open", "live", "fresh", 2, true, ""},
			work: map[string]string{"README.md": readme + "more\n", "notes.md": "one\ntwo\n"}, index: " M README.md\n?? notes.md\n",
			lost: []runner.Kind{runner.Changes, runner.Untracked}}},
		opened: map[string]string{"open": "show"}, lists: map[string]string{"list": "open"}, refused: []string{"close"},
		files: plain, reflog: first, status: ignored, saved: &more,
	},
	"ended": {
		sessions: []made{{view: "show", fate: fate{"open", "dead", "fresh", 2, true, ""}, work: plain}},
		opened:   map[string]string{"open": "show"}, lists: map[string]string{"list": "open"}, refused: []string{"attach"},
		files: plain, reflog: first, status: ignored,
	},
	"stale": {
		sessions: []made{{view: "show", fate: fate{"open", "live", "stale", 2, true, ""}, work: plain}},
		opened:   map[string]string{"open": "show"}, lists: map[string]string{"list": "open"},
		files: plain, reflog: []string{"commit: the second", first[0]}, status: ignored,
	},
	"path-id": {
		sessions: []made{{view: "show", fate: fate{"open", "live", "fresh", 2, true, ""},
			work: map[string]string{"README.md": readme, ".stint/project.json": marker}}},
		opened: map[string]string{"open": "show"}, lists: map[string]string{"list": "open"},
		files: map[string]string{"README.md": readme, ".stint/project.json": marker}, reflog: []string{"commit (initial): with a marker"},
		status: "?? stint.toml\n!! .stint/.gitignore\n!! .stint/lock\n", asked: "?? stint.toml\n",
		tree: "1031be1194de8b8d8fd2a87a8baa895f40a21378", noToml: true, tracked: true,
		base: map[string]string{"README.md": readme, ".stint/project.json": marker},
	},
	"closing": {
		sessions: []made{{view: "show", fate: fate{"closing", "live", "fresh", 3, true, ""}, work: plain}},
		opened:   map[string]string{"open": "show"}, lists: map[string]string{"list": "open", "all": ""}, refused: []string{"attach"},
		files: plain, reflog: first, status: ignored,
	},
	"not-closed": {
		sessions: []made{{view: "show", fate: fate{"closing", "absent", "fresh", 4, true, "git worktree remove"}, work: plain}},
		opened:   map[string]string{"open": "show"}, lists: map[string]string{"list": "open", "all": ""}, refused: []string{"close"},
		files: plain, reflog: first, status: ignored,
	},
	"creating": {
		sessions: []made{{view: "show", fate: fate{"creating", "absent", "fresh", 1, false, ""}, work: plain}},
		lists:    map[string]string{"list": "open", "all": ""}, refused: []string{"attach", "checkpoint"},
		files: plain, reflog: first, status: ignored,
	},
	"recovery-required": {
		sessions: []made{{view: "show", fate: fate{"recovery-required", "absent", "fresh", 2, false, "could not be taken back"}, talk: "closed", work: plain}},
		lists:    map[string]string{"list": "open", "all": ""}, refused: []string{"open", "attach"},
		files: plain, reflog: first, status: ignored,
	},
	"not-opened": {
		sessions: []made{{view: "show", fate: fate{"closed", "absent", "fresh", 2, false, "no space left on device"}, talk: none}},
		lists:    map[string]string{"list": "open", "all": ""}, refused: []string{"open"}, closes: map[string]bool{"close": true},
		files: plain, reflog: first, status: ignored,
	},
	"closed": {
		sessions: []made{{view: "show", fate: fate{"closed", "absent", "fresh", 4, true, ""}}},
		opened:   map[string]string{"open": "show"}, lists: map[string]string{"list": "open", "all": "", "closed": "closed"},
		refused: []string{"attach", "refused"}, closes: map[string]bool{"close": false, "again": true},
		files: plain, reflog: first, status: ignored, saved: &more,
	},
	"several": {
		sessions: []made{
			{view: "closed", fate: fate{"closed", "absent", "fresh", 4, true, ""}},
			{view: "creating", fate: fate{"creating", "absent", "fresh", 1, false, ""}, talk: none, work: plain},
			{view: "list", fate: fate{"open", "live", "fresh", 2, true, ""},
				work: map[string]string{"README.md": readme, "three": "three\n"}, index: "?? three\n", lost: []runner.Kind{runner.Untracked}},
		},
		opened: map[string]string{"first": "closed", "third": "list"},
		lists:  map[string]string{"list": "open", "closed": "closed", "creating": "creating", "closing": "closing"},
		files:  plain, reflog: first, status: ignored,
	},
	"work-item": {
		sessions: []made{{view: "show", fate: fate{"open", "live", "fresh", 2, true, ""}, work: plain,
			purpose: purpose{WorkItem: "github:octo/re-po#15", Tmux: "stint-github-octo-re-po-15"},
			run:     map[string]string{"env": "github:octo/re-po#15\nno instance\n", "config": "{project}/stint.toml\n"}, lost: []runner.Kind{runner.Run}}},
		opened: map[string]string{"open": "show"}, lists: map[string]string{"list": "open"}, refused: []string{"second", "alike"},
		files: plain, reflog: first, status: ignored, only: true,
	},
	"standing": {
		sessions: []made{
			{view: "closed", fate: fate{"closed", "absent", "fresh", 4, true, ""}, purpose: reviewer},
			{view: "list", fate: fate{"open", "live", "fresh", 2, true, ""}, purpose: reviewer, work: byHand,
				run: map[string]string{"env": "no work item\nblue.example\na place with  spaces\n()\n"}, lost: []runner.Kind{runner.Run}},
		},
		opened: map[string]string{"open": "closed", "again": "list"}, lists: map[string]string{"list": "open", "closed": "closed"},
		base: byHand, files: byHand, reflog: first, status: ignored, only: true, tree: "01312d48de1cdf0b37821fbb5d14db108098a86a",
		config: &config.Config{Version: 1, Project: config.Settings{MemoryDir: "docs/memory"}, Env: config.Env{File: "demo.env"},
			Session: config.Session{Harness: "codex", RetentionDays: 90}, Instance: config.Instance{Name: "blue.example"}},
	},
	"recovered": {
		sessions: []made{{view: "list", fate: fate{"closed", "absent", "fresh", 3, false, ""}, talk: none}},
		lists:    map[string]string{"list": ""},
		files:    plain, reflog: first, status: ignored,
	},
	"returned": {
		sessions: []made{{view: "list", fate: fate{"closed", "absent", "fresh", 4, true, ""}}},
		opened:   map[string]string{"open": "list", "older": "list", "older-show": "list"}, lists: map[string]string{"list": ""},
		refused: []string{"older-close"}, closes: map[string]bool{"close": false},
		by: "v0.1.2", files: plain, reflog: first, status: ignored, saved: &one,
	},
	"renamed": {
		sessions: []made{{view: "open", fate: fate{"open", "live", "fresh", 2, true, ""},
			work: map[string]string{"README.md": readme, "one": "one\n"}, index: "?? one\n"}},
		refused: []string{"show", "attach", "again", "close", "mend", "restart", "another"},
		by:      "v0.2.0", files: plain, reflog: first, status: ignored, saved: &one, renamed: "home/renamed",
	},
	"upgraded": {
		sessions: []made{{view: "closed", fate: fate{"closed", "absent", "fresh", 4, true, ""}}},
		opened:   map[string]string{"open": "closed", "list": "closed"}, lists: map[string]string{"closed": ""}, closes: map[string]bool{"close": false},
		by: "v0.1.2", files: plain, reflog: first, status: ignored, saved: &one,
	},
}

// inits are what the init of a release wrote: of its stint.toml git write-tree
// of README.md and it, and of notes.md as well.
var inits = []struct{ since, first, notes, ignore string }{
	{"v0.1.2", "055423cfe9177545fda241018a0f7c8af517b0a6", "776463a8cef0b458a38e4f530480821d6145ec41", "*\n"},
	{"v0.2.0", "b745a64a4b5cd61bd1b4d86eec752089e912d05b", "5efaa75832904ce0dd300666dab038439c301ab4", "project.json\n.gitignore\nlock\napply\n.*.new\n"},
}

// tell is what the fixture's script did.
func tell(t *testing.T, f *contracts.Fixture) story {
	t.Helper()
	s, ok := stories[f.Scenario]
	if !ok {
		t.Fatalf("scenario %q: this suite does not know what it did; tell it in stories", f.Scenario)
	}
	last := inits[0]
	for _, w := range inits[1:] {
		if semver.Compare(w.since, cmp.Or(s.by, f.Release)) <= 0 {
			last = w
		}
	}
	s.tree, s.notes, s.ignore = cmp.Or(s.tree, last.first), last.notes, last.ignore
	if s.base == nil {
		s.base = plain
	}
	return s
}

func script(t *testing.T, f *contracts.Fixture) []made {
	t.Helper()
	return tell(t, f).sessions
}

// said is what the release told of the session last.
func (m made) said(t *testing.T, f *contracts.Fixture) said {
	t.Helper()
	all := told(t, f, m.view)
	require.Len(t, all, 1, m.view)
	return all[0]
}

// pane is the one that was made for the session.
func (m made) pane(s said) tmux.Marked {
	return tmux.Marked{
		Pane: tmux.Pane{ID: "%5", SessionID: "$3", Session: s.TmuxSession, Window: 2, Dead: m.Live == "dead", Path: "/"},
		Mark: s.ID, Start: s.Worktree,
	}
}
