package sandbox

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// caller is the nearest ancestor of a process that is the subject's CLI. The
// search ends at the box's own processes: one beyond them may run the same
// interpreter and is somebody else's.
func (p place) caller(pid int) (proc, error) {
	programs, err := p.programsOfCLI()
	if err != nil {
		return proc{}, err
	}
	for {
		self, err := readProc(pid)
		if err != nil {
			return proc{}, err
		}
		if self.parent <= 1 || isOneOf(self.parent, []string{p.supervisor()}) {
			return proc{}, errors.New("none of its callers is the CLI that was installed in the box")
		}
		pid = self.parent
		if isOneOf(pid, programs) {
			return readProc(pid)
		}
	}
}

// isOneOf tells whether a process runs one of the programs: as its executable,
// or as the script that an interpreter was given.
func isOneOf(pid int, programs []string) bool {
	exe := procPath(pid, "exe")
	if link, err := os.Readlink(exe); err == nil {
		// A program that was replaced since is still the CLI.
		if slices.Contains(programs, strings.TrimSuffix(link, " (deleted)")) {
			return true
		}
	}
	for _, word := range scriptWords(pid) {
		if slices.Contains(programs, word) {
			return true
		}
	}
	info, err := os.Stat(exe)
	return err == nil && slices.ContainsFunc(programs, func(path string) bool {
		program, err := os.Stat(path)
		return err == nil && os.SameFile(info, program)
	})
}

// scriptWords are the arguments that can be the script: an interpreter named
// by #! gets it after at most two words, its own name and one option.
func scriptWords(pid int) []string {
	b, err := os.ReadFile(procPath(pid, "cmdline"))
	if err != nil {
		return nil
	}
	dir, _ := os.Readlink(procPath(pid, "cwd"))
	var words []string
	for i, word := range bytes.Split(b, []byte{0}) {
		if i == 3 {
			break
		}
		path := string(word)
		if strings.Contains(path, "/") && !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		words = append(words, path)
	}
	return words
}
