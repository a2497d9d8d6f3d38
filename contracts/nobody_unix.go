//go:build unix

package contracts

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
)

// nobody is a user whom permissions hold.
const nobody = 65534

// AsNobody says whether the test that calls it is to go on, as one of what
// permission refuses must not where its user is root, who may read and write
// everything. There it runs that test once more, as another user in a process
// of its own, where that user may read the fixtures of the families that Main or
// Visit names, and fails the test, under the same assertion id, if it fails there.
func AsNobody(t *testing.T) bool {
	t.Helper()
	if os.Getuid() != 0 {
		return true
	}
	// In memory, that a program is run may be forbidden; the folder of ThawEnv
	// that user may have no way into.
	program, programErr := newFolder("program", "/tmp")
	frozen, frozenErr := newFolder("place", memory, "/tmp")
	t.Cleanup(func() {
		for _, p := range []*folder{program, frozen} {
			if p == nil {
				continue
			}
			if err := p.remove(); err != nil {
				t.Error(err)
			}
		}
	})
	if err := errors.Join(programErr, frozenErr); err != nil {
		t.Fatal(err)
	}
	dir, fixtures := program.dir, frozen.dir
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "test"), "-test.run=^"+t.Name()+"$", "-test.v")
	if err := equip(dir, fixtures); err != nil {
		t.Fatal(err)
	}
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TMPDIR="+filepath.Join(dir, "tmp"), FixturesEnv+"="+fixtures)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	if id := asserted.FindSubmatch(out); err != nil && id != nil {
		t.Attr("freeze.assert", string(id[1]))
		t.Fatalf("%s: as another user: %v\n%s", id[1], err, out)
	}
	if passed := regexp.MustCompile(`(?m)^--- PASS: ` + regexp.QuoteMeta(t.Name()) + ` `); err != nil || !passed.Match(out) {
		t.Fatalf("as another user: %v: it did not pass:\n%s", err, out)
	}
	return false
}

// asserted finds the first assertion that failed in the other process.
var asserted = regexp.MustCompile(`freeze\.assert (\S+)`)

// equip gives that user the program, the fixtures and a place for temporary
// files.
func equip(dir, fixtures string) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	program, err := os.ReadFile(exe)
	if err != nil {
		return err
	}
	c, err := current.open()
	if err != nil {
		return err
	}
	if err := errors.Join(c.copy(fixtures), os.Mkdir(filepath.Join(dir, "tmp"), 0o700),
		os.WriteFile(filepath.Join(dir, "test"), program, 0o700)); err != nil {
		return err
	}
	own := func(name string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(name, nobody, nobody))
	}
	return errors.Join(filepath.WalkDir(dir, own), filepath.WalkDir(fixtures, own))
}
