package sandbox

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// A stub is what is left of a box whose caller was killed between making the
// folder and its record, or whose removal was cut short between the two: a
// folder with nothing in it. Where its name is not one of FreshRoot's it may be
// anything, and is none.
var stubName = regexp.MustCompile(`^fz\.[` + rootLetters + `]+$`)

// checkStub locks a stub, so that it stays one until the folder is closed.
func (f *folder) checkStub() error {
	if !stubName.MatchString(filepath.Base(string(f.place))) {
		return errors.New("it has no record, so it is no box")
	}
	if !tryLock(f.dir) {
		return errors.New("it is just being made, so it is left alone")
	}
	names, err := namesIn(f.fd())
	if err != nil {
		return err
	}
	for _, name := range names {
		if !strings.HasPrefix(name, recordName+".") { // one that was being written
			return fmt.Errorf("it has no record but holds %q, so it is no box", name)
		}
	}
	return nil
}

// inspectStub leaves out a stub of this moment: it may be about to be a box, and
// whoever lists it would soon find it in use.
func (f *folder) inspectStub() (Found, bool) {
	if f.checkStub() != nil {
		return Found{}, false
	}
	info, err := f.dir.Stat()
	if err != nil || time.Since(info.ModTime()) < time.Second {
		return Found{}, false
	}
	return Found{Root: string(f.place), Started: info.ModTime().UTC(), Spent: true}, true
}

func (f *folder) removeStub() error {
	if err := f.checkStub(); err != nil {
		return err
	}
	return f.remove()
}
