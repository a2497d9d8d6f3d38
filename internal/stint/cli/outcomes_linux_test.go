package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// outcomes configures harnesses that each come to another end.
func (d rotation) outcomes() {
	d.Helper()
	d.config(fmt.Sprintf(`
[harness.turn]
command = ["sh", "-c", 'echo "{\"id\": \"talk\"}"; date +%%N >>changed']
run = ["{prompt}"]
continue = ["{conversation}", "{prompt}"]
report = "id"
[harness.mute]
command = [%[1]q]
[harness.again]
command = [%[1]q]
resume = []
[harness.nameless]
command = [%[1]q]
resume = ["--resume", "{conversation}"]
[harness.gone]
command = [%[2]q]
resume = []
[harness.dies]
command = ["sh", "-c", 'if [ "$1" = again ]; then sleep 0.3; exit 1; fi; exec sleep 1000', "sh"]
resume = ["again"]
[harness.old]
command = ["env", "TOKEN=first", %[1]q]
resume = []
[harness.title]
command = ["perl", "-e", '$0 = "title " x 400; sleep 1000']
resume = []
[harness.deaf]
command = ["sh", "-c", "trap '' HUP TERM; echo ready; while :; do sleep 0.05; done"]
resume = []
[harness.hup]
command = ["sh", "-c", "trap '' HUP; sleep 1000 & echo $! >\"$STINT_RUN_DIR/child\"; while :; do sleep 0.05; done"]
resume = []
`, filepath.Join(d.dir, "agent"), filepath.Join(d.dir, "goes")))
	d.script("goes", agent)
}

