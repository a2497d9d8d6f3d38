package process

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/freeze-contracts/permafrost/freeze/group"
)

// Served is a program that runs until it is ended, and is told line by line
// what to do, on file descriptor 3. There is none on Windows.
type Served struct {
	group    *group.Group
	commands *os.File
	exited   chan struct{}
}

// Serve starts the program. Its Timeout is of no matter; Also is written all
// output.
func (r Run) Serve() (*Served, error) {
	g, err := group.New()
	if err != nil {
		return nil, err
	}
	read, write, err := os.Pipe()
	if err != nil {
		g.End()
		return nil, err
	}
	defer read.Close()
	cmd := exec.Command(r.Args[0], r.Args[1:]...)
	cmd.Dir = r.Dir
	cmd.Env = append(slices.Clone(r.Env), "PWD="+r.Dir)
	cmd.ExtraFiles = []*os.File{read}
	cmd.Stdout, cmd.Stderr = r.Also, r.Also
	cmd.WaitDelay = 2 * time.Second
	if err := g.Start(cmd); err != nil {
		write.Close()
		g.End()
		return nil, err
	}
	s := &Served{g, write, make(chan struct{})}
	go func() {
		defer close(s.exited)
		_ = cmd.Wait() // how it ends is of no matter: nothing is asked of it by then
	}()
	return s, nil
}

// Tell writes a line to the program.
func (s *Served) Tell(line string) error {
	_, err := io.WriteString(s.commands, line+"\n")
	return err
}

// Exited is closed once the program has ended and all its output is written.
func (s *Served) Exited() <-chan struct{} { return s.exited }

// End ends the program, and what it left running in its process group. It is
// called once.
func (s *Served) End() error {
	s.group.Kill()
	<-s.exited
	s.group.End()
	if err := s.commands.Close(); err != nil {
		return fmt.Errorf("commands: %w", err)
	}
	return nil
}
