package sandbox_test

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/freeze-contracts/permafrost/sandbox"
	"github.com/stretchr/testify/require"
)

// Whatever a program says to tmux, in whatever spelling of its options, it
// reaches the box's server or none. OWN stands for the box's socket, OTHER for
// a server outside of it.
func TestTmuxOptions(t *testing.T) {
	b := start(t, sandbox.Config{Tmux: true})
	sh(t, b, `tmux new-session -d -s own 'sleep 1000'`)
	other := sandbox.FreshRoot(6)
	t.Cleanup(func() { require.NoFileExists(t, other) })

	const own = "own\n"
	const list = "list-sessions -F #{session_name}"
	for _, c := range []struct {
		args, want, refused string
	}{
		{"list-sessions -F #{session_name}", own, ""},
		{"-S OWN " + list, own, ""},
		{"-SOWN " + list, own, ""},
		{"-2SOWN " + list, own, ""},
		{"-u -2 -T RGB " + list, own, ""},
		{"-TRGB " + list, own, ""},
		{"-2uTRGB " + list, own, ""},
		{"-- " + list, own, ""},
		{"-u -- " + list, own, ""},
		{"capture-pane -S -5 -t own", "", ""},
		{"display-message -p -L", "", "unknown flag -L"}, // tmux's own answer: it is no option of tmux itself
		{"-T -S " + list, own, ""},                       // the value of -T

		{"-S OTHER new-session -d", "", `-S "OTHER" is refused`},
		{"-SOTHER new-session -d", "", `-S "OTHER" is refused`},
		{"-2SOTHER new-session -d", "", `-S "OTHER" is refused`},
		{"-2S OTHER new-session -d", "", `-S "OTHER" is refused`},
		{"-u -2 -SOTHER new-session -d", "", `-S "OTHER" is refused`},
		{"-S OWN -S OTHER new-session -d", "", `-S "OTHER" is refused`},
		{"-S OTHER -S OWN new-session -d", "", `-S "OTHER" is refused`},
		{"-T RGB -SOTHER new-session -d", "", `-S "OTHER" is refused`},
		{"-L other new-session -d", "", `-L "other" is refused`},
		{"-Lother new-session -d", "", `-L "other" is refused`},
		{"-2Lother new-session -d", "", `-L "other" is refused`},
		{"-uL other new-session -d", "", `-L "other" is refused`},
		{"-f OTHER new-session -d", "", `-f "OTHER" is refused`},
		{"-fOTHER new-session -d", "", `-f "OTHER" is refused`},
		{"-2fOTHER new-session -d", "", `-f "OTHER" is refused`},
		{"-f /dev/null new-session -d", "", `-f "/dev/null" is refused`},
		{"-X -SOTHER new-session -d", "", "option -X is not known here"},
		{"-: new-session -d", "", "option -: is not known here"},
		{"-S", "", "option -S needs a value"},
	} {
		t.Run(c.args, func(t *testing.T) {
			fill := strings.NewReplacer("OWN", b.Socket(), "OTHER", other).Replace
			var stdout, stderr bytes.Buffer
			code, err := b.Run(t.Context(), sandbox.Cmd{Args: append([]string{"tmux"}, strings.Fields(fill(c.args))...), Stdout: &stdout, Stderr: &stderr})
			require.NoError(t, err)
			require.Equal(t, c.want, stdout.String())
			if c.refused == "" {
				require.Equal(t, 0, code, "%s", &stderr)
				return
			}
			require.Equal(t, 1, code)
			require.Contains(t, stderr.String(), fill(c.refused))
		})
	}
}

// A server started from a box whose TMUX names somebody else's server is the
// box's own, and knows nothing of what systemd hands to services.
func TestTmuxEnvironment(t *testing.T) {
	t.Parallel()
	b := start(t, sandbox.Config{Tmux: true, Env: map[string]string{
		"TMUX": "/tmp/somebody,1,0", "LISTEN_FDS": "1", "LISTEN_PID": "1", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/x", "KEPT": "yes",
	}})
	sh(t, b, `tmux new-session -d 'env >seen.new; cat seen.new >seen; sleep 1000'`)
	var seen string
	eventually(t, "the pane's environment", func() bool {
		data, _ := os.ReadFile(b.Project() + "/seen")
		seen = "\n" + string(data)
		return strings.Contains(seen, "\nKEPT=yes\n")
	})
	require.Contains(t, seen, "\nTMUX="+b.Socket()+",")
	require.NotContains(t, seen, "\nLISTEN_")
	require.NotContains(t, seen, "\nDBUS_")
}

// The server holds the lease for as long as it lives, its panes do not.
func TestTmuxHoldsLease(t *testing.T) {
	t.Parallel()
	b := start(t, sandbox.Config{Tmux: true})
	seconds := token()
	sh(t, b, `tmux new-session -d 'exec sleep `+seconds+`'; tmux display-message -p '#{pid}'`)
	comesUp(t, seconds)
	opened := func(pid int) (leases int) {
		fds, err := os.ReadDir("/proc/" + strconv.Itoa(pid) + "/fd")
		require.NoError(t, err)
		for _, fd := range fds {
			if link, _ := os.Readlink("/proc/" + strconv.Itoa(pid) + "/fd/" + fd.Name()); link == b.Root()+"/lease" {
				leases++
			}
		}
		return leases
	}
	got := map[string]int{}
	for _, pid := range running(t, seconds) {
		comm, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/comm")
		require.NoError(t, err)
		got[strings.TrimSpace(string(comm))] = opened(pid)
	}
	require.Equal(t, map[string]int{"tmux: server": 1, "sleep": 0}, got)
}
