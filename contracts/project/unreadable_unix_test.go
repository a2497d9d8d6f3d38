//go:build unix

package project_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	stint "github.com/freeze-contracts/permafrost/internal/stint/project"
)

// A document that may not be read is refused like a damaged one: it is not
// taken for one that is missing.
func TestUnreadable(t *testing.T) {
	if os.Getuid() == 0 {
		asNobody(t)
		return
	}
	contracts.Each(t, "project", func(t *testing.T, f *contracts.Fixture) {
		th := f.Thaw(t)
		for _, r := range script(t, f) {
			for _, doc := range r.documents(f.Release) {
				name := th.Path(path.Join(r.at, doc.file))
				info, err := os.Stat(name)
				require.NoError(t, err)
				require.NoError(t, os.Chmod(name, 0))
				f.Equal(t, doc.row+".unreadable", named(doc.read(th.FS(t, r.at))), "permission")
				p, err := stint.Find(t.Context(), env(th), th.Path(r.at))
				if doc.row == configuring.row {
					require.NoError(t, err)
					err = p.NoConfig
				}
				f.Equal(t, doc.row+".unreadable.find", named(err), "permission")
				if !r.refusesInit() {
					_, err = stint.Init(t.Context(), env(th), th.Path(r.at), "sh", f.To)
					f.Equal(t, doc.row+".unreadable.init", named(err), "permission")
				}
				require.NoError(t, os.Chmod(name, info.Mode().Perm()))
				f.Unchanged(t)
			}
		}
	})
}

// asNobody runs the test that calls it once more, in a process that is not
// root's: root may read everything. Its fixtures lie where it may read them.
func asNobody(t *testing.T) {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "contracts")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	own, err := os.Executable()
	require.NoError(t, err)
	program, fixtures, tmp := filepath.Join(dir, "test"), filepath.Join(dir, "fixtures"), filepath.Join(dir, "tmp")
	frozen, err := contracts.Find(".")
	require.NoError(t, err)
	require.NoError(t, errors.Join(os.CopyFS(fixtures, os.DirFS(frozen)), os.Mkdir(tmp, 0o700)))
	b, err := os.ReadFile(own)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(program, b, 0o700))
	require.NoError(t, hand(dir, 65534))
	cmd := exec.CommandContext(t.Context(), program, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp, contracts.FixturesEnv+"="+fixtures)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "--- PASS: "+t.Name())
}

// hand makes everything in dir, and dir, another user's.
func hand(dir string, uid int) error {
	return filepath.WalkDir(dir, func(name string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(name, uid, uid))
	})
}
