package contracts

import (
	"bytes"
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

// hostileRun is this test binary once more, in a hostile place.
type hostileRun struct {
	cmd      *exec.Cmd
	printed  bytes.Buffer
	places   []*folder
	fixtures string
	before   map[string]string // what lies in there
	err      error             // it could not be started
}

// startHostile starts it. Nothing that a test does to this process, such as to
// its environment or working folder, may have been done yet.
func startHostile() *hostileRun {
	h := &hostileRun{}
	h.err = h.start()
	return h
}

func (h *hostileRun) start() error {
	c, err := current.open()
	if err != nil {
		return err
	}
	top, err := h.place(os.TempDir())
	if err != nil {
		return err
	}
	copied, err := h.place()
	if err != nil {
		return err
	}
	home, tmp := filepath.Join(top, "home-link to"), filepath.Join(top, "t")
	h.fixtures = filepath.Join(copied, "read-only fixtures")
	err = errors.Join(c.copy(h.fixtures), os.Mkdir(tmp, 0o700),
		os.Mkdir(filepath.Join(top, "home"), 0o700), os.Symlink("home", home))
	if err != nil {
		return err
	}
	if h.before, err = protect(h.fixtures); err != nil {
		return err
	}
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(exe, hostileArgs(os.Args[1:])...)
	cmd.Env = append(os.Environ(), hostileEnv+"=1", FixturesEnv+"="+h.fixtures, "TZ="+hostileZone, "HOME="+home, "TMPDIR="+tmp)
	cmd.Stdout, cmd.Stderr = &h.printed, &h.printed
	if err := cmd.Start(); err != nil {
		return err
	}
	h.cmd = cmd
	return nil
}

// place makes a folder, which end removes.
func (h *hostileRun) place(parents ...string) (string, error) {
	p, err := newFolder("hostile place", parents...)
	if err != nil {
		return "", err
	}
	h.places = append(h.places, p)
	return p.dir, nil
}

// end waits for it, and removes what it needed.
func (h *hostileRun) end() error {
	err := h.err
	if h.cmd != nil {
		err = h.cmd.Wait()
		// Root writes to a read-only tree as well: only a look at it tells.
		after, lookErr := protect(h.fixtures)
		if diff := cmp.Diff(h.before, after); diff != "" {
			err = errors.Join(err, fmt.Errorf("the fixtures were written to (-before +after)\n%s", diff))
		}
		err = errors.Join(err, lookErr)
	}
	for _, p := range h.places {
		err = errors.Join(err, p.remove())
	}
	return err
}

// judge waits for it, and shows what it printed if it fails.
func (h *hostileRun) judge(family string) int {
	err := h.end()
	if err == nil {
		return 0
	}
	// Marked, so that nobody takes these lines for tests of this run.
	for line := range strings.Lines(h.printed.String()) {
		fmt.Fprint(os.Stderr, "hostile: "+line)
	}
	say(family, "the tests pass here and fail in the hostile environment: %v", err)
	return 1
}

// copy copies the corpus. Of the families it is those that Main or Visit names,
// if one of them runs: which of them a test plays is not known before.
func (c *corpus) copy(to string) error {
	entries, err := fs.ReadDir(c.fsys, ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		switch {
		case c.meant[name] != nil && current.families != nil && !slices.Contains(current.families, name):
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
