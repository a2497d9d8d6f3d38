package sandbox

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// mostDepth is how many folders are open at once, one in the other. What lies
// deeper is moved up first, so that a tree of any depth takes no more
// descriptors, and time in proportion to what is in it.
const mostDepth = 64

// remove deletes the box, its record last: what an interrupted removal leaves
// is still known for a box.
func (f *folder) remove() error {
	err := f.removeNow()
	if errors.Is(err, fs.ErrNotExist) && errors.Is(f.check(), fs.ErrNotExist) {
		return nil // somebody else has removed it
	}
	return err
}

func (f *folder) removeNow() error {
	if err := f.verify(); err != nil {
		return err
	}
	if err := f.empty(recordName); err != nil {
		return err
	}
	if err := f.empty(""); err != nil {
		return err
	}
	if err := unix.Rmdir(string(f.place)); err != nil {
		return fmt.Errorf("%q: %w", f.place, err)
	}
	f.close()
	return nil
}

// empty deletes all that is in the folder but one entry.
func (f *folder) empty(but string) error {
	for {
		names, err := namesIn(f.fd())
		if err != nil {
			return err
		}
		found := false
		for _, name := range names {
			if name == but {
				continue
			}
			found = true
			if err := f.removeEntry(name); err != nil {
				return err
			}
		}
		if !found {
			return nil
		}
	}
}

// removeEntry deletes what has that name right in the folder. Of a deep tree
// pieces may stay there under other names.
func (f *folder) removeEntry(name string) error {
	r := removal{top: f.fd()}
	return r.entry(f.fd(), name, 1)
}

// removal deletes a tree from one folder down. It follows no link and takes no
// path but one name at a time.
type removal struct{ top int }

func (r removal) entry(dir int, name string, depth int) error {
	err := unix.Unlinkat(dir, name, 0)
	if err == nil || errors.Is(err, unix.ENOENT) {
		return nil
	}
	var info unix.Stat_t
	if statErr := unix.Fstatat(dir, name, &info, unix.AT_SYMLINK_NOFOLLOW); statErr != nil || info.Mode&unix.S_IFMT != unix.S_IFDIR {
		return blame(dir, name, err)
	}
	if unix.Unlinkat(dir, name, unix.AT_REMOVEDIR) == nil {
		return nil
	}
	if err := r.content(dir, name, depth); err != nil {
		return err
	}
	return blame(dir, name, unix.Unlinkat(dir, name, unix.AT_REMOVEDIR))
}

func (r removal) content(parent int, name string, depth int) error {
	dir, err := openToEmpty(parent, name)
	if err != nil {
		return blame(parent, name, err)
	}
	defer unix.Close(dir)
	names, err := namesIn(dir)
	if err != nil {
		return blame(parent, name, err)
	}
	for _, name := range names {
		if depth >= mostDepth && r.moveUp(dir, name) {
			continue
		}
		if err := r.entry(dir, name, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// moveUp puts a folder right under the top, where it is found again.
func (r removal) moveUp(dir int, name string) bool {
	folder, err := openToEmpty(dir, name)
	if err != nil {
		return false
	}
	unix.Close(folder)
	return unix.Renameat(dir, name, r.top, "deep."+rand.Text()) == nil
}

// openToEmpty opens a folder, also one that its owner may not read or write.
func openToEmpty(parent int, name string) (int, error) {
	handle, err := unix.Openat(parent, name, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	defer unix.Close(handle)
	var info unix.Stat_t
	if err := unix.Fstat(handle, &info); err != nil {
		return -1, err
	}
	if info.Mode&0o700 != 0o700 {
		// The name of a descriptor leads to what is open and nowhere else.
		if err := unix.Chmod(fdPath(handle), 0o700); err != nil {
			return -1, err
		}
	}
	return unix.Openat(handle, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
}

func namesIn(dir int) ([]string, error) {
	fd, err := unix.Openat(dir, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "folder")
	defer f.Close()
	return f.Readdirnames(-1)
}

func fdPath(fd int) string { return "/proc/self/fd/" + strconv.Itoa(fd) }

// blame names what an error is about, and says how to go on where the file or
// its folder was made unchangeable.
func blame(dir int, name string, err error) error {
	if err == nil {
		return nil
	}
	path, linkErr := os.Readlink(fdPath(dir))
	if linkErr != nil {
		path = "..." // too deep for a path
	}
	for _, one := range []string{name, ""} {
		var info unix.Statx_t
		if errors.Is(err, unix.EPERM) &&
			unix.Statx(dir, one, unix.AT_SYMLINK_NOFOLLOW|unix.AT_EMPTY_PATH, 0, &info) == nil &&
			info.Attributes&(unix.STATX_ATTR_IMMUTABLE|unix.STATX_ATTR_APPEND) != 0 {
			fixed := filepath.Join(path, one)
			return fmt.Errorf("%q: %w: it was made immutable: chattr -i -a %s", fixed, err, fixed)
		}
	}
	return fmt.Errorf("%q: %w", filepath.Join(path, name), err)
}
