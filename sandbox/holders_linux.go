package sandbox

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// listening returns the listening unix sockets under root: inode to path. The
// kernel shows a path as it was given to bind, so that a relative one is told
// by the file that it became. (A path through a symlink to the box is left to
// the other layers.)
func listening(root string) (map[string]string, error) {
	b, err := os.ReadFile("/proc/net/unix")
	if err != nil {
		return nil, err
	}
	const acceptsConnections = "00010000" // __SO_ACCEPTCON of linux/net.h
	found := map[string]string{}
	var relative []string
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		switch {
		case len(f) < 8 || f[3] != acceptsConnections:
		case strings.HasPrefix(f[7], root+"/"):
			found[f[6]] = f[7]
		case f[7][0] != '/' && f[7][0] != '@': // @ is for one that is no file
			relative = append(relative, f[6])
		}
	}
	if len(relative) > 0 {
		addRelative(found, relative, root)
	}
	return found, nil
}

// addRelative adds those sockets that lie under root. A kernel without
// sock_diag does not tell, and leaves them to the other layers.
func addRelative(found map[string]string, inodes []string, root string) {
	bound, err := boundInodes()
	if err != nil {
		return
	}
	files := socketFiles(root)
	for _, inode := range inodes {
		if path := files[bound[inode]]; path != "" {
			found[inode] = path
		}
	}
}

// holds tells which of the layers lease and listens see a process by one of
// its descriptors.
func holds(pid int, lease os.FileInfo, sockets map[string]string) (why []string) {
	names, err := readNames(procPath(pid, "fd"))
	if err != nil {
		return nil
	}
	var locked, listens bool
	for _, fd := range names {
		link, err := os.Readlink(procPath(pid, "fd", fd))
		if err != nil {
			continue
		}
		inode, isSocket := strings.CutPrefix(link, "socket:[")
		switch {
		case isSocket:
			listens = listens || sockets[strings.TrimSuffix(inode, "]")] != ""
		case lease != nil && strings.HasSuffix(strings.TrimSuffix(link, " (deleted)"), "/"+filepath.Base(lease.Name())):
			locked = locked || isLocked(pid, fd, lease)
		}
	}
	if locked {
		why = append(why, whyLease)
	}
	if listens {
		why = append(why, whyListens)
	}
	return why
}

// isLocked tells a descriptor that holds the flock from one that merely has
// the file open, as a backup or an indexer may.
func isLocked(pid int, fd string, lease os.FileInfo) bool {
	info, err := os.Stat(procPath(pid, "fd", fd))
	if err != nil || !os.SameFile(info, lease) {
		return false
	}
	b, err := os.ReadFile(procPath(pid, "fdinfo", fd))
	return err == nil && strings.Contains(string(b), "FLOCK")
}

// tryLock takes the flock if nobody has one. It is kept until f is closed.
func tryLock(f *os.File) bool {
	return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil
}

// isLockedByOther asks in such a way that two who ask do not see each other.
func isLockedByOther(f *os.File) bool {
	return unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB) != nil
}
