package runner_test

import (
	"net"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
)

// listed are the sessions that list has, in the order of the fixture's.
func (d *desk) listed() []session {
	d.Helper()
	got := d.stint("session", "list", "--all", "--json")
	require.Zero(d, got.Code, got.Err)
	var all []session
	for _, s := range d.sessions() {
		for _, has := range parse(d, "list", []byte(got.Out)) {
			if has.ID == s.ID {
				all = append(all, has)
			}
		}
	}
	return all
}

// lives are what is said of each session that is not closed.
func lives(all []session) map[string]string {
	said := make(map[string]string)
	for _, s := range all {
		if s.State != "closed" {
			said[s.ID] = s.Live
		}
	}
	return said
}

// With what ran brought to life, a real server answers as it did when the
// release asked it.
func TestLive(t *testing.T) {
	each(t, whatever, func(d *desk) {
		all := d.live()
		d.f.Equal(d, "r4.tmux.list", d.listed(), all)
		for _, s := range all {
			shown := d.stint("session", "show", s.ID, "--json")
			d.f.Equal(d, "r5.tmux.show", parse(d, "show", []byte(shown.Out)), []session{s})
			text := regexp.MustCompile(`(?m)^live +(.*)$`).FindStringSubmatch(d.stint("session", "show", s.ID).Out)
			d.f.Equal(d, "r5.tmux.text", text[1], s.Live)
		}
		d.f.Unchanged(d)
	})
}

// What becomes of the pane is what is said of the session from then on.
func TestLiveness(t *testing.T) {
	contracts.AnyPlace(t)
	each(t, one, func(d *desk) {
		s := d.live()[0]
		says := func(id, want string) {
			d.Helper()
			d.f.Equal(d, id, lives(d.listed()), map[string]string{s.ID: want})
		}
		// A session whose name begins alike is in nobody's way.
		d.another(s.Name + "0")
		says("r4.tmux.live", "live")
		d.kill(s)
		says("r4.tmux.dead", "dead")
		place := d.pane(s)
		d.tmux("set-option", "-pu", "-t", place.id(), "@stint_session")
		says("r4.tmux.unmarked", "absent")
		d.tmux("set-option", "-p", "-t", place.id(), "@stint_session", s.ID)
		// With a longer name it is another's, though the pane is the session's.
		d.tmux("rename-session", "-t", place.session(), s.Name+"-1")
		says("r4.tmux.moved", "absent")
		d.another(s.Name)
		says("r4.tmux.foreign", "absent")
		d.tmux("kill-session", "-t", "="+s.Name)
		says("r4.tmux.prefix", "absent")
		d.tmux("kill-session", "-t", place.session())
		d.tmux("kill-session", "-t", "="+s.Name+"0")
		d.await("the end of the server", func() bool { return !d.serves() })
		says("r4.tmux.absent", "absent")
		d.mute(s)
		says("r4.tmux.unknown", "unknown")
		shown := d.stint("session", "show", s.ID).Out
		d.f.Equal(d, "r5.tmux.unknown", strings.Contains(shown, "\nlive         unknown (tmux list-panes on "), true)
		d.f.Unchanged(d)
	})
}

// serves tells whether anybody listens on the box's socket.
func (d *desk) serves() bool {
	c, err := net.Dial("unix", d.box.Socket())
	if err == nil {
		c.Close()
	}
	return err == nil
}

// mute has somebody listen on the socket of a session who says nothing that
// tmux understands, until the end of the test.
func (d *desk) mute(s session) {
	d.Helper()
	require.Equal(d, d.box.Socket(), s.Socket)
	if err := os.Remove(s.Socket); err != nil {
		require.ErrorIs(d, err, os.ErrNotExist)
	}
	l, err := net.Listen("unix", s.Socket)
	require.NoError(d, err)
	d.Cleanup(func() { require.NoError(d, l.Close()) })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	}()
}
