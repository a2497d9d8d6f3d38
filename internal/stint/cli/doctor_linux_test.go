package cli_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/freeze-contracts/permafrost/internal/stint/doctor"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// What its user may not read is named once, with the command that lets him.
func TestDoctorUnreadable(t *testing.T) {
	asUser(t, func(t *testing.T) {
		d := newRotation(t, "TOKEN=first\n")
		out, _ := d.stint(0, "session", "open", "agent", "--no-attach")
		id := opened.FindStringSubmatch(out)[1]
		repo, err := os.Getwd()
		require.NoError(t, err)
		states, err := filepath.Glob(filepath.Join(d.dir, ".local/state/stint/projects/*"))
		require.NoError(t, err)
		require.Len(t, states, 1)
		require.NoError(t, os.MkdirAll(filepath.Join(states[0], "runs"), 0o700))
		state, projects := states[0], filepath.Dir(states[0])
		for _, at := range []struct{ name, mend string }{
			{repo + "/stint.toml", "chmod 600 "},
			{repo + "/.stint", "chmod 700 "},
			{repo + "/.stint/project.json", "chmod 600 "},
			{projects, "chmod 700 "},
			{state, "chmod 700 "},
			{state + "/runs", "chmod 700 "},
			{state + "/sessions", "chmod 700 "},
			{state + "/sessions/" + id, "chmod 700 "},
			{state + "/sessions/" + id + "/session.json", "chmod 600 "},
		} {
			t.Run(filepath.Base(at.name), func(t *testing.T) {
				info, err := os.Stat(at.name)
				require.NoError(t, err)
				require.NoError(t, os.Chmod(at.name, 0))
				found, err := doctor.Project(t.Context(), d.env, repo)
				require.NoError(t, os.Chmod(at.name, info.Mode().Perm()))
				require.NoError(t, err)
				var mends []string
				for _, f := range found {
					mends = append(mends, f.Mend)
				}
				if diff := cmp.Diff([]string{at.mend + at.name}, mends); diff != "" {
					t.Errorf("mends (-want +got)\n%s%+v", diff, found)
				}
			})
		}
	})
}
