package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/freeze-contracts/permafrost/internal/stint/document"
)

// path is that of something in the project's state folder.
func (v *visit) path(name string) string {
	return filepath.Join(v.Project.StateDir, filepath.FromSlash(name))
}

// state looks who can get at the project's state. Workspaces and scratch are
// git's and the agents'.
func (v *visit) state() {
	filepath.WalkDir(v.Project.StateDir, func(at string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			v.once("state folder", at, err.Error(), mend(at, err))
			return fs.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return nil // It is gone by now.
		}
		if d.IsDir() && (d.Name() == "scratch" || filepath.Dir(filepath.Dir(at)) == v.path("workspaces")) {
			return fs.SkipDir
		}
		v.access(at, info)
		return nil
	})
}

func (v *visit) access(at string, info fs.FileInfo) {
	want := fs.FileMode(0o600)
	switch {
	case info.IsDir():
		want = 0o700
	case !info.Mode().IsRegular():
		v.add("state folder", at, "it is "+kind(info.Mode()), "rm "+quote(at))
		return
	}
	if foreign(info) {
		v.add("state folder", at, "it is another user's", `sudo chown "$(id -u)" `+quote(at))
	}
	// Windows has no such bits.
	if runtime.GOOS != "windows" && info.Mode().Perm() != want {
		v.add("state folder", at, fmt.Sprintf("its mode is %04o, and %04o is needed", info.Mode().Perm(), want), fmt.Sprintf("chmod %o %s", want, quote(at)))
	}
}

// documents names those that do not read, and keeps the sessions that do.
func (v *visit) documents() {
	sessions, skipped, err := v.Sessions.Documents()
	v.sessions = sessions
	v.skip("sessions", v.moved(skipped), err)
	v.skipped = append(v.skipped, skipped...)
	_, skipped, err = v.Runs.Manifests()
	v.skip("runs", skipped, err)
	v.skipped = append(v.skipped, skipped...)
	_, skipped, err = v.Conversations.Documents()
	v.skip("conversations", skipped, err)
}

func (v *visit) skip(folder string, skipped []document.Skipped, err error) {
	if err != nil {
		v.unlisted = true
		v.once("state folder", v.path(folder), err.Error(), mend(v.path(folder), err))
	}
	for _, s := range skipped {
		v.once("document", s.Path, s.Err.Error(), v.unread(s))
	}
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return !errors.Is(err, fs.ErrNotExist)
}
