package begin

import (
	"errors"
	"os"
	"strconv"
	"syscall"
)

func init() {
	if len(os.Args) < 4 || os.Args[1] != Word {
		return
	}
	program, err := os.Executable()
	if err != nil {
		return
	}
	socket := Socket(program)
	if socket == "" {
		return
	}
	err = become(socket, os.Args[2], os.Args[3:])
	_, _ = os.Stderr.WriteString(err.Error() + "\n")
	// Not os.Exit, which a build with the race detector makes a second longer.
	syscall.Exit(127)
}

// become returns only where it fails.
func become(socket, line string, command []string) error {
	n, err := strconv.Atoi(line)
	if err != nil {
		return err
	}
	conn, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_SEQPACKET|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	if err := syscall.Connect(conn, &syscall.SockaddrUnix{Name: socket}); err != nil {
		return err
	}
	m := Message{PID: os.Getpid(), Line: n}
	path, ok := look(command[0], os.Getenv("PATH"))
	if !ok {
		m.None = command[0]
		return errors.Join(errors.New(m.None+": not found"), say(conn, m))
	}
	if err := handOver(conn, m); err != nil {
		return err
	}
	err = syscall.Exec(path, append([]string{path}, command[1:]...), os.Environ())
	m.Why = path + ": " + err.Error()
	return errors.Join(errors.New(m.Why), say(conn, m))
}

// look finds the program of a command, as testscript does.
func look(command, dirs string) (path string, ok bool) {
	if base, _ := cut(command, '/'); base != command || command == "" {
		return command, true
	}
	if dirs != "" {
		dirs += ":" // an empty one at the end counts
	}
	for dir := ""; dirs != ""; {
		dir, dirs = cut(dirs, ':')
		path = command
		if dir != "" {
			path = dir + "/" + command
		}
		const executes = 1
		if info, err := os.Stat(path); err == nil && !info.IsDir() && syscall.Access(path, executes) == nil {
			return path, true
		}
	}
	return "", false
}

// say waits until it was heard.
func say(conn int, m Message) error {
	_, err := syscall.Write(conn, m.text())
	if err == nil {
		_, err = syscall.Read(conn, make([]byte, 1))
	}
	return err
}

// handOver puts what the runner answers with in the place of the two streams.
func handOver(conn int, m Message) error {
	if err := syscall.Sendmsg(conn, m.text(), syscall.UnixRights(1, 2), nil, 0); err != nil {
		return err
	}
	oob := make([]byte, syscall.CmsgSpace(2*4))
	_, n, _, _, err := syscall.Recvmsg(conn, make([]byte, 1), oob, 0)
	if err != nil {
		return err
	}
	fds, err := Streams(oob[:n])
	if err != nil {
		return err
	}
	for i, fd := range fds {
		if err := syscall.Dup3(fd, i+1, 0); err != nil {
			return err
		}
		if err := syscall.Close(fd); err != nil {
			return err
		}
	}
	return nil
}

// Streams are the two that came with a message or its answer.
func Streams(oob []byte) ([]int, error) {
	msgs, err := syscall.ParseSocketControlMessage(oob)
	if err != nil {
		return nil, err
	}
	var fds []int
	if len(msgs) == 1 {
		fds, err = syscall.ParseUnixRights(&msgs[0])
	}
	if len(fds) != 2 {
		return nil, errors.Join(errors.New("a command's two streams did not come"), err)
	}
	return fds, nil
}
