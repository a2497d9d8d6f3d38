// Package artifacts_test reads back run artifacts, their conversations, what
// lies beside them and the work trees they were taken from and are applied to,
// as every release left them: rows 10 to 14 of the contract, and what rows 19
// and 20 ask of manifests, patches and the conversations of turns.
package artifacts_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	"github.com/freeze-contracts/permafrost/contracts/byhand"
	stint "github.com/freeze-contracts/permafrost/internal/stint/artifact"
	"github.com/freeze-contracts/permafrost/internal/stint/git"
	"github.com/freeze-contracts/permafrost/readers"
	"github.com/freeze-contracts/permafrost/readers/artifact"
)

// This is the one suite that owns the family artifacts.
func TestMain(m *testing.M) {
	contracts.Main(m, "artifacts", contracts.Promises("../../docs/persisted-contracts.md"))
}

// today is the schema that today's code writes.
const today = 2

// place is a thawed project, and today's store on it.
type place struct {
	story
	f         *contracts.Fixture
	th        *contracts.Thawed
	state     string // the project's state folder, by its path in the box
	sessionID string // of the one session; empty if there is none
	talkID    string // of the one conversation; empty if there is none
	toml      file   // stint.toml as init wrote it, which the suite of the family project holds
	store     *stint.Store
	main      git.Tree

	ids  []string // of the runs, as the release listed them
	run  string   // id of the run that is looked at
	told saved    // and what is told of it
}

// each thaws the fixtures in which the script made a run like that, anew for
// each such run.
func each(t *testing.T, like func(saved) bool, do func(t *testing.T, p place)) {
	t.Helper()
	eachIn(t, thaw, like, do)
}

// eachLooked is each for a test that writes nothing.
func eachLooked(t *testing.T, like func(saved) bool, do func(t *testing.T, p place)) {
	t.Helper()
	eachIn(t, look, like, do)
}

func eachIn(t *testing.T, thaw func(*testing.T, *contracts.Fixture) place, like func(saved) bool, do func(t *testing.T, p place)) {
	t.Helper()
	contracts.Each(t, "artifacts", func(t *testing.T, f *contracts.Fixture) {
		t.Parallel()
		for i, told := range tell(t, f).runs {
			if like(told) {
				p := thaw(t, f)
				p.run, p.told = p.ids[i], told
				do(t, p)
			}
		}
	})
}

// every looks at all fixtures.
func every(t *testing.T, do func(t *testing.T, p place)) {
	t.Helper()
	contracts.Each(t, "artifacts", func(t *testing.T, f *contracts.Fixture) {
		t.Parallel()
		do(t, look(t, f))
	})
}

func thaw(t *testing.T, f *contracts.Fixture) place {
	t.Helper()
	return placeOf(t, f, f.Thaw(t, derived))
}

// look is for a test that writes nothing.
func look(t *testing.T, f *contracts.Fixture) place {
	t.Helper()
	return placeOf(t, f, f.Look(t, derived))
}

var derived = contracts.Derive("fingerprint", byhand.Fingerprint)

func placeOf(t *testing.T, f *contracts.Fixture, th *contracts.Thawed) place {
	t.Helper()
	p := place{story: tell(t, f), f: f, th: th}
	p.state = only(t, th, "home/.local/state/stint/projects/*")
	if p.story.session != "" {
		p.sessionID = path.Base(only(t, th, p.state+"/sessions/*"))
	}
	if converses(f) {
		p.talkID = strings.TrimSuffix(path.Base(only(t, th, p.state+"/conversations/*.json")), ".json")
	}
	toml, err := fs.ReadFile(th.FS(t, "project"), "stint.toml")
	require.NoError(t, err)
	p.toml = file{plain, string(toml)}
	p.main = git.Tree{Dir: th.Path("project"), Env: p.env()}
	p.store = &stint.Store{ProjectID: path.Base(p.state), StateDir: th.Path(p.state), Docs: th.FS(t, p.state), Now: p.now}
	for _, m := range p.listed(t) {
		p.ids = append(p.ids, m.ID)
	}
	require.Len(t, p.ids, len(p.runs), "runs")
	return p
}

// env is all that today's code learns of its surroundings.
func (p place) env() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.th.Path("home"), "TZ=UTC",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CEILING_DIRECTORIES=" + p.th.Dir}
}

// only is the one path in the box that matches.
func only(t *testing.T, th *contracts.Thawed, glob string) string {
	t.Helper()
	all, err := fs.Glob(os.DirFS(th.Dir), glob)
	require.NoError(t, err)
	require.Len(t, all, 1, glob)
	return all[0]
}

// now is the pinned clock, in a zone that is none to write times in.
func (p place) now() time.Time {
	return p.f.To.Add(time.Hour).In(time.FixedZone("elsewhere", 12*60*60+45*60))
}

// at is what a document holds of that moment.
func (p place) at() readers.Time {
	return readers.Time{Time: p.f.To.Add(time.Hour).UTC().Truncate(time.Millisecond)}
}

func (p place) folder() string   { return p.state + "/runs/" + p.run }
func (p place) manifest() string { return p.folder() + "/manifest.json" }
func (p place) patch() string    { return p.folder() + "/changes.patch" }
func (p place) talkFile() string { return p.state + "/conversations/" + p.talkID + ".json" }

// worktree is that of the session, or else of the first run.
func (p place) worktree() string {
	if p.sessionID != "" {
		return p.state + "/workspaces/" + p.sessionID + "/worktree"
	}
	return p.state + "/workspaces/" + p.ids[0] + "/worktree"
}

// whole is a work tree with the stint.toml that lies in each.
func (p place) whole(tree files) files { return tree.with(files{"stint.toml": p.toml}) }

// get is the run's manifest, as today's store has it.
func (p place) get(t *testing.T) *artifact.Manifest {
	t.Helper()
	m, err := p.store.Get(p.run)
	require.NoError(t, err)
	return m
}

// apply is what comes of an apply.
func (p place) apply(t *testing.T) string {
	t.Helper()
	_, err := p.store.Apply(t.Context(), p.main, p.run)
	return refusal(err)
}

func (p place) discard(t *testing.T) string {
	t.Helper()
	_, err := p.store.Discard(t.Context(), p.main, p.run)
	return refusal(err)
}

// refusal is what is wrong, without what to do about it.
func refusal(err error) string {
	if err == nil {
		return "none"
	}
	what := err.Error()
	for _, hint := range []string{": commit them", ": check that commit out", ": finish it by", ": see stint", ": wait for", ": run stint", ": begin another"} {
		what, _, _ = strings.Cut(what, hint)
	}
	return what
}

// named gives an error the name by which callers tell it.
func named(err error) string {
	var corrupt *readers.CorruptError
	var newer *readers.NewerError
	var bound *readers.BindingError
	switch {
	case err == nil:
		return "none"
	case errors.As(err, &newer) && errors.Is(err, readers.ErrNewer):
		return fmt.Sprintf("newer: %d", newer.Schema)
	case errors.As(err, &corrupt):
		return "corrupt at " + corrupt.Pointer
	case errors.As(err, &bound):
		return "another " + bound.Field
	case errors.Is(err, readers.ErrTooLarge):
		return "too large"
	case errors.Is(err, readers.ErrNotRegular):
		return "not regular"
	case errors.Is(err, stint.ErrNotFound):
		return "not found"
	case errors.Is(err, fs.ErrNotExist):
		return "missing"
	case errors.Is(err, fs.ErrPermission):
		return "permission"
	}
	return "unnamed: " + err.Error()
}
