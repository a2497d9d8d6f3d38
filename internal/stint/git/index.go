package git

import (
	"bytes"
	"crypto/sha1"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// mostIndex is how much of an index is read here; a larger one is left to git.
const mostIndex = 1 << 20

// unnamed tells that the index of a main work tree, which lies in it as is
// usual, does not hold path, so that git need not be asked. False says
// nothing. git makes an index anew and renames it, so that one is read whole.
func (t Tree) unnamed(path string) bool {
	dir := t.mainDir()
	if dir == "" || !plain(path) {
		return false
	}
	at := filepath.Join(dir, "index")
	info, err := os.Lstat(at)
	if errors.Is(err, fs.ErrNotExist) {
		return true
	}
	if err != nil || !info.Mode().IsRegular() || info.Size() > mostIndex {
		return false
	}
	index, err := os.ReadFile(at)
	return err == nil && spelled(index) && !bytes.Contains(index, []byte(path))
}

// plain is a path that git takes as it is written.
func plain(path string) bool {
	return path != "." && fs.ValidPath(path) && !strings.ContainsFunc(path, func(r rune) bool { return r <= ' ' || r > '~' || r == '\\' })
}

// spelled tells whether an index is whole, by its SHA-1, and of a form that has
// every name in full: not of version 4, nor split, nor sparse.
func spelled(index []byte) bool {
	const head, sum = 12, sha1.Size
	if len(index) < head+sum {
		return false
	}
	rest := len(index) - sum
	if got := sha1.Sum(index[:rest]); !bytes.Equal(got[:], index[rest:]) {
		return false
	}
	switch string(index[:8]) {
	case "DIRC\x00\x00\x00\x02", "DIRC\x00\x00\x00\x03":
		return !bytes.Contains(index, []byte("link")) && !bytes.Contains(index, []byte("sdir"))
	}
	return false
}
