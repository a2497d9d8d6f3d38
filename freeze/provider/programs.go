package provider

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// check returns what a build left in bin, the subject's program among it.
func check(bin, subject string) (map[string]program, error) {
	programs, err := sums(bin)
	if err != nil {
		return nil, fmt.Errorf("what the build left in {bin}: %w", err)
	}
	names := strings.Join(onTop(programs), ", ")
	switch p, ok := programs[subject]; {
	case len(programs) == 0:
		return nil, errors.New("the build left no program in {bin}")
	case !ok:
		return nil, fmt.Errorf("the build left no program %q in {bin}, there is %s", subject, names)
	case !p.Executable:
		return nil, fmt.Errorf("the build left %q in {bin} without the right to run it", subject)
	}
	return programs, nil
}

// onTop are the names in {bin} itself, where programs are found.
func onTop(programs map[string]program) []string {
	var names []string
	for name := range programs {
		first, _, _ := strings.Cut(name, "/")
		names = append(names, first)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// sums returns the files below dir by slash-separated path. A link to a file
// counts as that file, and stays a link if it leads from place to place within
// dir: a script finds what it needs from where it really lies.
func sums(dir string) (map[string]program, error) {
	programs := map[string]program{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		p, err := sum(path)
		if err == nil && entry.Type()&fs.ModeSymlink != 0 {
			p.Link, err = within(dir, path)
		}
		programs[filepath.ToSlash(name)] = p
		return err
	})
	return programs, err
}

// within returns the target of a link that is relative and leads to a file of
// dir, by links of dir alone; otherwise nothing.
func within(dir, link string) (string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	name, err := filepath.Rel(dir, link)
	if err != nil {
		return "", err
	}
	if _, err := root.Stat(name); err != nil {
		return "", nil // it leads out
	}
	return os.Readlink(link)
}

func sum(path string) (program, error) {
	info, err := os.Stat(path)
	if err != nil {
		return program{}, err
	}
	if !info.Mode().IsRegular() {
		return program{}, fmt.Errorf("%q is neither a file nor a link to one", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return program{}, err
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return program{}, err
	}
	return program{SHA256: hex.EncodeToString(hash.Sum(nil)), Executable: info.Mode()&0o111 != 0}, nil
}

func copyPrograms(from, to string, programs map[string]program) error {
	for name, p := range programs {
		if err := copyProgram(filepath.Join(from, filepath.FromSlash(name)), filepath.Join(to, filepath.FromSlash(name)), p); err != nil {
			return err
		}
	}
	return nil
}

func copyProgram(from, to string, p program) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if p.Link != "" {
		return os.Symlink(p.Link, to)
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	hash := sha256.New()
	_, err = io.Copy(io.MultiWriter(out, hash), in)
	if err == nil && hex.EncodeToString(hash.Sum(nil)) != p.SHA256 {
		err = fmt.Errorf("%q changed while it was copied: something of the build still runs", from)
	}
	mode := fs.FileMode(0o644)
	if p.Executable {
		mode = 0o755
	}
	// By name of the mode, since the umask is the caller's.
	return errors.Join(err, out.Chmod(mode), out.Sync(), out.Close())
}

func writeSynced(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Sync(), f.Close())
}
