package project_test

import (
	"cmp"
	"slices"
	"testing"

	"golang.org/x/mod/semver"

	"github.com/freeze-contracts/permafrost/contracts"
	"github.com/freeze-contracts/permafrost/readers/project"
)

// repository is what the script of a scenario did in one repository.
type repository struct {
	at     string // its main work tree, by its path in the box
	row    string // id of what is asserted of its project's id
	folder string // where its .stint lies, if that is a symlink
	marker string // the file of its marker, if that is a symlink

	tracked bool // git was told of the marker
	linked  bool // a symlink leads to the marker
	ofPath  bool // so the id is that of the path
	byHand  bool // the marker was not written by stint

	inits   map[string]answer // views that are an answer of init, by what it wrote
	refused []string          // views of a refusal
	lists   map[string]string // views that list none of what is named
	printed map[string]string // views of git; {ignore} is the first line of what init wrote as .stint/.gitignore
	files   map[string]string // what else lies there

	harness string          // the default one in the stint.toml that init wrote
	config  *project.Config // stint.toml where it was written by hand

	commits []string // the newest first
	first   string   // the default harness in the stint.toml that init wrote and the commits hold
	tree    string   // of the commits, where they hold something else
	status  string
}

const (
	readme = "A small project.\n"
	none   = "" // there is no stint.toml
)

// told is written by hand after fixtures/scenarios/project.
var told = map[string][]repository{
	"init": {{
		at: "project", row: "r1.untracked",
		lists: map[string]string{"list": "sessions", "runs": "runs"},
		inits: map[string]answer{"init": {Marker: true, Config: true}},
		printed: map[string]string{"status": "!! .stint/\n", "tracked": "README.md\nstint.toml\n",
			"ignored": ".stint/.gitignore:1:{ignore}\t.stint/project.json\n"},
		files:   map[string]string{"project/README.md": readme},
		harness: "codex",
		commits: []string{"commit: run sessions with stint", "commit (initial): the first"}, first: "codex",
		status: "!! .stint/.gitignore\n!! .stint/lock\n!! .stint/project.json\n",
	}},
	"again": {{
		at: "project", row: "r1.untracked",
		lists:   map[string]string{"list": "sessions"},
		inits:   map[string]answer{"unchanged": {}, "rewritten": {Config: true}},
		refused: []string{"refused"},
		printed: map[string]string{"status": " M stint.toml\n"},
		files:   map[string]string{"project/README.md": readme},
		harness: "codex",
		commits: []string{"commit (initial): the first"}, first: "claude",
		status: " M stint.toml\n!! .stint/.gitignore\n!! .stint/lock\n!! .stint/project.json\n",
	}},
	"configured": {{
		at: "project", row: "r1.untracked",
		lists: map[string]string{"list": "sessions"},
		inits: map[string]answer{"init": {Marker: true}},
		config: &project.Config{
			Version: 1,
			Project: project.Settings{MemoryDir: "notes/agents"},
			Session: project.Session{Harness: "reviewer", RetentionDays: 0},
			Harness: map[string]project.Harness{
				"codex":    {Command: []string{"codex", "--full-auto"}, Prompt: []string{"--", "{prompt}"}, Resume: []string{"resume", "{conversation}"}},
				"reviewer": {Command: []string{"sh", "-c", `cat "$1"`, "reviewer"}, Prompt: []string{"--say", "{prompt}"}},
			},
		},
		commits: []string{"commit (initial): the first"}, tree: "6d35a2cc0f82e1c0c62afbc2ca21836791ae4e08",
		status: "!! .stint/.gitignore\n!! .stint/lock\n!! .stint/project.json\n",
	}},
	"unconfigured": {{
		at: "project", row: "r1.untracked",
		refused: []string{"list", "open"},
		files:   map[string]string{"project/README.md": readme},
		harness: none,
		commits: []string{"commit (initial): the first"}, first: "codex",
		status: " D stint.toml\n!! .stint/.gitignore\n!! .stint/lock\n!! .stint/project.json\n",
	}},
	"tracked": {{
		at: "project", row: "r1.tracked",
		lists:   map[string]string{"list": "sessions"},
		tracked: true, ofPath: true,
		inits:   map[string]answer{"init": {OfPath: true}},
		printed: map[string]string{"tracked": ".stint/project.json\n"},
		files:   map[string]string{"project/README.md": readme},
		harness: "codex",
		commits: []string{"commit (initial): the first"}, first: "codex",
		status: " A .stint/project.json\n!! .stint/.gitignore\n!! .stint/lock\n",
	}},
	"cloned": {{
		at: "project", row: "r1.cloned",
		lists:   map[string]string{"list": "sessions"},
		tracked: true, ofPath: true, byHand: true,
		inits:   map[string]answer{"init": {Config: true, OfPath: true}},
		printed: map[string]string{"tracked": ".stint/project.json\n"},
		files:   map[string]string{"project/README.md": readme},
		harness: "codex",
		commits: []string{"commit (initial): with a marker"}, tree: "1031be1194de8b8d8fd2a87a8baa895f40a21378",
		status: "?? stint.toml\n!! .stint/.gitignore\n!! .stint/lock\n",
	}},
	"linked": {{
		at: "project", row: "r1.symlink", marker: "project/other/.stint/project.json",
		lists:  map[string]string{"list": "sessions"},
		linked: true, ofPath: true,
		inits:   map[string]answer{"init": {Config: true, OfPath: true}},
		files:   map[string]string{"project/README.md": readme},
		harness: "codex",
	}, {
		at: "project/other", row: "r1.untracked",
		inits:   map[string]answer{"other": {Marker: true, Config: true}},
		harness: "codex",
	}},
	"linked-folder": {{
		at: "project", row: "r1.symlink-folder", folder: "project/elsewhere",
		lists:  map[string]string{"list": "sessions"},
		linked: true, ofPath: true,
		refused: []string{"init"},
		files:   map[string]string{"project/README.md": readme},
		harness: "codex",
		commits: []string{"commit (initial): the first"}, first: "codex",
		status: "?? .stint\n!! elsewhere/.gitignore\n!! elsewhere/lock\n!! elsewhere/project.json\n",
	}},
}

