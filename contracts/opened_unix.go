//go:build unix

package contracts

import (
	"io/fs"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// opened is an open folder. What lies in it is reached from there, without a
// path that is resolved anew for each, and without what package os does for
// files that are kept: a look at a thawed folder is little but calls of these.
type opened struct{ fd int }

func openFolder(path string) (opened, error) {
	fd, err := openAt(unix.AT_FDCWD, path, unix.O_DIRECTORY)
	return opened{fd}, err
}

func (o opened) folder(name string) (opened, error) {
	fd, err := openAt(o.fd, name, unix.O_DIRECTORY)
	return opened{fd}, err
}

func openAt(dir int, name string, flag int) (int, error) {
	return again("open", name, func() (int, error) {
		return unix.Openat(dir, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC|flag, 0)
	})
}

func (o opened) close() error { return unix.Close(o.fd) }

// names are those in the folder, in no order; they are read by way of buf.
func (o opened) names(buf []byte) (names []string, err error) {
	for {
		n, err := again("read", "folder", func() (int, error) { return unix.ReadDirent(o.fd, buf) })
		if err != nil || n <= 0 {
			return names, err
		}
		_, _, names = unix.ParseDirent(buf[:n], -1, names)
	}
}

func (o opened) attrs(name string) (attrs, error) {
	var st unix.Stat_t
	_, err := again("lstat", name, func() (int, error) {
		return 0, unix.Fstatat(o.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW)
	})
	return attrs{mode: modeOf(uint32(st.Mode)), size: st.Size, changed: time.Unix(st.Mtim.Unix())}, err
}

func modeOf(mode uint32) fs.FileMode {
	m := fs.FileMode(mode) & fs.ModePerm
	switch mode & unix.S_IFMT {
	case unix.S_IFDIR:
		m |= fs.ModeDir
	case unix.S_IFLNK:
		m |= fs.ModeSymlink
	case unix.S_IFIFO:
		m |= fs.ModeNamedPipe
	case unix.S_IFSOCK:
		m |= fs.ModeSocket
	case unix.S_IFBLK:
		m |= fs.ModeDevice
	case unix.S_IFCHR:
		m |= fs.ModeDevice | fs.ModeCharDevice
	}
	if mode&unix.S_ISUID != 0 {
		m |= fs.ModeSetuid
	}
	if mode&unix.S_ISGID != 0 {
		m |= fs.ModeSetgid
	}
	if mode&unix.S_ISVTX != 0 {
		m |= fs.ModeSticky
	}
	return m
}

// read reads a file of about that size into buf, or a larger one.
func (o opened) read(name string, size int64, buf []byte) ([]byte, error) {
	fd, err := openAt(o.fd, name, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	buf = slices.Grow(buf[:0], int(size)+1)
	for {
		n, err := again("read", name, func() (int, error) { return unix.Read(fd, buf[len(buf):cap(buf)]) })
		if err != nil || n == 0 {
			return buf, err
		}
		if buf = buf[:len(buf)+n]; len(buf) == cap(buf) {
			buf = slices.Grow(buf, 1)
		}
	}
}

func (o opened) readlink(name string, buf []byte) (string, error) {
	n, err := again("readlink", name, func() (int, error) { return unix.Readlinkat(o.fd, name, buf) })
	return string(buf[:max(n, 0)]), err
}

// again makes a call that a signal may interrupt.
func again(op, name string, call func() (int, error)) (int, error) {
	for {
		n, err := call()
		switch err {
		case nil:
			return n, nil
		case unix.EINTR:
		default:
			return n, &fs.PathError{Op: op, Path: name, Err: err}
		}
	}
}
