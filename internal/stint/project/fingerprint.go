package project

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/freeze-contracts/permafrost/internal/stint/git"
)

// maxContent is how much of changed and untracked files is read for one
// fingerprint, in bytes.
const maxContent = 256 << 20

// errContent is a work tree whose content is not known, though git answers.
var errContent = errors.New("the content of the work tree is not known")

// NewFingerprint is that of the repository as it is now, for a new document:
// v2, or v1 where there is a changed file that cannot be read.
func (p *Project) NewFingerprint(ctx context.Context) (string, error) {
	print, err := p.Fingerprint(ctx, "v2")
	if errors.Is(err, errContent) {
		return p.Fingerprint(ctx, "v1")
	}
	return print, err
}

// Fingerprint is that of the repository as it is now, in a version. docs/stint.md
// says what each is made of.
func (p *Project) Fingerprint(ctx context.Context, version string) (string, error) {
	h := sha256.New()
	var err error
	switch version {
	case "v1":
		err = v1(ctx, p.Tree, h)
	case "v2":
		err = (&contents{left: maxContent}).tree(ctx, p.Tree, h)
	default:
		err = fmt.Errorf("fingerprint version %q is not known to this build", version)
	}
	if err != nil {
		return "", err
	}
	return version + ":" + sum(h), nil
}

func sum(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }

func v1(ctx context.Context, tree git.Tree, w io.Writer) error {
	head, status, err := tree.Status(ctx)
	if err == nil {
		_, err = io.WriteString(w, tree.Dir+"\x00"+head+"\x00"+status)
	}
	return err
}

// contents takes v2, which is of what the files hold, and knows how much more
// may be read for it.
type contents struct{ left int64 }

// tree writes HEAD and status of a work tree, an entry without a name, and for
// each entry of the status what is in its place. A submodule is a work tree as
// well.
func (c *contents) tree(ctx context.Context, tree git.Tree, w io.Writer) error {
	head, status, err := tree.Status(ctx)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(tree.Dir)
	if err != nil {
		return fmt.Errorf("%w: %w", errContent, err)
	}
	defer root.Close()
	if _, err := io.WriteString(w, head+"\x00"+status+"\x00"); err != nil {
		return err
	}
	for entry := range strings.SplitSeq(strings.TrimSuffix(status, "\x00"), "\x00") {
		if len(entry) < 4 {
			continue // there is none
		}
		at, letters, name := gone, entry[:2], entry[3:]
		switch {
		case letters == "??" && strings.HasSuffix(name, "/"):
			// A repository that git was not told of is not looked into: what
			// its configuration names would run.
			at = folder
		case !deleted(letters):
			at, err = c.entry(ctx, tree, root, name)
		}
		if err != nil {
			return err
		}
		if _, err := io.WriteString(w, at+"\x00"); err != nil {
			return err
		}
	}
	return nil
}

const (
	gone   = "000000"
	folder = "040000"
)

// deleted tells by the two letters of an entry whether git sees no file: there
// may be one behind a symlink, which is not the work tree's.
func deleted(letters string) bool {
	return letters == "D " || letters[1] == 'D' && letters[0] != 'U'
}

// entry is the mode of what is in the place name, as git has it, and the
// SHA-256 of what that holds. What git saw a moment ago may be gone.
func (c *contents) entry(ctx context.Context, tree git.Tree, root *os.Root, name string) (string, error) {
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return gone, nil
	case err != nil:
		return "", fmt.Errorf("%w: %w", errContent, err)
	case info.IsDir():
		return c.submodule(ctx, git.Tree{Dir: filepath.Join(tree.Dir, name), Env: tree.Env}, root, name)
	}
	h := sha256.New()
	switch {
	case info.Mode().IsRegular():
		err = c.file(root, name, h)
	case info.Mode().Type() == fs.ModeSymlink:
		var target string
		target, err = root.Readlink(name)
		io.WriteString(h, target)
	default:
		err = fmt.Errorf("%q is neither a file, a symlink nor a folder", filepath.Join(tree.Dir, name))
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return gone, nil
	case err != nil:
		return "", fmt.Errorf("%w: %w", errContent, err)
	}
	return mode(info) + " " + sum(h), nil
}

func mode(info fs.FileInfo) string {
	switch {
	case info.Mode().Type() == fs.ModeSymlink:
		return "120000"
	case info.Mode()&0o100 != 0:
		return "100755"
	}
	return "100644"
}

// file streams what a file holds, and waits for no writer should there be a
// fifo in its place by now.
func (c *contents) file(root *os.Root, name string, w io.Writer) error {
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%q is no regular file any more", f.Name())
	}
	n, err := io.Copy(w, io.LimitReader(f, c.left+1))
	if c.left -= n; c.left < 0 {
		return fmt.Errorf("changed and untracked files have more than %d bytes", int64(maxContent))
	}
	return err
}

// submodule is a work tree in the work tree. In a folder that is none, git would
// answer for the repository around it.
func (c *contents) submodule(ctx context.Context, tree git.Tree, root *os.Root, name string) (string, error) {
	if _, err := root.Lstat(filepath.Join(name, ".git")); errors.Is(err, fs.ErrNotExist) {
		return folder, nil
	}
	top, err := tree.Line(ctx, "rev-parse", "--show-toplevel")
	if err == nil && top != tree.Dir {
		err = fmt.Errorf("the work tree of %q is %q", tree.Dir, top)
	}
	h := sha256.New()
	if err == nil {
		err = c.tree(ctx, tree, h)
	}
	if err != nil {
		return "", fmt.Errorf("%w: %w", errContent, err)
	}
	return "160000 " + sum(h), nil
}
