package sandbox

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// proc is a line of the process table: what /proc/PID/stat says.
type proc struct {
	pid, parent int
	state       byte // of its first thread
	threads     int
	start       uint64 // clock ticks since boot
}

// ended tells whether all of its threads have: the first one may be a zombie
// while others run on.
func (p proc) ended() bool { return (p.state == 'Z' || p.state == 'X') && p.threads <= 1 }

func procPath(pid int, elem ...string) string {
	return filepath.Join(append([]string{"/proc", strconv.Itoa(pid)}, elem...)...)
}

// readProc fails for a process that is gone, and only then.
func readProc(pid int) (proc, error) {
	b, err := os.ReadFile(procPath(pid, "stat"))
	if err != nil {
		return proc{}, err
	}
	// The name in parentheses may hold anything, parentheses and spaces too.
	f := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	if len(f) < 20 {
		return proc{}, fmt.Errorf("/proc/%d/stat has %d fields", pid, len(f))
	}
	parent, _ := strconv.Atoi(string(f[1]))
	threads, _ := strconv.Atoi(string(f[17]))
	start, _ := strconv.ParseUint(string(f[19]), 10, 64)
	return proc{pid: pid, parent: parent, state: f[0][0], threads: threads, start: start}, nil
}

// processTable lists the processes of this /proc that have not ended.
func processTable() ([]proc, error) {
	names, err := readNames("/proc")
	if err != nil {
		return nil, err
	}
	var table []proc
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if p, err := readProc(pid); err == nil && !p.ended() {
			table = append(table, p)
		}
	}
	return table, nil
}

func readNames(dir string) ([]string, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

// descendants of a process, without itself.
func descendants(table []proc, root int) map[int]bool {
	children := map[int][]int{}
	for _, p := range table {
		children[p.parent] = append(children[p.parent], p.pid)
	}
	found := map[int]bool{}
	for next := children[root]; len(next) > 0; {
		pid := next[0]
		next = next[1:]
		if !found[pid] {
			found[pid] = true
			next = append(next, children[pid]...)
		}
	}
	return found
}

func hasEnv(pid int, entry string) bool {
	env, err := os.ReadFile(procPath(pid, "environ"))
	return err == nil && bytes.Contains(append([]byte{0}, append(env, 0)...), []byte("\x00"+entry+"\x00"))
}

func standsIn(pid int, root string) bool {
	dir, err := os.Readlink(procPath(pid, "cwd"))
	return err == nil && (dir == root || strings.HasPrefix(dir, root+"/") || dir == root+" (deleted)")
}

func commandLine(pid int) string {
	b, _ := os.ReadFile(procPath(pid, "cmdline"))
	if len(b) == 0 {
		b, _ = os.ReadFile(procPath(pid, "comm"))
	}
	line := strings.TrimSpace(strings.ReplaceAll(string(b), "\x00", " "))
	if len(line) > 200 {
		line = line[:200] + "..."
	}
	return line
}

// effectiveUID is -1 for a process that is gone.
func effectiveUID(pid int) int {
	b, _ := os.ReadFile(procPath(pid, "status"))
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) > 2 && f[0] == "Uid:" {
			if uid, err := strconv.Atoi(f[2]); err == nil {
				return uid
			}
		}
	}
	return -1
}

// ticksPerSecond is USER_HZ, which is 100 on every architecture Go runs on.
const ticksPerSecond = 100

func timeOfTick(tick uint64) time.Time {
	b, _ := os.ReadFile("/proc/stat")
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == "btime" {
			boot, _ := strconv.ParseInt(f[1], 10, 64)
			return time.Unix(boot, 0).Add(time.Duration(tick) * time.Second / ticksPerSecond)
		}
	}
	return time.Time{}
}

// signalProcess signals the process of that pid and start time, and no other
// that got the pid since.
func signalProcess(pid int, start uint64, signals ...unix.Signal) error {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if p, err := readProc(pid); err != nil || p.start != start {
		return unix.ESRCH
	}
	for _, s := range signals {
		if err := unix.PidfdSendSignal(fd, s, nil, 0); err != nil {
			return err
		}
	}
	return nil
}
