package provider

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// attributes outrank those of the tree, so that export-ignore and line ends
// leave the source as it was committed. Filters are not configured here.
const attributes = "* -export-ignore -export-subst -text -ident -working-tree-encoding\n"

// export writes the tree of a commit into dir, byte for byte, and returns what
// of it is not there. gitDir is a folder to make: a repository without objects
// of its own, so that neither configuration nor attributes of the real one
// take part.
func (r repository) export(ctx context.Context, commit, dir, gitDir string) ([]string, error) {
	objects, err := r.output(ctx, "rev-parse", "--git-path", "objects")
	if err != nil {
		return nil, err
	}
	if !filepath.IsAbs(objects) {
		objects = filepath.Join(r.dir, objects)
	}
	format, err := r.output(ctx, "rev-parse", "--show-object-format")
	if err != nil {
		return nil, err
	}
	if err := emptyRepository(gitDir, format); err != nil {
		return nil, err
	}
	bare := r
	bare.env = append(slices.Clone(r.env), "GIT_DIR="+gitDir, "GIT_OBJECT_DIRECTORY="+objects)
	missing, err := bare.submodules(ctx, commit)
	if err != nil {
		return nil, err
	}
	pointers, err := bare.archive(ctx, commit, dir)
	return append(missing, pointers...), err
}

// emptyRepository makes one for objects of that format: sha1 or sha256.
func emptyRepository(dir, format string) error {
	for _, sub := range []string{"objects", "refs", "info"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "info", "attributes"), []byte(attributes), 0o600); err != nil {
		return err
	}
	config := "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = " + format + "\n"
	if err := os.WriteFile(filepath.Join(dir, "config"), []byte(config), 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "HEAD"), []byte("ref: refs/heads/none\n"), 0o600)
}

func (r repository) submodules(ctx context.Context, commit string) ([]string, error) {
	list, err := r.output(ctx, "ls-tree", "-r", "-z", "--full-tree", commit)
	if err != nil {
		return nil, err
	}
	var found []string
	for entry := range strings.SplitSeq(list, "\x00") {
		if meta, name, _ := strings.Cut(entry, "\t"); strings.HasPrefix(meta, "160000 ") {
			found = append(found, fmt.Sprintf("%q is a submodule, which is not exported", name))
		}
	}
	return found, nil
}

func (r repository) archive(ctx context.Context, commit, dir string) (pointers []string, err error) {
	cmd := r.command(ctx, "archive", "--format=tar", commit)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	pointers, err = extract(stdout, dir)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, errors.Join(err, stop(cmd))
	}
	// The padding at the end: git is told when nobody reads it.
	_, _ = io.Copy(io.Discard, stdout)
	if err := cmd.Wait(); err != nil {
		return nil, r.failed(ctx, "archive", err, stderr.String())
	}
	return pointers, err
}

// stop ends a command that waits for a reader, and does not mind how it ends.
func stop(cmd *exec.Cmd) error {
	err := cmd.Process.Kill()
	_ = cmd.Wait()
	return err
}

// extract unpacks git's archive, and returns the files that are pointers of
// Git LFS. No link of the archive can lead it out of dir.
func extract(archive io.Reader, dir string) (pointers []string, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	for files := tar.NewReader(archive); ; {
		header, err := files.Next()
		if err == io.EOF {
			return pointers, nil
		}
		if err != nil {
			return nil, err
		}
		head, err := unpack(root, header, files)
		if err != nil {
			return nil, fmt.Errorf("export of %q: %w", header.Name, err)
		}
		if strings.HasPrefix(head, "version https://git-lfs.github.com/spec/") {
			pointers = append(pointers, fmt.Sprintf("%q is stored by Git LFS, only its pointer is exported", header.Name))
		}
	}
}

// unpack writes one entry, and returns the first bytes of a file.
func unpack(root *os.Root, header *tar.Header, content io.Reader) (head string, err error) {
	name := path.Clean(header.Name)
	switch header.Typeflag {
	case tar.TypeXGlobalHeader:
		return "", nil
	case tar.TypeDir:
		return "", root.MkdirAll(name, 0o755)
	case tar.TypeSymlink:
		return "", errors.Join(root.MkdirAll(path.Dir(name), 0o755), root.Symlink(header.Linkname, name))
	case tar.TypeReg:
		return unpackFile(root, name, header.FileInfo().Mode().Perm(), content)
	}
	return "", fmt.Errorf("type %q is none of git's", header.Typeflag)
}

func unpackFile(root *os.Root, name string, mode os.FileMode, content io.Reader) (head string, err error) {
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return "", err
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode&0o755|0o600)
	if err != nil {
		return "", err
	}
	var start bytes.Buffer
	if _, err := io.CopyN(io.MultiWriter(f, &start), content, 64); err != nil && err != io.EOF {
		return "", errors.Join(err, f.Close())
	}
	_, err = io.Copy(f, content)
	return start.String(), errors.Join(err, f.Close())
}
