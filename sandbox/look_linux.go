package sandbox

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// layer is one of the ways to see that something of a box still runs.
type layer uint8

const (
	layerLease       layer = 1 << iota // A: the flock that every tmux server of the box holds
	layerDescendants                   // B: what the supervisor started or adopted
	layerListens                       // C: sockets under the box
	layerMarker                        // D: environment and working folder
)

// Why a process counts.
const (
	whyLease      = "lease"
	whyDescendant = "descendant"
	whyListens    = "listens"
	whyMarker     = "marker"
	whyCwd        = "cwd"
)

// lookout sees what still holds a box.
type lookout struct {
	place   place
	folder  *folder
	lease   *os.File
	uid     int
	without layer
	// none tells whether the supervisor has no child left. Nil where there is
	// no supervisor: descendants can then be told from nothing else.
	none func() bool
	// root is the process whose descendants are the box's; 0 for none.
	root int
	// own are processes of the box's machinery, which hold it by right.
	own map[int]bool

	locked bool // the lease is ours: every later call of the shim fails
}

// sight is one pass over A to D.
type sight struct {
	left []Process
	why  []string // what each layer says that is not satisfied
}

func (s sight) empty() bool { return len(s.why) == 0 }

// look makes one pass. The lease is first: it is the gate that nothing slips
// through behind the other layers' back.
func (l *lookout) look() (sight, error) {
	var s sight
	if !l.locked {
		l.locked = tryLock(l.lease)
	}
	if l.on(layerLease) && !l.locked {
		s.why = append(s.why, "its lease is held")
	}
	if l.on(layerDescendants) && l.none != nil && !l.none() {
		s.why = append(s.why, "a process started in it is left")
	}
	var sockets map[string]string
	if l.on(layerListens) {
		var err error
		if sockets, err = listening(string(l.place)); err != nil {
			return s, err
		}
		for _, path := range slices.Sorted(maps.Values(sockets)) {
			s.why = append(s.why, fmt.Sprintf("somebody listens on %q", path))
		}
	}
	err := l.processes(&s, sockets)
	if slices.ContainsFunc(s.left, func(p Process) bool {
		return slices.Contains(p.Why, whyMarker) || slices.Contains(p.Why, whyCwd)
	}) {
		s.why = append(s.why, "a process stands in it or carries its marker")
	}
	return s, err
}

func (l *lookout) on(which layer) bool { return l.without&which == 0 }

// processes adds every process that holds the box.
func (l *lookout) processes(s *sight, sockets map[string]string) error {
	table, err := processTable()
	if err != nil {
		return err
	}
	lease, err := l.lease.Stat()
	if err != nil {
		return err
	}
	if l.locked || !l.on(layerLease) {
		lease = nil
	}
	mine := map[int]bool{}
	if l.root != 0 {
		mine = descendants(table, l.root)
	}
	for _, p := range table {
		if p.pid == l.root || l.own[p.pid] {
			continue
		}
		var why []string
		if lease != nil || len(sockets) > 0 {
			why = holds(p.pid, lease, sockets)
		}
		if l.on(layerDescendants) && mine[p.pid] {
			why = append(why, whyDescendant)
		}
		if l.on(layerMarker) && hasEnv(p.pid, l.place.marker()) {
			why = append(why, whyMarker)
		}
		if l.on(layerMarker) && standsIn(p.pid, string(l.place)) {
			why = append(why, whyCwd)
		}
		if len(why) > 0 {
			s.left = append(s.left, l.describe(p, why, mine[p.pid]))
		}
	}
	return nil
}

func (l *lookout) describe(p proc, why []string, mine bool) Process {
	uid := effectiveUID(p.pid)
	return Process{
		PID: p.pid, Start: p.start, Since: timeOfTick(p.start), UID: uid,
		Command: commandLine(p.pid), Why: why,
		Ours: mine || slices.Contains(why, whyLease) && uid == l.uid,
	}
}

func (s sight) reason() string { return strings.Join(s.why, "; ") }
