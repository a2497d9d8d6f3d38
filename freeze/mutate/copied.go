package mutate

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/otiai10/copy"

	"github.com/freeze-contracts/permafrost/freeze/mutate/regression"
	"github.com/freeze-contracts/permafrost/freeze/mutate/source"
)

// copied copies the tree into a folder of the run, and returns it. Without
// .git: in a linked work tree it leads back to the original.
func (s *site) copied(elem ...string) (string, error) {
	to := filepath.Join(append([]string{s.scratch.dir}, elem...)...)
	skip := func(info os.FileInfo, from, _ string) (bool, error) {
		return info.Name() == ".git" || from == s.scratch.dir || from == s.scratch.memory, nil
	}
	err := copy.Copy(s.dir, to, copy.Options{
		OnSymlink: func(string) copy.SymlinkAction { return copy.Shallow },
		Skip:      skip,
		// What is built already stays newer than what it is built of.
		PreserveTimes: true,
	})
	if err != nil {
		return "", fmt.Errorf("copy of the tree: %w", err)
	}
	return to, nil
}

// edit makes the edit of a regression in a copy, or returns a
// *source.StaleError. No link leads it out of the copy.
func edit(dir string, r *regression.Regression) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	name := filepath.FromSlash(r.File)
	data, err := root.ReadFile(name)
	if err != nil {
		return &source.StaleError{Why: fmt.Sprintf("%s: cannot be read in a copy of the tree: %v", r.File, err)}
	}
	switch n := strings.Count(string(data), r.Find); {
	case n == 0:
		return &source.StaleError{Why: fmt.Sprintf("%s does not contain the text to find", r.File)}
	case n > 1:
		return &source.StaleError{Why: fmt.Sprintf("%s contains the text to find %d times", r.File, n)}
	}
	return root.WriteFile(name, []byte(strings.Replace(string(data), r.Find, r.Replace, 1)), 0o666)
}
