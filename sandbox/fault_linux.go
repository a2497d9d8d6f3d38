package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"
)

// SetFault makes bin/PROGRAM misbehave as f says. Several faults on one program
// are tried in the order in which they were set; the first that matches and
// has not fired Count times yet fires.
func (b *Box) SetFault(f Fault) error {
	if err := b.folder.check(); err != nil {
		return err
	}
	return b.place.setFault(f)
}

// SetFault makes bin/PROGRAM misbehave, as Box.SetFault does.
func (in *Inside) SetFault(f Fault) error { return in.place().setFault(f) }

// Firings lists what has fired so far, in order.
func (b *Box) Firings() ([]Firing, error) {
	if err := b.folder.check(); err != nil {
		return nil, err
	}
	return b.place.readFirings()
}

// Firings lists what has fired so far, in order.
func (in *Inside) Firings() ([]Firing, error) { return in.place().readFirings() }

func (p place) setFault(f Fault) error {
	if err := errors.Join(checkName("fault on", f.Program), f.check()); err != nil {
		return err
	}
	list, err := p.lockFile(p.faults())
	if err != nil {
		return err
	}
	defer list.Close()
	faults, err := decodeLines[Fault](list)
	if err != nil {
		return err
	}
	for _, other := range faults {
		if other.ID == f.ID {
			return fmt.Errorf("fault %d on %q: there is a fault of that id on %q", f.ID, f.Program, other.Program)
		}
	}
	if err := p.intercept(f.Program); err != nil {
		return fmt.Errorf("fault %d on %q: %w", f.ID, f.Program, err)
	}
	return appendLine(list, f)
}

// intercept puts this binary in the place of a program of bin/, which moves to
// real/. At no moment is there none.
func (p place) intercept(program string) error {
	if p.isFaulty(program) {
		return nil
	}
	root, err := os.OpenRoot(string(p))
	if err != nil {
		return err
	}
	defer root.Close()
	file := filepath.Join(p.bin(), program)
	if err := p.putAside(root, program); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return errors.New("it is not in the box: name it under tools ([box] tools in freeze.toml)")
		}
		return err
	}
	if p.owns(file) {
		return nil // the tmux shim: the same binary, which now finds itself in real/ too
	}
	next := p.rel(filepath.Join(p.bin(), "."+program+".new"))
	if err := root.Link(p.rel(p.self()), next); err != nil {
		return err
	}
	return root.Rename(next, p.rel(file))
}

// putAside gives a program of bin/ its second name, in real/.
func (p place) putAside(root *os.Root, program string) error {
	file, real := p.rel(filepath.Join(p.bin(), program)), p.rel(filepath.Join(p.real(), program))
	if target, err := root.Readlink(file); err == nil {
		return root.Symlink(p.seenFromBin(target), real)
	}
	return root.Link(file, real)
}

// seenFromBin is where a link in bin/ leads, for the same link in real/.
func (p place) seenFromBin(target string) string {
	if filepath.IsAbs(target) {
		return target
	}
	return filepath.Join(p.bin(), target)
}

func (p place) isFaulty(program string) bool {
	_, err := os.Lstat(filepath.Join(p.real(), program))
	return err == nil
}

// readFirings waits for a fault that is firing at this moment.
func (p place) readFirings() ([]Firing, error) {
	list, err := p.lockFile(p.firings())
	if err != nil {
		return nil, err
	}
	defer list.Close()
	return decodeLines[Firing](list)
}

func decodeLines[T any](f *os.File) ([]T, error) {
	lines, err := readLines(f)
	if err != nil {
		return nil, err
	}
	var all []T
	for _, line := range lines {
		var one T
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			return nil, fmt.Errorf("%q: %w", f.Name(), err)
		}
		all = append(all, one)
	}
	return all, nil
}

func appendLine(f *os.File, v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return err
}
