package sandbox

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// record is box.json: what a later run must know of a box that was kept.
type record struct {
	Format     int       `json:"format"`
	Root       string    `json:"root"`
	UID        int       `json:"uid"`
	Started    time.Time `json:"started"`
	Boot       string    `json:"boot"`       // of the machine: after another boot nothing is left
	Founder    *anchor   `json:"founder"`    // who called Start
	Supervisor *anchor   `json:"supervisor"` // null until it has the owner's lock
	Init       *anchor   `json:"init"`       // first process of the namespace, as seen from outside; null without one
	// Lease and Owner are the inodes of these files, 0 before they were made.
	Lease uint64 `json:"lease"`
	Owner uint64 `json:"owner"`
	// Emptied says that the supervisor had no child left when it went.
	Emptied bool `json:"emptied"`
	// Proved says that the box was proved empty and is being removed.
	Proved bool `json:"proved"`
}

// anchor names one process for good.
type anchor struct {
	PID   int    `json:"pid"`
	Start uint64 `json:"start"`
}

func anchorOf(pid int) (*anchor, error) {
	p, err := readProc(pid)
	if err != nil {
		return nil, err
	}
	return &anchor{PID: pid, Start: p.start}, nil
}

// gone tells whether the process has ended. For the first process of a PID
// namespace that means that all in the namespace have: the kernel ends them
// before the last thread of the first one is gone.
func (a anchor) gone() bool {
	p, err := readProc(a.PID)
	return err != nil || p.start != a.Start || p.ended()
}

func bootID() string {
	b, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(b))
}

// recordName is that of the record, and how the names begin under which a new
// one is written.
const recordName = "box.json"

// mostRecord is far beyond what a record takes, in bytes.
const mostRecord = 64 << 10

func (f *folder) readRecord() (record, error) {
	var r record
	file, err := f.open(recordName, os.O_RDONLY)
	if err != nil {
		return r, err
	}
	defer file.Close()
	b, err := readBounded(file, mostRecord)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(b, &r); err != nil {
		return r, fmt.Errorf("%q: %w", file.Name(), err)
	}
	if r.Root != string(f.place) {
		return r, fmt.Errorf("%q is the record of another box, %q", file.Name(), r.Root)
	}
	return r, nil
}

// write replaces the record. It needs no fsync: after a crash of the machine
// nothing in the box is left to be found.
func (r record) write(f *folder) error {
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return f.replace(recordName, append(b, '\n'))
}
