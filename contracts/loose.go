package contracts

import (
	"bytes"
	"compress/zlib"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// loose are the object ids of revisions by git's own files, as git has them once
// fsck is content: of HEAD, of a branch by its whole name, and of the tree of
// either, where none of them is packed and nothing stands for another. It says
// whether that is so; else only git can tell.
func loose(own, common string, revisions []string) (ids map[string]string, is bool) {
	for _, other := range []string{"packed-refs", "refs/replace", "info/grafts", "shallow", "reftable"} {
		if _, err := os.Lstat(filepath.Join(common, other)); !errors.Is(err, fs.ErrNotExist) {
			return nil, false
		}
	}
	ids = make(map[string]string, len(revisions))
	for _, rev := range revisions {
		if ids[rev], is = looseID(own, common, rev); !is {
			return nil, false
		}
	}
	return ids, true
}

func looseID(own, common, rev string) (id string, is bool) {
	name, ofTree := strings.CutSuffix(rev, "^{tree}")
	if name == "HEAD" {
		head, _ := os.ReadFile(filepath.Join(own, "HEAD"))
		if name, is = strings.CutPrefix(string(head), "ref: "); !is {
			id = string(head)
		}
		name = strings.TrimSuffix(name, "\n")
	}
	if id == "" {
		if !plainRef.MatchString(name) || !fs.ValidPath(name) {
			return "", false
		}
		ref, _ := os.ReadFile(filepath.Join(common, name))
		id = string(ref)
	}
	id, is = strings.CutSuffix(id, "\n")
	if !is || !plainID.MatchString(id) {
		return "", false
	}
	commit, err := looseObject(common, id)
	if err != nil {
		return "", false
	}
	if ofTree {
		m := treeOf.FindSubmatch(commit)
		if m == nil {
			return "", false
		}
		id = string(m[1])
	}
	return id, true
}

var (
	plainRef = regexp.MustCompile(`\Arefs/heads/[\w./-]+\z`)
	plainID  = regexp.MustCompile(`\A[0-9a-f]{40}\z`)
	treeOf   = regexp.MustCompile(`\Acommit \d+\x00tree ([0-9a-f]{40})\n`)
)

// looseObject is how an object begins that is a file of its own.
func looseObject(common, id string) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(common, "objects", id[:2], id[2:]))
	if err != nil {
		return nil, err
	}
	z, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(z, 128))
}
