package project_test

import (
	"errors"
	"io/fs"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	stint "github.com/freeze-contracts/permafrost/internal/stint/project"
	"github.com/freeze-contracts/permafrost/readers/project"
)

func TestConfig(t *testing.T) {
	contracts.Each(t, "project", func(t *testing.T, f *contracts.Fixture) {
		th := f.Look(t)
		for _, r := range script(t, f) {
			want := r.stintTOML(f.Release)
			got, err := project.ReadConfig(th.FS(t, r.at))
			if want == nil {
				f.Equal(t, "r2.missing", errors.Is(err, fs.ErrNotExist), true)
				continue
			}
			f.Equal(t, "r2.config", configOf(got, err), configOf(want, nil))
			p, err := stint.Find(t.Context(), env(th), th.Path(r.at))
			if err != nil {
				f.Equal(t, "r2.find", named(err), "none")
				continue
			}
			f.Equal(t, "r2.find", configOf(p.Config, p.NoConfig), configOf(want, nil))
		}
		f.Unchanged(t)
	})
}

// read is a configuration, or why there is none.
type read struct {
	Config *project.Config
	Err    string
}

func configOf(c *project.Config, err error) read { return read{c, named(err)} }

// What stands in a configuration beside its values changes none of them:
// comments, and keys of other releases, which are named.
func TestConfigBesideValues(t *testing.T) {
	comment := regexp.MustCompile(`(?m)^#.*\n`)
	contracts.Each(t, "project", func(t *testing.T, f *contracts.Fixture) {
		th := f.Look(t)
		for _, r := range script(t, f) {
			want := r.stintTOML(f.Release)
			if want == nil {
				continue
			}
			b, err := fs.ReadFile(th.FS(t, r.at), project.ConfigFile)
			require.NoError(t, err)
			bare := comment.ReplaceAll(b, nil)
			require.NotEqual(t, b, bare, "the release wrote no comment")
			f.Equal(t, "r2.comments", configOf(project.ParseConfig("bare", bare)), configOf(want, nil))

			later := *want
			later.Unknown = []string{"later", "session.later", "table"}
			more := edit(t, b, `(?m)^\[session\]\n`, "${0}later = 1\n")
			more = append(append([]byte("later = [1]\n"), more...), "\n[table]\nkey = 1\n"...)
			f.Equal(t, "r2.unknown", configOf(project.ParseConfig("more", more)), configOf(&later, nil))
		}
	})
}

// edit replaces the one place that matches.
func edit(t *testing.T, b []byte, pattern, to string) []byte {
	t.Helper()
	re := regexp.MustCompile(pattern)
	require.Len(t, re.FindAll(b, -1), 1, "places that match %q in\n%s", pattern, b)
	return re.ReplaceAll(b, []byte(to))
}
