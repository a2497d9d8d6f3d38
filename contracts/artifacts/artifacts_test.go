// Package artifacts_test reads back run artifacts, what lies beside them and
// the work trees they were taken from and are applied to, as every release
// left them: rows 10, 12, 13 and 14 of the contract, and what row 19 asks of
// manifests and patches.
package artifacts_test

import (
	"context"
	"crypto/sha256"
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
	stint "github.com/freeze-contracts/permafrost/internal/stint/artifact"
	"github.com/freeze-contracts/permafrost/internal/stint/git"
	"github.com/freeze-contracts/permafrost/readers"
	"github.com/freeze-contracts/permafrost/readers/artifact"
)

// This is the one suite that owns the family artifacts.
func TestMain(m *testing.M) { contracts.Main(m, "artifacts") }

// today is the schema that today's code writes.
const today = 2

// place is a thawed project, and today's store on it.
type place struct {
	story
	f       *contracts.Fixture
	th      *contracts.Thawed
	state   string // the project's state folder, by its path in the box
	session string // id of the one session
	run     string // id of the one run; empty if there is none
	store   *stint.Store
	main    git.Tree
}

func thaw(t *testing.T, f *contracts.Fixture) place {
	t.Helper()
	th := f.Thaw(t, contracts.Derive("fingerprint", fingerprint))
	p := place{story: tell(t, f), f: f, th: th}
	p.state = only(t, th, "home/.local/state/stint/projects/*")
	p.session = path.Base(only(t, th, p.state+"/sessions/*"))
	if p.made {
		p.run = path.Base(only(t, th, p.state+"/runs/*"))
	}
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + th.Path("home"), "TZ=UTC",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CEILING_DIRECTORIES=" + th.Dir}
	p.main = git.Tree{Dir: th.Path("project"), Env: env}
	p.store = &stint.Store{ProjectID: path.Base(p.state), StateDir: th.Path(p.state), Docs: th.FS(t, p.state), Now: p.now}
	return p
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

func (p place) manifest() string { return p.state + "/runs/" + p.run + "/manifest.json" }
func (p place) patch() string    { return p.state + "/runs/" + p.run + "/changes.patch" }
func (p place) worktree() string { return p.state + "/workspaces/" + p.session + "/worktree" }

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
	for _, hint := range []string{": commit them", ": check that commit out", ": finish it by", ": see stint"} {
		what, _, _ = strings.Cut(what, hint)
	}
	return what
}

// fingerprint derives version 1 of a repository's fingerprint from its path,
// HEAD and porcelain status.
func fingerprint(_ context.Context, in map[string]string) (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00%s\x00%s", in["{project}"], strings.TrimSuffix(in["view/head/stdout"], "\n"),
		strings.ReplaceAll(in["view/status/stdout"], "\n", "\x00"))
	return fmt.Sprintf("v1:%x", h.Sum(nil)), nil
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
