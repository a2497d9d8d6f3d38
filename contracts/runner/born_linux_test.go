package runner_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	"github.com/freeze-contracts/permafrost/sandbox"
)

// retired is what the client that opens a session holds of a value.
var retired = []string{"TOKEN=retired"}

// opens opens a session as somebody whose own environment is as old as the
// server's, and returns the mark of its pane.
func (d *desk) opens() session {
	d.Helper()
	got := d.run(sandbox.Cmd{Role: "stint", Args: []string{"session", "open", "codex", "--no-attach", "--json"}, Env: retired})
	require.Zero(d, got.Code, got.Err)
	opened := parse(d, "open", []byte(got.Out))
	require.Len(d, opened, 1)
	return opened[0]
}

// A session that is opened after a rotation is on the new value, in a project
// of whatever release, and whatever the server and the client hold.
func TestBornFresh(t *testing.T) {
	contracts.AnyPlace(t)
	each(t, func(f *contracts.Fixture) bool { return f.Scenario == "closed" || f.Scenario == "standing" || one(f) }, func(d *desk) {
		d.configure(again)
		d.declare("TOKEN=new\n")

		// The client starts the server, too, which hands on to nobody what that
		// holds.
		s := d.opens()
		d.f.Equal(d, "r16.born", d.token(s), "new")
		d.f.Equal(d, "r16.server", regexp.MustCompile(`(?m)^TOKEN=.*$`).FindAllString(d.tmux("show-environment", "-g"), -1), []string(nil))
		d.tmux("kill-server")
		d.await("the end of the server", func() bool { return !d.serves() })

		// The server was started with what is retired now.
		started := d.run(sandbox.Cmd{Args: []string{"tmux", "new-session", "-d", "-s", "own", "sleep", "1000"}, Env: retired})
		require.Zero(d, started.Code, started.Err)
		require.Equal(d, "TOKEN=retired\n", d.tmux("show-environment", "-g", "TOKEN"))
		d.live()
		s = d.opens()
		d.f.Equal(d, "r16.born.on-server", d.token(s), "new")
		d.declare("TOKEN=newer\n")
		d.f.Equal(d, "r16.born.again", d.token(d.opens()), "newer")
		// What was there before is where it was.
		d.f.Equal(d, "r16.others", d.token(s), "new")
		got := d.stint("session", "restart", s.ID, "--dry-run")
		d.f.Equal(d, "r16.stale", strings.Contains(got.Out, s.ID+"  would-restart  differs: TOKEN\n"), true)
	})
}
