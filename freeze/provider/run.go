package provider

import (
	"context"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/freeze-contracts/permafrost/freeze/group"
)

// patience is how long a command may take to end by itself once it is asked.
const patience = 3 * time.Second

// command is a program that runs outside of any box.
type command struct {
	words []string
	dir   string
	env   []string
}

// run runs the command until it ends or ctx does. Whatever else it has started
// in its process group is then ended too.
func (c command) run(ctx context.Context, stdout, stderr io.Writer) error {
	program, err := lookPath(c.words[0], c.dir, c.env)
	if err != nil {
		return err
	}
	out, err := newStream(stdout)
	if err != nil {
		return err
	}
	defer out.drain()
	errs := out
	if stderr != stdout {
		if errs, err = newStream(stderr); err != nil {
			return err
		}
		defer errs.drain()
	}
	g, err := group.New()
	if err != nil {
		return err
	}
	// Before the streams are drained: what is left would hold them open.
	defer g.End()
	cmd := exec.Command(program, c.words[1:]...)
	cmd.Args[0] = c.words[0]
	cmd.Dir = c.dir
	cmd.Env = append(c.env, "PWD="+c.dir)
	cmd.Stdout, cmd.Stderr = out.write, errs.write
	if err := g.Start(cmd); err != nil {
		return err
	}
	return await(ctx, g, cmd)
}

func await(ctx context.Context, g *group.Group, cmd *exec.Cmd) error {
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	select {
	case err := <-exited:
		return err
	case <-ctx.Done():
		g.Interrupt()
	}
	select {
	case <-exited:
	case <-time.After(patience):
	}
	return context.Cause(ctx)
}

// stream carries what a command prints. A pipe of our own, unlike one of
// exec.Cmd, does not keep Wait from returning while a daemon holds it.
type stream struct {
	read, write *os.File
	copied      chan struct{}
}

func newStream(to io.Writer) (*stream, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	s := &stream{read, write, make(chan struct{})}
	go func() {
		defer close(s.copied)
		_, _ = io.Copy(to, read)
	}()
	return s, nil
}

// drain waits for the rest of the output, though not for a daemon that has
// left its group and holds the pipe.
func (s *stream) drain() {
	s.write.Close()
	_ = s.read.SetReadDeadline(time.Now().Add(time.Second))
	<-s.copied
	s.read.Close()
}
