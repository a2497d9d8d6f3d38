package runner_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	"github.com/freeze-contracts/permafrost/sandbox"
)

// deaf is an agent that heeds no signal, nor does what it started, and that has
// written more than a screen.
const deaf = `trap '' HUP INT TERM
i=0; while [ $((i += 1)) -le 200 ]; do echo "line $i of the old"; done
(while :; do sleep 0.05; done) &
echo $! >"$STINT_RUN_DIR/child"; echo $$ >"$STINT_RUN_DIR/old"
while :; do sleep 0.05; done`

// witness is a new one that notes whether the old one is there, and writes as
// much.
const witness = `for pid in $(cat "$STINT_RUN_DIR/old" "$STINT_RUN_DIR/child"); do kill -0 $pid 2>/dev/null && echo $pid; done >"$STINT_RUN_DIR/beside"
i=0; while [ $((i += 1)) -le 200 ]; do echo "line $i of the new"; done
exec codex`

// lasting is what the manual says of what a pane showed.
var lasting = regexp.MustCompile(`the lines that had scrolled off the screen are (\w+), and those that the screen showed are (\w+)`)

// A restart leaves the place as it is: the pane and its window, the windows and
// the terminal of whoever is attached, and of its lines what the manual says.
// The process in it is another one, and it meets the old one never.
func TestSamePlace(t *testing.T) {
	contracts.AnyPlace(t)
	each(t, one, func(d *desk) {
		s := d.only()
		d.bring(s, "sh", "-c", deaf)
		run := d.th.Path(strings.TrimPrefix(s.RunRoot, d.box.Root()+"/"))
		noted := func(name string) string {
			b, _ := os.ReadFile(filepath.Join(run, name))
			return strings.TrimSpace(string(b))
		}
		d.await("the old agent", func() bool { return noted("old") != "" && strings.Contains(d.screen(s), "line 200 of the old") })
		d.attach(sandbox.Cmd{Role: "stint", Args: []string{"session", "attach", s.ID}})
		d.tmux("new-window", "-t", d.pane(s).session(), "sleep", "1000")
		const all = "#{session_id} #{session_name} #{window_id} #{window_active} #{pane_id} #{pane_active}"
		was, panes, clients := d.pane(s), d.tmux("list-panes", "-a", "-F", all), d.clients("")
		require.Equal(d, noted("old"), was.PID)
		require.NotContains(d, d.screen(s), "line 1 of the old\n")
		history := func() string { return d.tmux("capture-pane", "-p", "-t", was.id(), "-S", "-", "-E", "-1") }
		require.Contains(d, history(), "line 1 of the old\n")

		d.declare("TOKEN=first\n")
		d.configure("[harness.codex]\ncommand = [\"sh\", \"-c\", '''\n" + witness + "''']\nresume = []\n")
		d.row("r18.restarted", s, 0, "restarted")
		is := d.pane(s)
		d.f.Equal(d, "r18.pane", is, pane{was.Place, is.PID, false})
		d.f.Equal(d, "r18.process", is.PID == was.PID, false)
		d.f.Equal(d, "r18.gone", []bool{d.ended(was.PID), d.ended(noted("child"))}, []bool{true, true})
		d.f.Equal(d, "r18.windows", d.tmux("list-panes", "-a", "-F", all), panes)
		d.f.Equal(d, "r18.client", d.clients(""), clients)

		d.await("the lines of the new agent", func() bool { return strings.Contains(d.screen(s), "line 200 of the new") })
		// It has looked by now.
		beside, err := os.ReadFile(filepath.Join(run, "beside"))
		require.NoError(d, err)
		d.f.Equal(d, "r18.alone", string(beside), "")
		kept := func(line string) string {
			if strings.Contains(history()+d.screen(s), line+"\n") {
				return "kept"
			}
			return "gone"
		}
		manual, err := os.ReadFile(filepath.Join("..", "..", "docs", "stint.md"))
		require.NoError(d, err)
		want := lasting.FindStringSubmatch(string(manual))
		require.Len(d, want, 3, "docs/stint.md says nothing of the lines of a pane")
		d.f.Equal(d, "r18.scrollback", []string{kept("line 1 of the old"), kept("line 200 of the old")}, want[1:])
	})
}
