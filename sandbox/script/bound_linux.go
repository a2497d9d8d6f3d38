package script

import (
	"errors"
	"net"
	"os"
	"os/exec"

	"github.com/freeze-contracts/permafrost/sandbox/script/begin"
	"golang.org/x/sys/unix"
)

// serve takes the streams of the commands that begin, until close is called.
func (b *bounds) serve() (close func() error, err error) {
	if b.program, err = os.Executable(); err != nil {
		return nil, err
	}
	l, err := net.ListenUnix("unixpacket", &net.UnixAddr{Name: begin.Socket(b.program), Net: "unixpacket"})
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
	text, oob := make([]byte, 64<<10), make([]byte, unix.CmsgSpace(2*4))
	for {
		n, oobn, _, _, err := conn.ReadMsgUnix(text, oob)
		if err != nil || n == 0 {
			return nil // it is what it was to become, or has ended
		}
		c, err := begin.Parse(text[:n])
		if err != nil {
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

func (b *bounds) between(conn *net.UnixConn, c begin.Message, oob []byte) error {
	fds, err := begin.Streams(oob)
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
