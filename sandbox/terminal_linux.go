package sandbox

import (
	"errors"
	"io"
	"os"
	"os/signal"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// endOfInput is what a terminal's line discipline takes for the end of input.
const endOfInput = 0x04

// terminal makes a pty and joins it to the caller's input and output.
func (s *streams) terminal(c Cmd) error {
	ours, theirs, err := pty.Open()
	if err != nil {
		return err
	}
	s.give(theirs)
	s.theirs = append(s.theirs, theirs, theirs)
	to := c.Stdout
	if to == nil {
		to = io.Discard
	}
	s.copyOutput(ours, to)
	file, isFile := c.Stdin.(*os.File)
	if isFile && term.IsTerminal(int(file.Fd())) {
		if err := s.takeOver(file, ours); err != nil {
			return err
		}
	}
	switch {
	case isFile:
		return s.typeFile(file, ours)
	case c.Stdin != nil:
		go func() {
			io.Copy(ours, c.Stdin)
			ours.Write([]byte{endOfInput})
		}()
	}
	return nil
}

// takeOver makes the caller's terminal raw and keeps the size of the new one
// equal to its own, until the program has ended.
func (s *streams) takeOver(callers, ours *os.File) error {
	before, err := term.MakeRaw(int(callers.Fd()))
	if err != nil {
		return err
	}
	sizes := make(chan os.Signal, 1)
	signal.Notify(sizes, unix.SIGWINCH)
	s.stop = append(s.stop, func() {
		signal.Stop(sizes)
		close(sizes)
		term.Restore(int(callers.Fd()), before)
	})
	if err := pty.InheritSize(callers, ours); err != nil {
		return err
	}
	go func() {
		for range sizes {
			pty.InheritSize(callers, ours)
		}
	}()
	return nil
}

// typeFile passes on what comes from a file, and takes nothing from it any more
// when the program has ended: the next key is for who comes after.
func (s *streams) typeFile(from, ours *os.File) error {
	ended, end, err := os.Pipe()
	if err != nil {
		return err
	}
	stopped := make(chan struct{})
	s.stop = append(s.stop, func() {
		end.Close()
		<-stopped
		ended.Close()
	})
	go func() {
		defer close(stopped)
		buf := make([]byte, 4096)
		for readable(from, ended) {
			n, err := from.Read(buf)
			if _, writeErr := ours.Write(buf[:n]); writeErr != nil {
				return
			}
			if err != nil {
				ours.Write([]byte{endOfInput})
				return
			}
		}
	}()
	return nil
}

// readable waits until from can be read, or tells that it shall not be.
func readable(from, ended *os.File) bool {
	for {
		fds := []unix.PollFd{{Fd: int32(from.Fd()), Events: unix.POLLIN}, {Fd: int32(ended.Fd()), Events: unix.POLLIN}}
		if _, err := unix.Poll(fds, -1); errors.Is(err, unix.EINTR) {
			continue
		} else if err != nil {
			return false
		}
		return fds[1].Revents == 0
	}
}
