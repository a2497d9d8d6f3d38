package sessions_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/freeze-contracts/permafrost/contracts"
	doc "github.com/freeze-contracts/permafrost/readers/session"
)

// A document that may not be read is neither absent nor empty, and one that
// may not be written is left as it is.
func TestPermission(t *testing.T) {
	contracts.Each(t, "sessions", func(t *testing.T, f *contracts.Fixture) {
		th := thaw(t, f)
		ids := neighbour(t, f, th)
		r := stint(t, f, th)
		for _, s := range script(t, f) {
			id := s.said(t, f).ID
			name := th.Path(documentOf(t, th, id))
			// What may not be read cannot be compared, unless root runs this: it is
			// settled before, and held against that when it may be read again.
			f.Settle(t)
			try := func(file, folder fs.FileMode, do func()) {
				require.NoError(t, os.Chmod(name, file))
				require.NoError(t, os.Chmod(filepath.Dir(name), folder))
				giveAway(t, th.Dir)
				asNobody(t, do)
				require.NoError(t, os.Chmod(filepath.Dir(name), 0o700))
				require.NoError(t, os.Chmod(name, 0o600))
				f.Unchanged(t)
			}
			try(0, 0o700, func() {
				refusedEverywhere(t, f, r, ids, id, "permission", func(_, what string) string { return "r19.permission." + what })
			})
			try(0o600, 0o500, func() {
				h, err := r.Sessions.Hold(t.Context(), id)
				require.NoError(t, err)
				defer h.Release()
				err = h.Update(func(d *doc.Document) { d.Failure = "why" })
				f.Equal(t, "r19.permission.write", named(err), "permission")
			})
		}
	})
}

// other users than root are refused by a file's mode.
const nobodysID = 65534

// giveAway makes nobody the owner of a tree, if this is root.
func giveAway(t *testing.T, dir string) {
	t.Helper()
	if os.Getuid() != 0 {
		return
	}
	require.NoError(t, filepath.WalkDir(dir, func(name string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(name, nobodysID, nobodysID)
	}))
}

// asNobody does what the file system is to see another user than root do.
func asNobody(t *testing.T, do func()) {
	t.Helper()
	if os.Getuid() != 0 {
		do()
		return
	}
	// The user is the thread's alone, which ends with its goroutine.
	done := make(chan bool)
	go func() {
		defer close(done)
		runtime.LockOSThread()
		if err := unix.Setfsuid(nobodysID); err != nil {
			t.Error(err)
			return
		}
		do()
	}()
	<-done
}
