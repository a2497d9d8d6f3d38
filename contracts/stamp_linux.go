package contracts

import (
	"io/fs"
	"syscall"
	"time"
)

// stamp is by what a file system tells that a file is as it was.
type stamp struct {
	dev, ino, size    uint64
	changed, modified syscall.Timespec
	mode              uint32
}

// tick is longer than the clock of a file system stands still: a file that was
// written twice within one has the same time.
const tick = 20 * time.Millisecond

// stampOf is that of a file, and whether one that is the same later says that
// nobody wrote to it: nobody can set the time of the last change of its inode,
// which is renewed by whatever is done to it. Where it has no part of a second,
// the file system may know none.
func stampOf(info fs.FileInfo, now time.Time) (s stamp, lasts bool) {
	st := info.Sys().(*syscall.Stat_t)
	at := time.Unix(st.Ctim.Unix())
	return stamp{st.Dev, st.Ino, uint64(st.Size), st.Ctim, st.Mtim, st.Mode}, at.Nanosecond() != 0 && now.Sub(at) > tick
}
