package cli_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a restart leaves of the lines that a pane had is what the manual says,
// measured on the running tmux.
func TestScrollback(t *testing.T) {
	manual, err := os.ReadFile("../../../docs/stint.md")
	require.NoError(t, err)
	d := newRotation(t, "TOKEN=first\n")
	d.script("agent", "#!/bin/sh\nfor i in $(seq 200); do echo \"line $i of $TOKEN\"; done\nexec sleep 1000\n")
	id := d.open("sleep", "agent")
	target := strings.Fields(d.pane(id).place)[2]
	history := func() string { return d.tmux("capture-pane", "-p", "-t", target, "-S", "-", "-E", "-1") }
	screen := func() string { return d.tmux("capture-pane", "-p", "-t", target) }
	const off, on = "line 1 of first\n", "line 200 of first\n"
	require.Eventually(t, func() bool { return strings.Contains(screen(), on) }, patience, pause)
	require.Contains(t, history(), off)
	require.NotContains(t, screen(), off)
	require.NotContains(t, history(), on)

	d.rotate("TOKEN=second\n")
	d.stint(0, "session", "restart", id)
	require.Eventually(t, func() bool { return strings.Contains(screen(), "line 200 of second\n") }, patience, pause)
	kept := func(line string) string {
		if strings.Contains(history()+screen(), line) {
			return "kept"
		}
		return "gone"
	}
	measured := fmt.Sprintf("the lines that had scrolled off the screen are %s, and those that the screen showed are %s", kept(off), kept(on))
	t.Logf("tmux %s: %s", d.tmux("-V"), measured)
	require.True(t, strings.Contains(string(manual), measured), "docs/stint.md does not say: %s", measured)
}
