package cli_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
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

// What is another user's is named with the command that makes it the caller's,
// and what it hides as well; that command mends both.
func TestDoctorForeign(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give a file to another user")
	}
	stories := build(t)
	d := newDesk(t)
	out, _ := d.stint(0, "session", "open", "--no-attach")
	id := opened.FindStringSubmatch(out)[1]
	d.stint(0, "session", "close", id)
	const nobody = 65534
	require.NoError(t, filepath.WalkDir(d.dir, func(name string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(name, nobody, nobody)
	}))
	own := filepath.Join(d.dir, "stint")
	copyFile(t, filepath.Join(stories, "stint"), own, 0o755)
	sessions, err := filepath.Glob(filepath.Join(d.dir, ".local/state/stint/projects/*/sessions"))
	require.NoError(t, err)
	require.Len(t, sessions, 1)
	document := filepath.Join(sessions[0], id, "session.json")
	run := func(argv ...string) string {
		t.Helper()
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Env = d.env
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		out, _ := cmd.Output() // The exit status of doctor is 1.
		return string(out)
	}
	require.Equal(t, "nothing is wrong\n", run(own, "doctor"))

	require.NoError(t, os.Chown(document, 0, 0))
	require.NoError(t, os.Chown(sessions[0], 0, 0))
	require.NoError(t, os.Chmod(sessions[0], 0o755))
	want := "state folder " + sessions[0] + `: it is another user's
  mend  sudo chown "$(id -u)" ` + sessions[0] + `
state folder ` + sessions[0] + `: its mode is 0755, and 0700 is needed
  mend  chmod 700 ` + sessions[0] + `
state folder ` + document + `: it is another user's
  mend  sudo chown "$(id -u)" ` + document + `
document ` + document + `: open sessions/` + id + `/session.json: permission denied
`
	found := run(own, "doctor")
	if diff := cmp.Diff(want, strings.ReplaceAll(found, "openat", "open")); diff != "" {
		t.Errorf("doctor (-want +got)\n%s", diff)
	}
	for line := range strings.Lines(found) {
		mend, ok := strings.CutPrefix(line, "  mend  ")
		if !ok {
			continue
		}
		// What root would be asked to do is done here by root.
		asked := run("sh", "-c", `sudo() { printf '%s\n' "$@"; }; `+mend)
		if argv := strings.Split(strings.TrimSpace(asked), "\n"); asked != "" {
			d.must(argv...)
		}
	}
	require.Equal(t, "nothing is wrong\n", run(own, "doctor"))
}
