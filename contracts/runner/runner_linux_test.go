// Package runner_test plays, on a real tmux, the sessions that every release
// left: rows 15 to 18 of the contract, and the twins of rows 4 to 6, which the
// suite of the family sessions asks without a server. Each fixture is thawed
// into a box, what ran when it was frozen is brought to life there by tmux
// itself, and today's program is run in the same box. The box is proved empty
// in the end, and its server with it.
package runner_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	"github.com/freeze-contracts/permafrost/contracts/byhand"
	"github.com/freeze-contracts/permafrost/internal/stint/cli"
	"github.com/freeze-contracts/permafrost/sandbox"
)

// The families have their owners; this suite visits.
func TestMain(m *testing.M) {
	sandbox.Main(sandbox.Role{Name: "stint", Run: func(_ *sandbox.Inside, args []string) int {
		return cli.Main(args, os.Environ(), os.Stdin, os.Stdout, os.Stderr)
	}})
	contracts.Visit(m, []string{"sessions", "artifacts"}, contracts.Promises("../../docs/persisted-contracts.md"))
}

// What is awaited is asked for at pause, and fails a test after patience.
const (
	patience = 30 * time.Second
	pause    = 10 * time.Millisecond
)

// desk is a fixture in a box, with today's program at hand.
type desk struct {
	*testing.T
	f    *contracts.Fixture
	th   *contracts.Thawed
	box  *sandbox.Box
	path string // PATH of what is run; the box's own where it is empty
	toml string // stint.toml as it was frozen
}

// each thaws every fixture of sessions that is like that.
func each(t *testing.T, like func(f *contracts.Fixture) bool, do func(d *desk)) {
	t.Helper()
	play(t, "sessions", like, do)
}

func play(t *testing.T, family string, like func(f *contracts.Fixture) bool, do func(d *desk)) {
	t.Helper()
	contracts.Each(t, family, func(t *testing.T, f *contracts.Fixture) {
		contracts.Needs(t, "tmux")
		t.Parallel()
		if like(f) {
			do(thaw(t, f))
		}
	})
}

func whatever(*contracts.Fixture) bool { return true }

// one is the fixture of each release in which one session is open, and nothing
// is odd about it.
func one(f *contracts.Fixture) bool { return f.Scenario == "open" }

// tools are what the stand-in of an agent and the tests use.
var tools = []string{"cat", "env", "git", "grep", "ls", "mv", "sh", "sleep"}

func thaw(t *testing.T, f *contracts.Fixture) *desk {
	t.Helper()
	fixtures, err := contracts.Find(".")
	require.NoError(t, err)
	box, err := sandbox.Start(t.Context(), sandbox.Config{
		// The agent that was there when it was frozen.
		StandIns: map[string]string{"codex": filepath.Join(fixtures, "scenarios", "codex.sh")},
		Tools:    tools, Tmux: true, Env: map[string]string{"TZ": os.Getenv("TZ")},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, box.Close()) })
	d := &desk{T: t, f: f, box: box, th: f.Thaw(t, contracts.IntoBox(box.Root()), fingerprint)}
	if f.Scenario == "renamed" { // and is moved back; what is refused before is for the suite sessions
		require.NoError(t, os.Remove(box.Project()))
		require.NoError(t, os.Rename(d.th.Path("home/renamed"), box.Project()))
		f.Settle(t)
	}
	toml, err := os.ReadFile(d.th.Path("project/stint.toml"))
	require.NoError(t, err)
	d.toml = string(toml)
	return d
}

var fingerprint = contracts.Derive("fingerprint", byhand.Fingerprint)

// said is what a command came to.
type said struct {
	Code     int
	Out, Err string
}

// run runs a program in the box, and today's where it is the role stint.
func (d *desk) run(c sandbox.Cmd) said {
	d.Helper()
	if d.path != "" {
		c.Env = append(c.Env, "PATH="+d.path)
	}
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	code, err := d.box.Run(d.Context(), c)
	require.NoError(d, err)
	return said{code, stdout.String(), stderr.String()}
}

func (d *desk) stint(args ...string) said {
	d.Helper()
	return d.run(sandbox.Cmd{Role: "stint", Args: args})
}

// program runs what has to succeed, and returns what it printed.
func (d *desk) program(args ...string) string {
	d.Helper()
	got := d.run(sandbox.Cmd{Args: args})
	require.Zero(d, got.Code, "%q: %s", args, got.Err)
	return got.Out
}

func (d *desk) tmux(args ...string) string {
	d.Helper()
	return d.program(append([]string{"tmux"}, args...)...)
}

// configure has stint.toml, as it was frozen, name the env file of this desk,
// and say more.
func (d *desk) configure(more string) {
	d.Helper()
	const own = `file = "../tmp/secrets.env"`
	text := strings.Replace(d.toml, `file = "demo.env"`, own, 1)
	if text == d.toml {
		text += "\n[env]\n" + own + "\n"
	}
	require.NoError(d, os.WriteFile(d.th.Path("project/stint.toml"), []byte(text+more), 0o600))
	d.f.Settle(d)
}

// again has the agent simply be started again.
const again = "\n[harness.codex]\ncommand = [\"codex\"]\nresume = []\n"

// declare writes the env file.
func (d *desk) declare(text string) {
	d.Helper()
	require.NoError(d, os.WriteFile(d.secrets(), []byte(text), 0o600))
}

func (d *desk) secrets() string { return filepath.Join(d.box.Tmp(), "secrets.env") }

// await waits until something is so. What asks may end the test.
func (d *desk) await(what string, is func() bool) {
	d.Helper()
	require.True(d, d.hopes(is), "it did not come to pass: %s", what)
}

// hopes waits likewise, and leaves it to a comparison to tell what is there
// where it is not so.
func (d *desk) hopes(is func() bool) bool {
	d.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(pause) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// environ is what the program of a session was started with, of these names.
func (d *desk) environ(pid string, names ...string) map[string]string {
	d.Helper()
	var all map[string]string
	// It is empty in the middle of an exec, and before that the server's.
	d.await("the environment of process "+pid, func() bool {
		all = make(map[string]string)
		for entry := range strings.SplitSeq(d.program("cat", fmt.Sprintf("/proc/%s/environ", pid)), "\x00") {
			name, value, _ := strings.Cut(entry, "=")
			all[name] = value
		}
		return all["PATH"] != "" && all["STINT_SESSION_ID"] != ""
	})
	some := make(map[string]string)
	for _, name := range names {
		if value, there := all[name]; there {
			some[name] = value
		}
	}
	return some
}

// ended tells whether a process has ended. One that nobody has asked how is a
// zombie, and no more than a number.
func (d *desk) ended(pid string) bool {
	d.Helper()
	got := d.run(sandbox.Cmd{Args: []string{"cat", fmt.Sprintf("/proc/%s/stat", pid)}})
	_, after, _ := strings.Cut(got.Out, ") ")
	return got.Code != 0 || strings.HasPrefix(after, "Z")
}
