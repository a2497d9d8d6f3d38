package contracts

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	_ "time/tzdata" // the hostile zone must be there on every machine

	"github.com/google/go-cmp/cmp"
)

// hostileEnv marks the second run.
const hostileEnv = "PERMAFROST_HOSTILE"

// hostileZone is far from UTC, and not by whole hours.
const hostileZone = "Pacific/Chatham"

// AnyPlace leaves a test out of the hostile run, of which nothing depends on the
// place: that a damaged document is refused is the same anywhere. No file may be
// read by such tests alone.
func AnyPlace(t testing.TB) {
	t.Helper()
	if os.Getenv(hostileEnv) != "" {
		t.Skip("it is the same in any place")
	}
}

// runHostile runs this test binary once more, and shows what it printed if it
// fails.
func runHostile(family string) int {
	out, err := hostileRun()
	if err == nil {
		return 0
	}
	// Marked, so that nobody takes these lines for tests of this run.
	for line := range strings.Lines(out) {
		fmt.Fprint(os.Stderr, "hostile: "+line)
	}
	say(family, "the tests pass here and fail in the hostile environment: %v", err)
	return 1
}

func hostileRun() (out string, err error) {
	c, err := current.open()
	if err != nil {
		return "", err
	}
	place, err := newFolder("hostile place", os.TempDir())
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, place.remove()) }()
	top := place.dir
	copied, err := newFolder("hostile place")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, copied.remove()) }()
	fixtures, home, tmp := filepath.Join(copied.dir, "read-only fixtures"), filepath.Join(top, "home-link to"), filepath.Join(top, "t")
	err = errors.Join(c.copy(fixtures, c.played), os.Mkdir(tmp, 0o700),
		os.Mkdir(filepath.Join(top, "home"), 0o700), os.Symlink("home", home))
	if err != nil {
		return "", err
	}
	before, err := protect(fixtures)
	if err != nil {
		return "", err
	}
	exe, err := os.Executable()
	if err != nil {
		return "", err
	}
	cmd := exec.Command(exe, hostileArgs(os.Args[1:])...)
	cmd.Env = append(os.Environ(), hostileEnv+"=1", FixturesEnv+"="+fixtures, "TZ="+hostileZone, "HOME="+home, "TMPDIR="+tmp)
	printed, err := cmd.CombinedOutput()
	// Root writes to a read-only tree as well: only a look at it tells.
	after, lookErr := protect(fixtures)
	if diff := cmp.Diff(before, after); diff != "" {
		err = errors.Join(err, fmt.Errorf("the fixtures were written to (-before +after)\n%s", diff))
	}
	return string(printed), errors.Join(err, lookErr)
}

// played says whether a test of this process has played the family.
func (c *corpus) played(family string) bool {
	_, played := current.played.Load(family)
	return played
}

// copy copies the corpus, but for the families that nobody needs.
func (c *corpus) copy(to string, needed func(family string) bool) error {
	entries, err := fs.ReadDir(c.fsys, ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		switch {
		case c.meant[name] != nil && !needed(name):
		case e.IsDir():
			sub, subErr := fs.Sub(c.fsys, name)
			err = errors.Join(err, subErr, os.CopyFS(filepath.Join(to, name), sub))
		default:
			data, readErr := readFile(c.fsys, name)
			err = errors.Join(err, readErr, os.MkdirAll(to, 0o700), os.WriteFile(filepath.Join(to, name), data, 0o600))
		}
	}
	return err
}

// protect takes every right to write from a tree, and returns what lies in it.
func protect(dir string) (map[string]string, error) {
	state := make(map[string]string)
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		state[name] = d.Type().String()
		switch d.Type() {
		case fs.ModeDir:
			return os.Chmod(name, 0o555)
		case 0:
			data, err := os.ReadFile(name)
			state[name] = string(data)
			return errors.Join(err, os.Chmod(name, 0o444))
		}
		return nil
	})
	return state, err
}

// hostileArgs are this run's arguments without those that name files the two
// runs would both write, and without -v, whose lines would be taken for tests
// of this run.
func hostileArgs(args []string) []string {
	drop := []string{"v", "testlogfile", "gocoverdir", "coverprofile", "cpuprofile", "memprofile", "blockprofile", "mutexprofile", "trace", "bench"}
	return slices.DeleteFunc(slices.Clone(args), func(arg string) bool {
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		name, is := strings.CutPrefix(name, "test.")
		return is && slices.Contains(drop, name)
	})
}
