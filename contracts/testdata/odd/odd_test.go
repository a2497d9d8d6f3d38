// Package odd_test is a suite that does one thing wrong, named by ODD, over the
// fixtures of jot. The tests of contracts run it to see that it is caught.
package odd_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
)

func TestMain(m *testing.M) {
	if strings.HasPrefix(os.Getenv("ODD"), "visits") {
		contracts.Visit(m, []string{"notes"})
	}
	contracts.Main(m, "notes")
}

// TestVisit asks something of each fixture without reading any, or of some.
func TestVisit(t *testing.T) {
	odd, is := strings.CutPrefix(os.Getenv("ODD"), "visits")
	if !is {
		t.Skip("this suite is the owner")
	}
	contracts.Each(t, "notes", func(t *testing.T, f *contracts.Fixture) {
		row := "r2.asked"
		switch odd {
		case " and lacks a program":
			contracts.Needs(t, "no such program")
		case " and leaves a scenario out":
			if f.Scenario == "killed" {
				return
			}
		case " and leaves a release out of a row":
			if f.Release == "v1.0.0" {
				row = "r3.asked"
			}
			f.Equal(t, "r2.asked", f.Scenario != "", true)
		case " and asks nothing":
			return
		}
		f.Equal(t, row, f.Scenario != "", true)
	})
}

func TestNotes(t *testing.T) {
	owns(t)
	contracts.Each(t, "notes", func(t *testing.T, f *contracts.Fixture) {
		switch os.Getenv("ODD") {
		case "thaws":
			f.Thaw(t)
		case "reads":
			read(t, f)
		case "compares before it reads":
			f.Thaw(t)
			f.Equal(t, "r1.early", f.Scenario != "", true)
			read(t, f)
		case "compares elsewhere":
			read(t, f)
		case "reads the beginnings":
			begin(t, f)
			f.Equal(t, "r1.begun", f.Scenario != "", true)
		case "compares with anything":
			f.Equal(t, "r1.anything", read(t, f), 1, cmp.Comparer(func(a, b int) bool { return true }))
		case "looks":
			f.Equal(t, "r1.read", all(t, f, f.Look(t)) > 0, true)
			looked(t, f)
		case "looks and does not compare":
			all(t, f, f.Look(t))
		case "writes where it looks":
			th := f.Look(t)
			f.Equal(t, "r1.read", all(t, f, th) > 0, true)
			require.NoError(t, os.WriteFile(th.Path("home/left"), nil, 0o644))
		case "is parallel":
			t.Parallel()
			f.Equal(t, "r1.read", read(t, f) > 0, true)
		case "wants a plain place":
			f.Equal(t, "r1.read", read(t, f) > 0, true)
			require.NotContains(t, f.Thaw(t).Dir, " ")
		default:
			f.Equal(t, "r1.read", read(t, f) > 0, true)
		}
	})
}

func TestAgain(t *testing.T) {
	owns(t)
	contracts.Each(t, "notes", func(t *testing.T, f *contracts.Fixture) {
		switch os.Getenv("ODD") {
		case "compares elsewhere":
			f.Thaw(t)
			f.Equal(t, "r1.elsewhere", f.Scenario != "", true)
		case "looks":
			looked(t, f)
			require.NotEqual(t, f.Thaw(t).Dir, places[f.Release+f.Scenario])
		case "looks and does not compare":
			f.Look(t)
			f.Equal(t, "r1.elsewhere", f.Scenario != "", true)
		}
	})
}

// places are where fixtures were looked at.
var places = make(map[string]string)

// looked fails if the fixture is looked at in several places.
func looked(t *testing.T, f *contracts.Fixture) {
	t.Helper()
	dir, at := f.Look(t).Dir, f.Release+f.Scenario
	if places[at] == "" {
		places[at] = dir
	}
	require.Equal(t, places[at], dir)
}

// What a reader relies on at its author's desk.
func TestPlace(t *testing.T) {
	home, err := os.UserHomeDir()
	require.NoError(t, err)
	switch os.Getenv("ODD") {
	case "wants UTC where it is asked":
		contracts.AnyPlace(t)
		fallthrough
	case "wants UTC", "visits and wants UTC":
		require.Equal(t, 12, time.Unix(12*60*60, 0).Hour())
	case "wants a plain HOME":
		real, err := filepath.EvalSymlinks(home)
		require.NoError(t, err)
		require.Equal(t, home, real)
	case "wants no space":
		require.NotContains(t, t.TempDir(), " ")
	case "wants no hyphen":
		require.NotContains(t, os.Getenv(contracts.FixturesEnv), "-")
	case "wants a lax umask":
		name := filepath.Join(t.TempDir(), "file")
		require.NoError(t, os.WriteFile(name, nil, 0o644))
		info, err := os.Stat(name)
		require.NoError(t, err)
		require.Equal(t, fs.FileMode(0o644), info.Mode())
	case "waits for the other run":
		mine, other := "here", "hostile"
		if strings.Contains(os.Getenv(contracts.FixturesEnv), "read-only") {
			mine, other = other, mine
		}
		require.NoError(t, os.WriteFile(filepath.Join(os.Getenv("MEET"), mine), nil, 0o600))
		require.Eventually(t, func() bool {
			_, err := os.Stat(filepath.Join(os.Getenv("MEET"), other))
			return err == nil
		}, 20*time.Second, 10*time.Millisecond)
	case "writes to the fixtures":
		if dir := os.Getenv(contracts.FixturesEnv); strings.Contains(dir, "read-only") {
			// What root can do anyway, and another user by a chmod.
			require.NoError(t, os.Chmod(dir, 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "left"), nil, 0o644))
		}
	case "makes a fifo of the fixtures":
		if dir := os.Getenv(contracts.FixturesEnv); strings.Contains(dir, "read-only") {
			require.NoError(t, os.Chmod(dir, 0o755))
			require.NoError(t, exec.Command("mkfifo", filepath.Join(dir, "left")).Run())
		}
	}
}

// owns skips what is the owner's to ask.
func owns(t *testing.T) {
	t.Helper()
	if strings.HasPrefix(os.Getenv("ODD"), "visits") {
		t.Skip("this suite visits")
	}
}

// read reads every file and view, and counts the bytes.
func read(t *testing.T, f *contracts.Fixture) int {
	t.Helper()
	return all(t, f, f.Thaw(t))
}

func all(t *testing.T, f *contracts.Fixture, th *contracts.Thawed) int {
	t.Helper()
	fsys := th.FS(t, ".")
	n := 0
	require.NoError(t, fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := fs.ReadFile(fsys, name)
		n += len(data)
		return err
	}))
	for _, name := range f.Views() {
		n += len(f.View(name).Stdout)
	}
	return n
}

// begin reads one byte of every file.
func begin(t *testing.T, f *contracts.Fixture) {
	t.Helper()
	fsys := f.Thaw(t).FS(t, ".")
	require.NoError(t, fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		file, err := fsys.Open(name)
		if err != nil {
			return err
		}
		defer file.Close()
		_, err = file.Read(make([]byte, 1))
		if info, _ := d.Info(); info.Size() == 0 {
			return nil
		}
		return err
	}))
	for _, name := range f.Views() {
		f.View(name)
	}
}
