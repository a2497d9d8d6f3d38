// Package byhand computes what stint derives, after docs/stint.md and by other
// means than stint: from what git printed and from the files, in a few lines
// that can be read beside the page. The suites take their wanted values and the
// values of thawed fixtures from here.
//
// It imports nothing of stint or its readers: an oracle that shares code with
// what it judges agrees with its faults.
package byhand

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// Fingerprint is the derivation "fingerprint" of freeze.toml: version 1, from
// the repository's path and what the views head and status show, a line for
// each entry that git ends with a NUL.
func Fingerprint(_ context.Context, inputs map[string]string) (string, error) {
	head := strings.TrimSuffix(inputs["view/head/stdout"], "\n")
	status := strings.ReplaceAll(inputs["view/status/stdout"], "\n", "\x00")
	return "v1:" + digest(inputs["{project}"]+"\x00"+head+"\x00"+status), nil
}

// FingerprintV2 is version 2: from the commit that is HEAD, the entries of git's
// status, each as in "?? new.txt", and the work tree that they are of. It does
// not depend on where that lies. Submodules it leaves to whoever needs them.
func FingerprintV2(head string, status []string, tree fs.FS) (string, error) {
	text := head + "\x00"
	for _, entry := range status {
		text += entry + "\x00"
	}
	text += "\x00"
	for _, entry := range status {
		at, err := inPlace(entry[:2], entry[3:], tree)
		if err != nil {
			return "", fmt.Errorf("%q: %w", entry, err)
		}
		text += at + "\x00"
	}
	return "v2:" + digest(text), nil
}

// inPlace is what the page's table has for an entry with these two letters.
func inPlace(letters, name string, tree fs.FS) (string, error) {
	info, err := fs.Lstat(tree, strings.TrimSuffix(name, "/"))
	switch {
	case strings.Contains(letters, "D") && !strings.Contains(letters, "U"), errors.Is(err, fs.ErrNotExist):
		return "000000", nil
	case err != nil:
		return "", err
	case info.Mode().Type() == fs.ModeSymlink:
		target, err := fs.ReadLink(tree, name)
		return "120000 " + digest(target), err
	case info.IsDir() && letters == "??":
		return "040000", nil
	case !info.Mode().IsRegular():
		return "", errors.New("is neither a file, a symlink nor a folder that git was not told of")
	}
	content, err := fs.ReadFile(tree, name)
	mode := "100644 "
	if info.Mode()&0o100 != 0 {
		mode = "100755 "
	}
	return mode + digest(string(content)), err
}

func digest(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }
