package sandbox

import (
	"context"
	"time"

	"golang.org/x/sys/unix"
)

// stop asks for the end of everything in the box, within a patience.
type stop struct {
	Patience nanoseconds `json:"patience"`
}

// nanoseconds is a duration as it goes over the wire.
type nanoseconds int64

// report is what came of it.
type report struct {
	Held  bool      `json:"held"`
	Why   string    `json:"why"`
	Left  []Process `json:"left"`
	Ended []Process `json:"ended"` // what had to be signalled
}

// The order of ending, counted from when the server was asked to end. What a
// terminal's end or a server's end brings down has time to go by itself.
const (
	termAfter = 250 * time.Millisecond
	killAfter = time.Second
	lookEvery = 10 * time.Millisecond
)

// ending is one try to empty a box.
type ending struct {
	lookout *lookout
	started time.Time
	// killAll ends the box's machinery and what is in its namespace; nil where
	// there is no supervisor to do so.
	killAll func()
	// pause returns after a moment, or earlier when a process has ended.
	pause func(time.Duration)

	asked map[processID]bool
	ended []Process
}

type processID struct {
	pid   int
	start uint64
}

// run signals what is the box's own, more firmly with time, until one pass
// sees nothing.
func (e *ending) run(ctx context.Context, patience time.Duration) (report, error) {
	e.started = time.Now()
	e.asked = map[processID]bool{}
	for {
		s, err := e.lookout.look()
		if err != nil {
			return report{}, err
		}
		if s.empty() {
			return report{Ended: e.ended}, e.lookout.folder.checkLocks()
		}
		if time.Since(e.started) > patience || ctx.Err() != nil {
			return report{Held: true, Why: s.reason(), Left: s.left, Ended: e.ended}, nil
		}
		e.press(s)
		e.pause(lookEvery)
	}
}

func (e *ending) press(s sight) {
	after := time.Since(e.started)
	if after < termAfter {
		return
	}
	for _, p := range s.left {
		id := processID{p.PID, p.Start}
		switch {
		case !p.Ours:
		case after >= killAfter:
			e.note(id, p)
			signalProcess(p.PID, p.Start, unix.SIGKILL)
		case !e.asked[id]:
			e.note(id, p)
			// A stopped process sees its SIGTERM only when it goes on.
			signalProcess(p.PID, p.Start, unix.SIGTERM, unix.SIGCONT)
		}
	}
	if after >= killAfter && e.killAll != nil {
		e.killAll()
	}
}

func (e *ending) note(id processID, p Process) {
	if !e.asked[id] {
		e.asked[id] = true
		e.ended = append(e.ended, p)
	}
}
