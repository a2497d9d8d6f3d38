package sandbox

import (
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// streams are the three streams of a program and what carries them to the
// caller's readers and writers.
type streams struct {
	theirs  []*os.File // standard input, output and error of the program
	opened  []*os.File // those of theirs that are ours to close
	stop    []func()
	outputs []*output
}

// output copies what the program writes.
type output struct {
	from *os.File
	to   io.Writer
	done chan error
}

// grace is how long output is waited for that a process left behind may still
// write. What the program itself wrote is read in any case.
const grace = 100 * time.Millisecond

func openStreams(c Cmd) (*streams, error) {
	s := &streams{}
	var err error
	if c.Terminal {
		err = s.terminal(c)
	} else {
		err = s.plain(c)
	}
	if err != nil {
		s.handedOver()
		return nil, errors.Join(err, s.finish())
	}
	return s, nil
}

func (s *streams) plain(c Cmd) error {
	if err := s.input(c.Stdin); err != nil {
		return err
	}
	if err := s.output(c.Stdout); err != nil {
		return err
	}
	if c.Stderr != nil && c.Stderr == c.Stdout {
		// One pipe keeps the order of what is written to both.
		s.theirs = append(s.theirs, s.theirs[1])
		return nil
	}
	return s.output(c.Stderr)
}

func (s *streams) null() error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err == nil {
		s.give(null)
	}
	return err
}

// give hands over a file that was opened for it.
func (s *streams) give(f *os.File) {
	s.theirs = append(s.theirs, f)
	s.opened = append(s.opened, f)
}

func (s *streams) input(from io.Reader) error {
	switch f := from.(type) {
	case nil:
		return s.null()
	case *os.File:
		s.theirs = append(s.theirs, f)
		return nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	s.give(r)
	s.stop = append(s.stop, func() { w.Close() })
	go func() {
		// A program that does not read all of its input is no error.
		_, _ = io.Copy(w, from)
		w.Close()
	}()
	return nil
}

func (s *streams) output(to io.Writer) error {
	switch f := to.(type) {
	case nil:
		return s.null()
	case *os.File:
		s.theirs = append(s.theirs, f)
		return nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	s.give(w)
	s.copyOutput(r, to)
	return nil
}

func (s *streams) copyOutput(from *os.File, to io.Writer) {
	o := &output{from: from, to: to, done: make(chan error, 1)}
	s.outputs = append(s.outputs, o)
	go func() {
		_, err := io.Copy(o.to, o.from)
		o.done <- err
	}()
}

// handedOver closes what only the program needs open.
func (s *streams) handedOver() {
	closeAll(s.opened)
	s.opened = nil
}

// finish is called when the program has ended.
func (s *streams) finish() error {
	var errs []error
	for _, o := range s.outputs {
		errs = append(errs, o.finish())
	}
	for _, stop := range s.stop {
		stop()
	}
	return errors.Join(errs...)
}

func (o *output) finish() error {
	defer o.from.Close()
	select {
	case err := <-o.done:
		return endOfOutput(err)
	case <-time.After(grace):
	}
	o.from.SetReadDeadline(time.Unix(1, 0))
	if err := <-o.done; !errors.Is(err, os.ErrDeadlineExceeded) {
		return endOfOutput(err)
	}
	return o.drain()
}

// pipeSize is the most that a pipe can be made to hold, in bytes: the default
// of pipe-max-size in pipe(7).
const pipeSize = 1 << 20

// drain takes what is in the pipe now. It does not wait for more, nor for the
// end of somebody who writes without one.
func (o *output) drain() error {
	if err := o.from.SetReadDeadline(time.Time{}); err != nil {
		return err
	}
	raw, err := o.from.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Read(func(fd uintptr) bool {
		buf := make([]byte, 32<<10)
		for left := pipeSize; left > 0; {
			n, err := unix.Read(int(fd), buf)
			if n <= 0 || err != nil {
				return true
			}
			left -= n
			if _, failed = o.to.Write(buf[:n]); failed != nil {
				return true
			}
		}
		return true
	})
	return errors.Join(err, failed)
}

// endOfOutput: a terminal whose last user is gone reads as EIO.
func endOfOutput(err error) error {
	if errors.Is(err, unix.EIO) {
		return nil
	}
	return err
}
