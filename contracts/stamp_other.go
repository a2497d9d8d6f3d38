//go:build !linux

package contracts

import (
	"io/fs"
	"time"
)

// stamp is nothing that a file is known by here: each is read.
type stamp struct{}

func stampOf(fs.FileInfo, time.Time) (s stamp, lasts bool) { return stamp{}, false }
