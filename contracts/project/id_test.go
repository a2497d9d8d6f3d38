package project_test

import (
	"errors"
	"io/fs"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	stint "github.com/freeze-contracts/permafrost/internal/stint/project"
	"github.com/freeze-contracts/permafrost/readers/project"
)

// The reader is told what git tracks, today's code asks git. Wanted is what
// follows from the script; what the release said must be the same.
func TestID(t *testing.T) {
	contracts.Each(t, "project", func(t *testing.T, f *contracts.Fixture) {
		th := f.Look(t)
		for _, r := range script(t, f) {
			want := r.answer(t, th)
			got, err := project.ID(th.FS(t, r.at), r.tracked, want.Repository)
			f.Equal(t, r.row, or(got, err), want.ID)

			p, err := stint.Find(t.Context(), env(th), th.Path(r.at))
			if r.stintTOML(f.Release) == nil {
				f.Equal(t, r.row+".find", errors.Is(err, stint.ErrNone), true)
			} else {
				f.Equal(t, r.row+".find", answerOf(p, err), want)
			}
			for view, wrote := range r.inits {
				f.Equal(t, r.row+".said", said(t, f, view), want.writing(wrote))
				f.Equal(t, r.row+".exit", f.View(view).Exit, 0)
			}
			// Where the release kept the state is its word, too.
			f.Equal(t, r.row+".kept", slices.Contains(keptBy(t, th), want.ID), true)
		}
		f.Unchanged(t)
	})
}

// answer is what init says of a repository where it writes nothing.
func (r repository) answer(t *testing.T, th *contracts.Thawed) answer {
	id := r.id(t, th)
	return answer{ID: id, Repository: th.Path(r.at), StateDir: th.Path(projects + "/" + id), OfPath: r.ofPath}
}

// writing is the answer of an init that wrote what another one says.
func (a answer) writing(wrote answer) answer {
	a.Marker, a.Config = wrote.Marker, wrote.Config
	return a
}

// A symlink is not followed to the marker that it leads to.
func TestMarker(t *testing.T) {
	contracts.Each(t, "project", func(t *testing.T, f *contracts.Fixture) {
		th := f.Look(t)
		for _, r := range script(t, f) {
			_, err := project.ReadMarker(th.FS(t, r.at))
			f.Equal(t, "r1.marker.read", named(err), map[bool]string{true: "not regular", false: "none"}[r.linked])

			want := markerOf(t, th, r)
			got, err := parseMarker(t, th, r)
			require.NoError(t, err)
			f.Equal(t, "r1.marker", *got, project.Marker{Schema: want.Schema, ProjectID: want.ID, CreatedAt: want.CreatedAt})
			wrote := time.Unix(got.CreatedAt, 0).UTC()
			if r.byHand {
				f.Equal(t, "r1.marker.hand", got.ProjectID, "0123456789abcdef0123456789abcdef")
				f.Equal(t, "r1.marker.time", wrote, time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC))
				continue
			}
			f.Equal(t, "r1.marker.kept", slices.Contains(keptBy(t, th), got.ProjectID), true)
			// The marker has whole seconds.
			span := cmpopts.EquateApproxTime(f.To.Sub(f.From) + time.Second)
			f.Equal(t, "r1.marker.time", wrote, f.To, span)
		}
	})
}

// parseMarker reads the marker where it lies.
func parseMarker(t *testing.T, th *contracts.Thawed, r repository) (*project.Marker, error) {
	t.Helper()
	b, err := fs.ReadFile(th.FS(t, "."), r.marker)
	require.NoError(t, err)
	return project.ParseMarker(r.marker, b)
}

// keptBy lists the projects of which the release kept state.
func keptBy(t *testing.T, th *contracts.Thawed) []string {
	t.Helper()
	ids, err := fs.Glob(th.FS(t, projects), "*")
	require.NoError(t, err)
	return ids
}
