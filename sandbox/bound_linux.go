package sandbox

import (
	"encoding/binary"
	"io/fs"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// Of linux/unix_diag.h and linux/tcp_states.h, see sock_diag(7).
const (
	showVFS = 1 << 1  // UDIAG_SHOW_VFS
	attrVFS = 1       // UNIX_DIAG_VFS
	listens = 1 << 10 // TCP_LISTEN, as a set of states
)

// socketFiles lists the sockets in a folder: inode, as far as sock_diag tells
// it, to path. What cannot be read is left out.
func socketFiles(root string) map[uint32]string {
	files := map[uint32]string{}
	filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Type()&fs.ModeSocket == 0 {
			return nil
		}
		if info, err := d.Info(); err == nil {
			files[uint32(info.Sys().(*syscall.Stat_t).Ino)] = path
		}
		return nil
	})
	return files
}

// boundInodes asks the kernel for the listening unix sockets: inode of the
// socket, as in /proc/net/unix, to that of the file which it is bound to.
func boundInodes() (map[string]uint32, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	if err := unix.Sendto(fd, listenersRequest(), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return nil, err
	}
	bound := map[string]uint32{}
	for b := make([]byte, 64<<10); ; {
		n, _, err := unix.Recvfrom(fd, b, 0)
		if err != nil {
			return nil, err
		}
		messages, err := syscall.ParseNetlinkMessage(b[:n])
		if err != nil {
			return nil, err
		}
		for _, m := range messages {
			if m.Header.Type != unix.SOCK_DIAG_BY_FAMILY || len(m.Data) < 16 {
				return bound, nil // the end, or an error: this kernel does not tell
			}
			if file, ok := vfsInode(m.Data[16:]); ok {
				bound[strconv.FormatUint(uint64(binary.NativeEndian.Uint32(m.Data[4:])), 10)] = file
			}
		}
	}
}

// listenersRequest is a struct nlmsghdr with a struct unix_diag_req.
func listenersRequest() []byte {
	ask := make([]byte, unix.SizeofNlMsghdr+24)
	binary.NativeEndian.PutUint32(ask[0:], uint32(len(ask)))
	binary.NativeEndian.PutUint16(ask[4:], unix.SOCK_DIAG_BY_FAMILY)
	binary.NativeEndian.PutUint16(ask[6:], unix.NLM_F_REQUEST|unix.NLM_F_DUMP)
	ask[16] = unix.AF_UNIX
	binary.NativeEndian.PutUint32(ask[20:], listens)
	binary.NativeEndian.PutUint32(ask[28:], showVFS)
	return ask
}

// vfsInode finds the attribute UNIX_DIAG_VFS.
func vfsInode(attrs []byte) (uint32, bool) {
	for len(attrs) >= 4 {
		size := int(binary.NativeEndian.Uint16(attrs))
		if size < 4 || size > len(attrs) {
			break
		}
		if binary.NativeEndian.Uint16(attrs[2:]) == attrVFS && size >= 8 {
			return binary.NativeEndian.Uint32(attrs[4:]), true
		}
		attrs = attrs[min(len(attrs), (size+3)&^3):]
	}
	return 0, false
}
