package sandbox

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// folder is the root of a box, held open from its founding on. What runs in the
// box may put anything else at the path, which is then not the box: nothing is
// written or removed there.
type folder struct {
	place place
	dir   *os.File
	// lease and owner are what was made under these names, nil for who came
	// later. While they are open no other file gets their inodes.
	lease, owner *os.File
}

func openFolder(p place) (*folder, error) {
	dir, err := os.OpenFile(string(p), os.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrPermission) {
		// The subject may have taken the owner's own rights away. Nobody can give
		// them back for the folder of another user.
		if fd, openErr := openToEmpty(unix.AT_FDCWD, string(p)); openErr == nil {
			dir, err = os.NewFile(uintptr(fd), string(p)), nil
		}
	}
	if err != nil {
		return nil, err
	}
	return &folder{place: p, dir: dir}, nil
}

// keepLocks keeps the files by which others are seen.
func (f *folder) keepLocks() (err error) {
	if f.lease, err = f.open("lease", os.O_RDWR); err != nil {
		return err
	}
	f.owner, err = f.open("owner", os.O_RDWR)
	return err
}

func (f *folder) close() {
	for _, file := range []*os.File{f.dir, f.lease, f.owner} {
		if file != nil {
			file.Close()
		}
	}
}

func (f *folder) fd() int { return int(f.dir.Fd()) }

// checkRecorded is checkLocks for who came later and knows them by the record.
func (f *folder) checkRecorded(r record) error {
	for name, inode := range map[string]uint64{"lease": r.Lease, "owner": r.Owner} {
		var is unix.Stat_t
		err := unix.Fstatat(f.fd(), name, &is, unix.AT_SYMLINK_NOFOLLOW)
		if inode != 0 && (err != nil || is.Ino != inode) {
			return f.replaced(name)
		}
	}
	return nil
}

func (f *folder) replaced(name string) error {
	return fmt.Errorf("%q is no longer the file that was made there, so who held that one cannot be told: "+
		"when you know that nothing of the box runs, remove the folder", f.place.at(name))
}

func inodeOf(f *os.File) (uint64, error) {
	var info unix.Stat_t
	err := unix.Fstat(int(f.Fd()), &info)
	return info.Ino, err
}

// isOwn tells whether it is this user's: in /tmp anybody may have put anything
// of that name.
func (f *folder) isOwn() bool {
	info, err := f.dir.Stat()
	return err == nil && int(info.Sys().(*syscall.Stat_t).Uid) == os.Getuid()
}

// check fails where the path leads to anything but this folder.
func (f *folder) check() error {
	was, err := f.dir.Stat()
	if err != nil {
		return err
	}
	if was.Sys().(*syscall.Stat_t).Nlink == 0 {
		return fmt.Errorf("%q was removed meanwhile: %w", f.place, fs.ErrNotExist)
	}
	is, err := os.Lstat(string(f.place))
	if err == nil && os.SameFile(is, was) {
		return nil
	}
	where, linkErr := os.Readlink(f.fdPath())
	if linkErr != nil {
		return linkErr
	}
	what := "something else is there"
	if errors.Is(err, fs.ErrNotExist) {
		what = "nothing is there"
	}
	return fmt.Errorf("%q is no longer the folder that was made for the box: it was moved or replaced meanwhile and %s, "+
		"so nothing was written or removed; the box's own folder is now %q: look at both and remove what you do not need", f.place, what, where)
}

// verify fails where this is not at its path any more, and makes it one that can
// be worked in: the subject may have changed its mode.
func (f *folder) verify() error {
	if err := f.check(); err != nil {
		return err
	}
	return blame(f.fd(), "", f.dir.Chmod(0o700))
}

func (f *folder) fdPath() string { return fdPath(f.fd()) }

// checkLocks fails where a file by which others are seen was replaced: who
// holds the one that was made cannot be seen by the other.
func (f *folder) checkLocks() error {
	if err := f.verify(); err != nil {
		return err
	}
	for name, file := range map[string]*os.File{"lease": f.lease, "owner": f.owner} {
		if file == nil {
			continue
		}
		var is, was unix.Stat_t
		if err := unix.Fstat(int(file.Fd()), &was); err != nil {
			return err
		}
		err := unix.Fstatat(f.fd(), name, &is, unix.AT_SYMLINK_NOFOLLOW)
		if err != nil || is.Dev != was.Dev || is.Ino != was.Ino {
			return f.replaced(name)
		}
	}
	return nil
}

// open opens a file that lies right in the folder.
func (f *folder) open(name string, flags int) (*os.File, error) {
	return openRegular(f.fd(), name, f.place.at(name), flags)
}

// openRegular opens a file that the subject may have replaced: no link is
// followed, and nothing waits for the other end of a fifo.
func openRegular(dir int, name, path string, flags int) (*os.File, error) {
	fd, err := unix.Openat(dir, name, flags|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	file := os.NewFile(uintptr(fd), path)
	if err := wantRegular(file); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

func wantRegular(f *os.File) error {
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%q is no file any more but %v: what ran in the box has replaced it", f.Name(), info.Mode())
	}
	return err
}

// readBounded reads a file of the box whole, unless it is larger than any that
// is written here.
func readBounded(f *os.File, most int64) ([]byte, error) {
	b, err := io.ReadAll(io.NewSectionReader(f, 0, most+1))
	if err == nil && int64(len(b)) > most {
		err = fmt.Errorf("%q is larger than %d bytes: what ran in the box has replaced it", f.Name(), most)
	}
	return b, err
}

// replace writes a file that lies right in the folder. Whatever was put there,
// under its name or another, is not followed.
func (f *folder) replace(name string, content []byte) error {
	if err := f.verify(); err != nil {
		return err
	}
	next := name + "." + rand.Text()
	file, err := f.open(next, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return blame(f.fd(), "", err)
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, unix.Unlinkat(f.fd(), next, 0))
	}
	err = unix.Renameat(f.fd(), next, f.fd(), name)
	if errors.Is(err, unix.EISDIR) {
		if err = f.removeEntry(name); err == nil {
			err = unix.Renameat(f.fd(), next, f.fd(), name)
		}
	}
	return blame(f.fd(), name, err)
}