// Each outcome that a session alone can have, and the exit code that it has.
func TestRestartOutcomes(t *testing.T) {
	d := newRotation(t, "TOKEN=first\n")
	d.outcomes()
	words := fmt.Sprintf("tmux -S %s capture-pane -p -S - -t %%N", d.socket)
	stale := "; it still runs on other values of TOKEN"
	cannot := func(name string) string {
		return fmt.Sprintf(`harness %q: it is not known how it resumes a conversation: say so by resume = ["{conversation}"] under [harness.%[1]s] in stint.toml, or by resume = [] that it is simply started again; --fresh begins a new one`, name)
	}
	for _, test := range []struct {
		name, harness string
		prepare       func(id string) // after the rotation
		args          []string
		code          int
		want          string // all of it, or how it begins
		runs          bool   // a new program
	}{
		{"simply started again", "again", nil, nil, 0, "restarted", true},
		{"cannot resume", "mute", nil, nil, 1, "skipped " + cannot("mute") + stale, false},
		{"cannot resume, and need not", "mute", func(string) { d.rotate("TOKEN=first\n") }, nil, 0, "fresh", false},
		{"cannot resume, and is forced", "mute", func(string) { d.rotate("TOKEN=first\n") }, []string{"--force"}, 0, "skipped " + cannot("mute"), false},
		{"cannot resume, and is begun anew", "mute", nil, []string{"--fresh"}, 0, "restarted begun anew: " + strings.TrimSuffix(cannot("mute"), "; --fresh begins a new one"), true},
		{"the same, asked only", "mute", nil, []string{"--fresh", "--dry-run"}, 0, "would-restart begun anew: " + strings.TrimSuffix(cannot("mute"), "; --fresh begins a new one") + "; differs: TOKEN", false},
		{"no conversation", "nameless", nil, nil, 1, "skipped no conversation to resume: nameless has not told by which name it knows it; --fresh begins a new one" + stale, false},
		{"forced, asked only", "again", func(string) { d.rotate("TOKEN=first\n") }, []string{"--force", "--dry-run"}, 0, "would-restart it has every value, and --force was given", false},
		{"program missing", "gone", func(string) { require.NoError(t, os.Remove(filepath.Join(d.dir, "goes"))) }, nil, 1,
			fmt.Sprintf(`skipped harness "gone": program %q cannot be run: exec: %[1]q: stat %[1]s: no such file or directory; install it, or describe the harness under [harness.gone] in stint.toml`, filepath.Join(d.dir, "goes")) + stale, false},
		{"folder missing", "again", func(id string) { require.NoError(t, os.Rename(d.worktree(id), d.worktree(id)+"-moved")) }, nil, 1,
			"skipped it has no worktree to start in: ", false},
		{"folder that is no worktree", "again", func(id string) {
			require.NoError(t, os.Rename(d.worktree(id), d.worktree(id)+"-moved"))
			require.NoError(t, os.Mkdir(d.worktree(id), 0o700))
		}, nil, 1, "skipped it has no worktree to start in: ", false},
		{"ends at once", "dies", nil, nil, 1, "failed its new program has ended at once: " + words + " prints its last words; mend what they tell of and run stint session restart --force ID, or end the session by stint session close ID", false},
		{"has the value by itself", "old", nil, nil, 1, `stale its new program was handed every value, and what starts it sets others: mend the command of harness "old" in stint.toml or what that reads, and run stint session restart ID; differs: TOKEN`, true},
		{"cannot be read", "title", nil, nil, 1, "unverified process ", true},
		{"ignores the hangup", "hup", nil, nil, 0, "restarted", true},
		{"ignores every signal that it can", "deaf", nil, nil, 0, "restarted", true},
		{"program ended", "again", func(id string) { d.kill(id) }, nil, 0, "skipped its program has ended: " + words + " prints its last words; start it again by stint session restart --force ID, or end the session by stint session close ID", false},
		{"program ended that cannot resume", "mute", func(id string) { d.kill(id) }, nil, 0, "skipped its program has ended: " + words + " prints its last words; start it again by stint session restart --force --fresh ID, or end the session by stint session close ID", false},
		{"program ended, and is forced", "again", func(id string) { d.kill(id) }, []string{"--force"}, 0, "restarted", true},
		{"the same, asked only", "again", func(id string) { d.kill(id) }, []string{"--force", "--dry-run"}, 0, "would-restart its program has ended", false},
		{"ended, and is forced to no avail", "dies", func(id string) { d.kill(id) }, []string{"--force"}, 1, "failed its new program has ended at once: " + words, false},
		{"ended, and cannot resume", "mute", func(id string) { d.kill(id) }, []string{"--force"}, 0, "skipped " + cannot("mute"), false},
		{"does not run", "again", func(id string) { d.tmux("kill-session", "-t", "=stint-"+id) }, nil, 0, fmt.Sprintf("skipped it does not run: there is no tmux session stint-ID on %q; save its work with stint session checkpoint ID and close it", d.socket), false},
		{"another pane of that name", "again", func(id string) {
			d.tmux("rename-session", "-t", "=stint-"+id, "elsewhere")
			d.tmux("new-session", "-d", "-s", "stint-"+id, "sleep 1000")
		}, nil, 0, "skipped it does not run: the tmux session of that name is another's: it has no pane that was made for this session; save its work with stint session checkpoint ID and close it", false},
		{"closed", "again", func(id string) { d.stint(0, "session", "close", id, "--discard") }, nil, 0, "skipped it is closed, and not open", false},
	} {
		d.script("agent", agent)
		d.rotate("TOKEN=first\n")
		id, was, children := d.begin(test.harness)
		d.rotate("TOKEN=second\n")
		if test.prepare != nil {
			test.prepare(id)
		}
		out, _ := d.stint(test.code, append([]string{"session", "restart", id}, test.args...)...)
		got := unhow.ReplaceAllString(strings.NewReplacer(id, "ID", " "+strings.Fields(was.place)[2]+" ", " %N ").Replace(rows(out)[id]), "$1")
		if !strings.HasPrefix(got, test.want) || !strings.HasSuffix(test.want, " ") && !strings.HasSuffix(test.want, words) && got != test.want {
			t.Errorf("%s (-want +got)\n%s", test.name, cmp.Diff(test.want, got))
		}
		if test.runs {
			is := d.pane(id)
			require.Equal(t, was.place, is.place, test.name)
			require.NotEqual(t, was.pid, is.pid, test.name)
			for _, pid := range append(children, was.pid) {
				require.True(t, ended(pid), "%s: process %d", test.name, pid)
			}
		}
	}
}

// unhow is how these programs end, which tmux 3.3a does not always come to know.
var unhow = regexp.MustCompile(`(has ended|has ended at once) \((?:exit status 1|signal 9)\)`)

// begin opens a session, and returns its pane and what its program started.
func (d rotation) begin(harness string) (id string, was pane, children []int) {
	d.Helper()
	program := map[string]string{"title": "title title tit", "deaf": "sh", "hup": "sh"}[harness]
	if program == "" {
		program = "sleep"
	}
	id = d.open(program, harness)
	if harness == "hup" {
		file := filepath.Join(filepath.Dir(d.worktree(id)), "run/child")
		require.Eventually(d, func() bool {
			b, err := os.ReadFile(file)
			var pid int
			_, scan := fmt.Sscan(string(b), &pid)
			children = []int{pid}
			return err == nil && scan == nil
		}, patience, pause)
	}
	return id, d.pane(id), children
}

func (d rotation) worktree(id string) string {
	d.Helper()
	dirs, err := filepath.Glob(filepath.Join(d.dir, ".local/state/stint/projects/*/workspaces", id))
	require.NoError(d, err)
	require.Len(d, dirs, 1)
	return filepath.Join(dirs[0], "worktree")
}

// kill ends the program of a session and waits until tmux knows.
func (d rotation) kill(id string) {
	d.Helper()
	require.NoError(d, syscall.Kill(d.pane(id).pid, syscall.SIGKILL))
	require.Eventually(d, func() bool { return d.pane(id).dead }, patience, pause)
}
