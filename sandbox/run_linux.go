package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Run runs one program in the box and returns its exit code, or 128 and the
// number of the signal that ended it. The error is for a program that could
// not be run, and for a context that ended: then the program was killed.
//
// Run returns when the program has ended and what it wrote was read. What it
// left running in the box goes on.
func (b *Box) Run(ctx context.Context, c Cmd) (code int, err error) {
	if len(c.Args) == 0 && c.Role == "" {
		return 0, fmt.Errorf("box %q: no program named", b.place)
	}
	name := c.Role
	if name == "" {
		name = c.Args[0]
	}
	code, err = b.runCmd(ctx, c)
	if errors.Is(err, errGone) && !b.isGone() {
		err = errors.New("the box was stopped")
	}
	if err != nil {
		return code, fmt.Errorf("box %q: running %q: %w", b.place, name, err)
	}
	return code, nil
}

// isGone tells whether the supervisor is.
func (b *Box) isGone() bool {
	select {
	case <-b.control.gone:
		return true
	default:
		return false
	}
}

func (b *Box) runCmd(ctx context.Context, c Cmd) (int, error) {
	if err := b.folder.check(); err != nil {
		return 0, err
	}
	path, err := b.program(c)
	if err != nil {
		return 0, err
	}
	p := &program{Path: path, Args: c.Args, Dir: b.Project(), Env: override(b.env, c.Env), Terminal: c.Terminal}
	if c.Role != "" {
		p.Args = append([]string{c.Role}, c.Args...)
	}
	if c.Dir != "" {
		p.Dir = b.place.at(c.Dir)
	}
	s, err := openStreams(c)
	if err != nil {
		return 0, err
	}
	id, answer, err := b.programs.ask(request{Run: p}, s.theirs...)
	s.handedOver()
	if err != nil {
		return 0, errors.Join(err, s.finish())
	}
	r, err := b.programs.wait(ctx, answer)
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		limited, cancel := context.WithTimeout(context.Background(), margin)
		defer cancel()
		go b.keepAwake(limited)
		b.programs.signal(id, unix.SIGKILL)
		r, _ = b.programs.wait(limited, answer)
	}
	return r.Code, errors.Join(err, s.finish(), r.err("starting it"))
}

// program finds what to run: nothing outside of the box by a bare name.
func (b *Box) program(c Cmd) (string, error) {
	if c.Role != "" {
		return b.rolePath(c.Role)
	}
	name := c.Args[0]
	if strings.Contains(name, "/") {
		return name, nil
	}
	path := filepath.Join(b.Bin(), name)
	if _, err := os.Stat(path); err != nil {
		names, _ := readNames(b.Bin())
		slices.Sort(names)
		return "", fmt.Errorf("it is not in the box, which has %s: name it under tools ([box] tools in freeze.toml)",
			strings.Join(names, " "))
	}
	return path, nil
}

func (b *Box) rolePath(name string) (string, error) {
	if err := checkName("role", name); err != nil {
		return "", err
	}
	root, err := os.OpenRoot(string(b.place))
	if err != nil {
		return "", err
	}
	defer root.Close()
	path := b.place.role(name)
	if err := root.Link(b.place.rel(b.place.self()), b.place.rel(path)); err != nil && !os.IsExist(err) {
		return "", err
	}
	return path, nil
}
