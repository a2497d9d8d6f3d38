//go:build unix

package doctor

import (
	"io/fs"
	"os"
	"syscall"
)

func foreign(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) != os.Geteuid()
}
