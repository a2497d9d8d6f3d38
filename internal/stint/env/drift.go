package env

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// State is whether a process has the values that a file declares now.
type State string

const (
	Fresh      State = "fresh"
	Stale      State = "stale"
	Unverified State = "unverified" // nothing may be concluded
)

// Drift is what a comparison came to. It holds no value.
type Drift struct {
	State State
	Names []string // of a stale one: what differs, sorted
	Why   string   // of an unverified one
}

// Why a process is not known, or its environment.
var (
	ErrGone        = errors.New("it has ended")
	ErrReused      = errors.New("its number is another process's now")
	ErrUnsupported = errors.New("only Linux shows the environment of a process to its user")
	errNone        = errors.New("it shows no environment, or not yet")
	errNoMark      = errors.New("it is not, or not yet, the program that was started there, or runs on another environment")
	errOverwritten = errors.New("it has overwritten its environment")
)

// Drift compares the environment that process p was started with with what the
// file declares. It must have the variable mark, as NAME=value, that is known
// to be its own, such as an id: a process that is only just starting has that
// of its parent still. Names that are gone from the file must not be there.
func (f *File) Drift(p Process, mark string, gone ...string) Drift {
	has, err := p.environ()
	if err == nil && !slices.Contains(has, mark) {
		err = errNoMark
	}
	if err != nil {
		return Drift{State: Unverified, Why: fmt.Sprintf("process %d: %v", p.PID, err)}
	}
	if names := f.differing(has, gone); len(names) > 0 {
		return Drift{State: Stale, Names: names}
	}
	return Drift{State: Fresh}
}

// Has tells whether the process was started with this entry, as NAME=value.
func (p Process) Has(entry string) (bool, error) {
	has, err := p.environ()
	return err == nil && slices.Contains(has, entry), err
}

// differing names what is declared and is not so in has, and what is there of
// gone.
func (f *File) differing(has, gone []string) []string {
	var names []string
	for _, v := range f.Variables {
		value, there := lookup(has, v.Name)
		if !Reserved(v.Name) && (!there || value != v.Value.Reveal()) {
			names = append(names, v.Name)
		}
	}
	for _, name := range gone {
		_, there := lookup(has, name)
		declared := slices.ContainsFunc(f.Variables, func(v Variable) bool { return v.Name == name })
		if there && !declared && !Reserved(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Gone are those of the names once declared that the file does not declare now
// and that it could.
func (f *File) Gone(once []string) []string {
	now := f.Names()
	return slices.DeleteFunc(slices.Clone(once), func(name string) bool {
		return slices.Contains(now, name) || Reserved(name) || !isName(name)
	})
}

// lookup finds the first one, as getenv does.
func lookup(environ []string, name string) (value string, there bool) {
	for _, entry := range environ {
		if n, v, _ := strings.Cut(entry, "="); n == name {
			return v, true
		}
	}
	return "", false
}

// entries takes an environment apart. A program that wrote its title over it
// left what is no NAME=value.
func entries(b string) ([]string, error) {
	if b == "" {
		return nil, errNone
	}
	all := strings.Split(strings.TrimSuffix(b, "\x00"), "\x00")
	if slices.ContainsFunc(all, func(e string) bool { return strings.IndexByte(e, '=') <= 0 }) {
		return nil, errOverwritten
	}
	return all, nil
}
