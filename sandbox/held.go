package sandbox

import (
	"fmt"
	"strings"
	"time"
)

// Error names what is left, where, and the command that ends each process.
func (e *HeldError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "box %q could not be proved empty, so nothing was removed: %s", e.Root, e.Why)
	if len(e.Left) == 0 {
		fmt.Fprintf(&b, "\n  no process that this user may look into holds it; root can see who does: fuser -v %s", place(e.Root).lease())
	}
	for _, p := range e.Left {
		fmt.Fprintf(&b, "\n  %v", p)
	}
	return b.String()
}

// String names the process, why it counts, and the command that ends it.
func (p Process) String() string {
	fate := "none of the box's own, left alone"
	if p.Ours {
		fate = "still there after SIGKILL"
	}
	return fmt.Sprintf("pid %d of uid %d, started %s (tick %d): %q [%s], %s; end it with: kill -KILL %d",
		p.PID, p.UID, p.Since.UTC().Format(time.RFC3339), p.Start, p.Command, strings.Join(p.Why, ", "), fate, p.PID)
}
