package project_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	stint "github.com/freeze-contracts/permafrost/internal/stint/project"
	"github.com/freeze-contracts/permafrost/readers/project"
)

// Init on what a release made a project is answered as the release answered
// it, and writes nothing.
func TestInit(t *testing.T) {
	contracts.Each(t, "project", func(t *testing.T, f *contracts.Fixture) {
		th := f.Thaw(t)
		for _, r := range script(t, f) {
			if r.stintTOML(f.Release) == nil {
				continue
			}
			if r.refusesInit() {
				refusedInit(t, f, th, r)
				continue
			}
			f.Equal(t, "r3.init", initAgain(t, f, th, r), r.answer(t, th))
			f.Unchanged(t)
			info, err := os.Stat(th.Path(r.marker))
			require.NoError(t, err)
			f.Equal(t, "r3.mode", info.Mode(), r.mode())
		}
	})
}

// Without a configuration, there is no project until init has written a new
// one; then it is the same project as before.
func TestInitFallsBackToTheMarker(t *testing.T) {
	contracts.Each(t, "project", func(t *testing.T, f *contracts.Fixture) {
		th := f.Thaw(t)
		for _, r := range script(t, f) {
			toml := path.Join(r.at, project.ConfigFile)
			require.NoError(t, os.RemoveAll(th.Path(toml)))
			f.Settle(t)
			_, err := stint.Find(t.Context(), env(th), th.Path(r.at))
			f.Equal(t, "r3.none", errors.Is(err, stint.ErrNone), true)
			f.Unchanged(t)
			if r.refusesInit() {
				refusedInit(t, f, th, r)
				continue
			}
			for _, view := range r.refused {
				f.Equal(t, "r3.none.said", [2]any{f.View(view).Exit, string(f.View(view).Stdout)}, [2]any{1, ""})
			}
			want := r.answer(t, th).writing(answer{Config: true})
			f.Equal(t, "r3.fallback", initAgain(t, f, th, r), want)
			f.Unchanged(t, toml)
			got, err := project.ReadConfig(th.FS(t, r.at))
			require.NoError(t, err)
			f.Equal(t, "r3.harness", got.Session.Harness, "sh")
		}
	})
}

// refusesInit says whether .stint is a symlink.
func (r repository) refusesInit() bool { return r.folder != path.Join(r.at, ".stint") }

// mode is the marker's.
func (r repository) mode() fs.FileMode {
	if r.byHand {
		return 0o644
	}
	return 0o600
}

// initAgain runs today's init.
func initAgain(t *testing.T, f *contracts.Fixture, th *contracts.Thawed, r repository) answer {
	t.Helper()
	made, err := stint.Init(t.Context(), env(th), th.Path(r.at), "sh", f.To)
	if err != nil {
		return answerOf(nil, err)
	}
	a := answerOf(made.Project, nil)
	a.Marker, a.Config, a.OfPath = made.Marker, made.Config, made.Shared
	return a
}

// refusedInit is that where .stint is a symlink: what init writes would be
// written elsewhere.
func refusedInit(t *testing.T, f *contracts.Fixture, th *contracts.Thawed, r repository) {
	t.Helper()
	for _, view := range r.refused {
		f.Equal(t, "r3.refused.said", [2]any{f.View(view).Exit, string(f.View(view).Stdout)}, [2]any{1, ""})
	}
	_, err := stint.Init(t.Context(), env(th), th.Path(r.at), "sh", f.To)
	why, _, _ := strings.Cut(or("no error", err), ": init")
	f.Equal(t, "r3.refused", why, fmt.Sprintf("error: %q is not a folder (%s)", th.Path(path.Join(r.at, ".stint")), fs.ModeSymlink))
	f.Unchanged(t)
}
