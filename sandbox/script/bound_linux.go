package script

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"github.com/go-json-experiment/json"
	"golang.org/x/sys/unix"
)

// beginning is what a command that begins says of itself, with its two streams.
type beginning struct {
	PID  int    `json:"pid"`
	Line int    `json:"line"`
	None string `json:"none,omitempty"` // the program that PATH does not have
	Why  string `json:"why,omitempty"`  // why it could not be run
}

// serve takes the streams of the commands that begin, until close is called.
func (b *bounds) serve() (close func() error, err error) {
	if b.program, err = os.Executable(); err != nil {
		return nil, err
	}
	l, err := net.ListenUnix("unixpacket", &net.UnixAddr{Name: b.socket, Net: "unixpacket"})
	if err != nil {
		return nil, err
	}
	go func() {
		for {
			conn, err := l.AcceptUnix()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				if err := b.accept(conn); err != nil {
					b.tell(0, err)
				}
			}()
		}
	}()
	return l.Close, nil
}

// accept puts pipes of this process in the place of a command's streams.
func (b *bounds) accept(conn *net.UnixConn) error {
	for {
		text, oob := make([]byte, 64<<10), make([]byte, unix.CmsgSpace(2*4))
		n, oobn, _, _, err := conn.ReadMsgUnix(text, oob)
		if err != nil || n == 0 {
			return nil // it is what it was to become, or has ended
		}
		var c beginning
		if err := json.Unmarshal(text[:n], &c); err != nil {
			return err
		}
		switch {
		case c.None != "":
			b.tell(c.Line, &exec.Error{Name: c.None, Err: exec.ErrNotFound})
		case c.Why != "":
			if c.Line == 0 {
				b.tell(0, errors.New(c.Why))
			}
		default:
			if err := b.between(conn, c, oob[:oobn]); err != nil {
				return err
			}
			continue
		}
		_, err = conn.Write([]byte{1})
		return err
	}
}

func (b *bounds) between(conn *net.UnixConn, c beginning, oob []byte) error {
	msgs, err := unix.ParseSocketControlMessage(oob)
	if err != nil || len(msgs) != 1 {
		return fmt.Errorf("a command's streams: %d messages (%v)", len(msgs), err)
	}
	fds, err := unix.ParseUnixRights(&msgs[0])
	if err != nil {
		return err
	}
	var theirs []int
	for i, fd := range fds {
		unix.CloseOnExec(fd)
		to := os.NewFile(uintptr(fd), "stream")
		r, w, err := os.Pipe()
		if err != nil {
			return err
		}
		defer w.Close()
		theirs = append(theirs, int(w.Fd()))
		stream := [...]string{"standard output", "standard error"}[i]
		go forward(to, r, func() {
			b.tell(c.Line, tooMuch(stream))
			_ = unix.Kill(c.PID, unix.SIGKILL)
		})
	}
	_, _, err = conn.WriteMsgUnix([]byte{1}, unix.UnixRights(theirs...), nil)
	return err
}

// become hands the streams of this process to the player at args[0], and runs
// the command that follows the number of its line.
func become(args []string) error {
	line, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	conn, err := net.DialUnix("unixpacket", nil, &net.UnixAddr{Name: args[0], Net: "unixpacket"})
	if err != nil {
		return err
	}
	c := beginning{PID: os.Getpid(), Line: line}
	path, err := look(args[2])
	if err != nil {
		c.None = args[2]
		return errors.Join(err, say(conn, c))
	}
	if err := handOver(conn, c); err != nil {
		return err
	}
	err = unix.Exec(path, append([]string{path}, args[3:]...), os.Environ())
	c.Why = fmt.Sprintf("%s: %v", path, err)
	return errors.Join(errors.New(c.Why), say(conn, c))
}

// say waits until it was heard.
func say(conn *net.UnixConn, c beginning) error {
	text, err := json.Marshal(c)
	if err == nil {
		_, err = conn.Write(text)
	}
	if err == nil {
		_, err = conn.Read(make([]byte, 1))
	}
	return err
}

func handOver(conn *net.UnixConn, c beginning) error {
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if _, _, err := conn.WriteMsgUnix(text, unix.UnixRights(1, 2), nil); err != nil {
		return err
	}
	oob := make([]byte, unix.CmsgSpace(2*4))
	_, n, _, _, err := conn.ReadMsgUnix(make([]byte, 1), oob)
	if err != nil {
		return err
	}
	msgs, err := unix.ParseSocketControlMessage(oob[:n])
	if err != nil || len(msgs) != 1 {
		return fmt.Errorf("streams to print to: %d messages (%v)", len(msgs), err)
	}
	fds, err := unix.ParseUnixRights(&msgs[0])
	if err != nil {
		return err
	}
	for i, fd := range fds {
		if err := unix.Dup3(fd, i+1, 0); err != nil {
			return err
		}
		if err := unix.Close(fd); err != nil {
			return err
		}
	}
	return nil
}

// runBegin never returns: not os.Exit, which a build with the race detector
// makes a second longer.
func runBegin(args []string) int {
	err := become(args)
	fmt.Fprintln(os.Stderr, err)
	syscall.Exit(127)
	return 127
}