// initial is what init writes since a release: stint.toml, and what git is to
// leave alone in .stint.
type initial struct {
	since  string
	config project.Config    // without the default harness
	trees  map[string]string // by the default harness: git write-tree of README.md and this stint.toml
	ignore string            // .stint/.gitignore
}

// written has the oldest first.
var written = []initial{
	{
		since: "v0.1.2",
		config: project.Config{Version: 1, Project: project.Settings{MemoryDir: "docs/memory"},
			Session: project.Session{RetentionDays: 90}},
		trees:  map[string]string{"codex": "055423cfe9177545fda241018a0f7c8af517b0a6", "claude": "6be54d875993d3178f30fdb4029c2c4800a781a4"},
		ignore: "*\n",
	},
	{
		since: "v0.2.0",
		config: project.Config{Version: 1, Project: project.Settings{MemoryDir: "docs/memory"},
			Session: project.Session{RetentionDays: 90}},
		trees:  map[string]string{"codex": "b745a64a4b5cd61bd1b4d86eec752089e912d05b", "claude": "64c901efa5c0afea17e1c85cb2f7a429fd21d2c4"},
		ignore: "project.json\n.gitignore\nlock\napply\n.*.new\n",
	},
}

// script is what was done in the fixture's repositories.
func script(t *testing.T, f *contracts.Fixture) []repository {
	t.Helper()
	all := slices.Clone(told[f.Scenario])
	if len(all) == 0 {
		t.Fatalf("scenario %q: this suite does not know what it did; tell it in told", f.Scenario)
	}
	for i, r := range all {
		all[i].folder = cmp.Or(r.folder, r.at+"/.stint")
		all[i].marker = cmp.Or(r.marker, all[i].folder+"/project.json")
	}
	return all
}

// stintTOML is what is wanted of the repository's configuration, nil where
// there is none.
func (r repository) stintTOML(release string) *project.Config {
	if r.config != nil || r.harness == none {
		return r.config
	}
	c := since(release).config
	c.Session.Harness = r.harness
	return &c
}

// committed is the tree of the commit that is HEAD.
func (r repository) committed(release string) string {
	if r.tree != "" {
		return r.tree
	}
	return since(release).trees[r.first]
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
