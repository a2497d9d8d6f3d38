package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// A stub is what is left of a box whose caller was killed between making the
// folder and its record, or whose removal was cut short between the two: a
// folder with nothing in it. Where its name is not one of FreshRoot's it may be
// anything, and is none.
var stubName = regexp.MustCompile(`^fz\.[` + rootLetters + `]+$`)

// openStub opens a stub and locks it, so that it stays one.
func (p place) openStub() (*os.File, error) {
	if !stubName.MatchString(filepath.Base(string(p))) {
		return nil, errors.New("it has no record, so it is no box")
	}
	dir, err := os.Open(string(p))
	if err != nil {
		return nil, err
	}
	if err := p.checkStub(dir); err != nil {
		dir.Close()
		return nil, err
	}
	return dir, nil
}

func (p place) checkStub(dir *os.File) error {
	if !tryLock(dir) {
		return errors.New("it is just being made, so it is left alone")
	}
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return err
	}
	for _, name := range names {
		if p.at(name) != p.nextRecord() {
			return fmt.Errorf("it has no record but holds %q, so it is no box", name)
		}
	}
	return nil
}

// inspectStub leaves out a stub of this moment: it may be about to be a box, and
// whoever lists it would soon find it in use.
func (p place) inspectStub() (Found, bool) {
	stub, err := p.openStub()
	if err != nil {
		return Found{}, false
	}
	defer stub.Close()
	info, err := stub.Stat()
	if err != nil || time.Since(info.ModTime()) < time.Second {
		return Found{}, false
	}
	return Found{Root: string(p), Started: info.ModTime().UTC(), Spent: true}, true
}

func (p place) removeStub() error {
	stub, err := p.openStub()
	if err != nil {
		return err
	}
	defer stub.Close()
	if err := os.Remove(p.nextRecord()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.Remove(string(p))
}
