package sandbox

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/sys/unix"
)

// request is what the caller asks of the supervisor (Setup, Stop, Remove) or
// of whoever starts the programs (Run, Signal).
type request struct {
	ID     uint64      `json:"id"`
	Setup  *setup      `json:"setup,omitempty"`
	Stop   *stop       `json:"stop,omitempty"`
	Remove bool        `json:"remove,omitempty"`
	Run    *program    `json:"run,omitempty"`    // with three descriptors: its streams
	Signal unix.Signal `json:"signal,omitempty"` // to the program that Run of this ID started

	files []*os.File
}

// reply answers the request of that ID. A Run is answered when it has ended.
type reply struct {
	ID     uint64  `json:"id"`
	Error  string  `json:"error,omitempty"`
	Code   int     `json:"code,omitempty"`
	Report *report `json:"report,omitempty"`

	// To Setup: which namespaces, where the numbering of processes begins, and
	// the first of them.
	Kind     string  `json:"kind,omitempty"`
	FirstPID int     `json:"firstPID,omitempty"`
	Init     *anchor `json:"init,omitempty"`
}

// wire carries one JSON document after another over a unix stream socket, each
// behind its length. Descriptors ride on the length.
type wire struct {
	conn *net.UnixConn
	mu   sync.Mutex // for sending
}

// maxMessage is beyond what Linux takes as arguments and environment.
const maxMessage = 16 << 20

// sendLimit is for another side that was stopped and reads no more.
const sendLimit = 10 * time.Second

func newWire(f *os.File) (*wire, error) {
	defer f.Close()
	conn, err := net.FileConn(f)
	if err != nil {
		return nil, fmt.Errorf("socket %q: %w", f.Name(), err)
	}
	return &wire{conn: conn.(*net.UnixConn)}, nil
}

// wirePair returns one end and the file to hand to another process.
func wirePair(name string) (*wire, *os.File, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("socket pair: %w", err)
	}
	there := os.NewFile(uintptr(fds[1]), name)
	here, err := newWire(os.NewFile(uintptr(fds[0]), name))
	if err != nil {
		there.Close()
		return nil, nil, err
	}
	return here, there, nil
}

func (w *wire) send(v any, files ...*os.File) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	var fds []int
	for _, f := range files {
		raw, err := f.SyscallConn()
		if err != nil {
			return fmt.Errorf("%q: %w", f.Name(), err)
		}
		// Not f.Fd(), which would make the caller's file block.
		if err := raw.Control(func(fd uintptr) { fds = append(fds, int(fd)) }); err != nil {
			return fmt.Errorf("%q: %w", f.Name(), err)
		}
	}
	head := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.conn.SetWriteDeadline(time.Now().Add(sendLimit)); err != nil {
		return errors.Join(errGone, err)
	}
	if _, _, err = w.conn.WriteMsgUnix(head, unix.UnixRights(fds...), nil); err == nil {
		_, err = w.conn.Write(body)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		w.conn.Close() // what follows half a message cannot be read
		return errors.Join(errGone, err)
	}
	if errors.Is(err, unix.EPIPE) || errors.Is(err, unix.ECONNRESET) || errors.Is(err, net.ErrClosed) {
		return errors.Join(errGone, err)
	}
	return err
}

func (w *wire) receive(v any) ([]*os.File, error) {
	var head [4]byte
	oob := make([]byte, unix.CmsgSpace(3*4))
	n, oobn, _, _, err := w.conn.ReadMsgUnix(head[:], oob)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, io.EOF
	}
	files, err := passedFiles(oob[:oobn])
	if err != nil {
		return nil, err
	}
	if _, err := io.ReadFull(w.conn, head[n:]); err != nil {
		return files, err
	}
	size := binary.BigEndian.Uint32(head[:])
	if size > maxMessage {
		return files, fmt.Errorf("message of %d bytes", size)
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(w.conn, body); err != nil {
		return files, err
	}
	return files, json.Unmarshal(body, v)
}

func passedFiles(oob []byte) (files []*os.File, err error) {
	if len(oob) == 0 {
		return nil, nil
	}
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return nil, err
	}
	for _, m := range messages {
		fds, err := unix.ParseUnixRights(&m)
		if err != nil {
			return files, err
		}
		for _, fd := range fds {
			files = append(files, os.NewFile(uintptr(fd), "passed"))
		}
	}
	return files, nil
}

// requests reads the wire into a channel, which is closed when the other side
// is gone.
func (w *wire) requests() <-chan request {
	c := make(chan request)
	go func() {
		defer close(c)
		for {
			var r request
			files, err := w.receive(&r)
			r.files = files
			if err != nil {
				closeAll(files)
				return
			}
			c <- r
		}
	}()
	return c
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

var errGone = errors.New("the box's supervisor is gone")
