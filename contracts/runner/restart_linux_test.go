package runner_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	"github.com/freeze-contracts/permafrost/internal/stint/document"
	"github.com/freeze-contracts/permafrost/sandbox"
)

// row asserts what restart prints of one session on the env file that declares
// TOKEN, and with which exit code.
func (d *desk) row(id string, s session, code int, row string, args ...string) {
	d.Helper()
	want := said{code, restarting(s, "TOKEN", row), ""}
	if code != 0 {
		want.Err = bad
	}
	d.f.Equal(d, id, d.stint(append([]string{"session", "restart", s.ID}, args...)...), want)
}

// token is what the program of a session was started with.
func (d *desk) token(s session) string {
	d.Helper()
	return d.environ(d.pane(s).PID, "TOKEN")["TOKEN"]
}

// Every session that any release left is restarted where it runs, and told why
// not where it does not.
func TestRestart(t *testing.T) {
	contracts.AnyPlace(t)
	each(t, whatever, func(d *desk) {
		all := d.live()
		if d.declared() == nil {
			d.f.Equal(d, "r15.refused.no-file", d.stint("session", "restart", "--all"),
				said{1, "", "stint: no env file to restart sessions on: name one by env.file in stint.toml\n"})
		}
		d.configure(again)
		d.declare("TOKEN=first\n")
		for _, s := range all {
			switch {
			case s.runs():
				d.restarts(s)
			case s.State == "open":
				d.row("r15.skipped.dead", s, 0, fmt.Sprintf("skipped its program has ended: save its work by stint session checkpoint %s and close it", s.ID))
			default:
				d.row("r15.skipped.state", s, 0, fmt.Sprintf("skipped it is %s, and not open", s.State))
			}
		}
		d.f.Unchanged(d)
	})
}

// restarts asserts how a session that runs comes onto a file, from being asked
// only to being left alone.
func (d *desk) restarts(s session) {
	d.Helper()
	was := d.pane(s)
	differs := append(slices.Clone(d.declared()), "TOKEN")
	d.row("r15.would-restart", s, 0, "would-restart differs: "+strings.Join(differs, ", "), "--dry-run")
	answer := d.stint("session", "restart", s.ID, "--dry-run", "--json")
	d.f.Equal(d, "r15.json", answersOf(d, answer), answers{[]string{"TOKEN"}, []refreshed{{s.ID, s.WorkItem, "would-restart", "", "stale", differs}}})
	d.f.Equal(d, "r15.would-restart.left", d.pane(s), was)

	d.row("r15.restarted", s, 0, "restarted")
	is := d.pane(s)
	d.f.Equal(d, "r15.restarted.pane", is, pane{was.Place, is.PID, false})
	d.f.Equal(d, "r15.restarted.process", []bool{is.PID == was.PID, d.ended(was.PID), d.ended(is.PID)}, []bool{false, true, false})
	// What the file no longer declares is gone, and what stint gives is there.
	names := append([]string{"TOKEN", "STINT_SESSION_ID", "STINT_RUN_DIR", "STINT_WORK_ITEM", "STINT_INSTANCE", "STINT_ENV_NAMES"}, d.declared()...)
	want := map[string]string{"TOKEN": "first", "STINT_SESSION_ID": s.ID, "STINT_RUN_DIR": s.RunRoot, "STINT_ENV_NAMES": "TOKEN"}
	for name, value := range map[string]string{"STINT_WORK_ITEM": s.WorkItem, "STINT_INSTANCE": s.Instance} {
		if value != "" {
			want[name] = value
		}
	}
	d.f.Equal(d, "r15.restarted.values", d.environ(is.PID, names...), want)

	d.row("r15.fresh", s, 0, "fresh")
	d.f.Equal(d, "r15.fresh.left", d.pane(s), is)
	d.row("r15.forced", s, 0, "would-restart it has every value, and --force was given", "--force", "--dry-run")
}

// answers are those of restart in JSON.
type (
	answers struct {
		Variables []string    `json:"variables"`
		Sessions  []refreshed `json:"sessions"`
	}
	refreshed struct {
		ID       string   `json:"id"`
		WorkItem string   `json:"work_item"`
		Outcome  string   `json:"outcome"`
		Reason   string   `json:"reason"`
		Drift    string   `json:"drift"`
		Differs  []string `json:"differs"`
	}
)

func answersOf(d *desk, got said) (a answers) {
	d.Helper()
	require.NoError(d, json.Unmarshal([]byte(got.Out), &a, json.RejectUnknownMembers(true)), "%s%s", got.Out, got.Err)
	return a
}

// stale is what is said of a skipped session besides.
const stale = "; it still runs on other values of TOKEN"

// What stands in the way of a restart is told, and the program is left alone.
func TestSkipped(t *testing.T) {
	contracts.AnyPlace(t)
	each(t, one, func(d *desk) {
		s := d.live()[0]
		d.declare("TOKEN=first\n")
		was := d.pane(s)
		skipped := func(id string, code int, why string, words ...any) {
			d.Helper()
			d.row("r15.skipped."+id, s, code, "skipped "+fmt.Sprintf(why, words...))
			d.f.Equal(d, "r15.left."+id, d.pane(s), was)
		}
		d.configure("")
		skipped("conversation", 1, "%s; --fresh begins a new one%s", noConversation(d.f), stale)
		d.configure("[harness.codex]\n")
		skipped("resume", 1, `harness "codex": it is not known how it resumes a conversation: say so by resume = ["{conversation}"] under [harness.codex] in stint.toml, or by resume = [] that it is simply started again; --fresh begins a new one`+stale)
		d.configure("[harness.codex]\ncommand = [\"nosuch\"]\nresume = []\n")
		skipped("program", 1, `harness "codex": program "nosuch" is not on PATH; install it, or describe the harness under [harness.codex] in stint.toml`+stale)
		d.configure(again)
		at := d.th.Path(strings.TrimPrefix(s.Worktree, d.box.Root()+"/"))
		require.NoError(d, os.Rename(at, at+"-moved"))
		got := d.stint("session", "restart", s.ID)
		d.f.Equal(d, "r15.skipped.worktree", []bool{got.Code == 1, strings.Contains(got.Out, s.ID+"  skipped  it has no worktree to start in: ")}, []bool{true, true})
		d.f.Equal(d, "r15.left.worktree", d.pane(s), was)
		require.NoError(d, os.Rename(at+"-moved", at))
		d.f.Settle(d)

		const foreign = "it does not run: the tmux session of that name is another's: it has no pane that was made for this session"
		none := fmt.Sprintf("it does not run: there is no tmux session %s on %q", s.Name, s.Socket)
		d.tmux("rename-session", "-t", was.session(), s.Name+"0")
		skipped("prefix", 0, "%s", none)
		d.another(s.Name)
		skipped("foreign", 0, "%s", foreign)
		d.tmux("kill-session", "-t", "="+s.Name)
		d.tmux("kill-session", "-t", was.session())
		d.await("the end of the server", func() bool { return !d.serves() })
		d.row("r15.skipped.absent", s, 0, "skipped "+none)
		d.mute(s)
		got = d.stint("session", "restart", s.ID)
		want := fmt.Sprintf("stint: tmux on %q does not answer, so nothing was restarted: ", s.Socket)
		d.f.Equal(d, "r15.refused.silent", said{got.Code, got.Out, got.Err[:min(len(want), len(got.Err))]}, said{1, "", want})
		d.f.Unchanged(d)
	})
}

// noConversation is why codex is not resumed: v0.1.2 kept no conversations, and
// later releases have none by the name that codex knows it by.
func noConversation(f *contracts.Fixture) string {
	if !since(f, "v0.2.0") {
		return "it has no conversation to resume"
	}
	return "no conversation to resume: codex has not told by which name it knows it"
}

// A conversation that cannot be resumed is begun anew where that is asked for;
// what was begun is resumed from then on.
func TestResumed(t *testing.T) {
	contracts.AnyPlace(t)
	each(t, one, func(d *desk) {
		s := d.live()[0]
		d.declare("TOKEN=first\n")
		d.configure("[harness.codex]\nbegin = [\"--\", \": begun as {conversation}\"]\nresume = [\"resume\", \"{conversation}\"]\n")
		d.row("r15.fresh-conversation", s, 0, "restarted begun anew: "+noConversation(d.f), "--fresh")
		d.declare("TOKEN=second\n")
		if !since(d.f, "v0.2.0") {
			// There is no document that could say by which name.
			d.row("r15.skipped.conversation", s, 1, "skipped "+noConversation(d.f)+"; --fresh begins a new one"+stale)
			return
		}
		var name string
		d.await("the name of the conversation", func() bool {
			_, rest, _ := strings.Cut(d.screen(s), "codex: : begun as ")
			name, _, _ = strings.Cut(rest, "\n")
			return name != ""
		})
		d.row("r15.resumed", s, 0, "restarted")
		d.await("the name of the conversation again", func() bool { return strings.Contains(d.screen(s), "codex: resumed") })
		d.f.Equal(d, "r15.resumed.conversation", strings.SplitN(d.screen(s), "\n", 2)[0], "codex: resumed "+name)
		d.f.Equal(d, "r15.resumed.value", d.token(s), "second")
	})
}

// What comes of a new program is told by what it is, and not by what was meant.
func TestNotOnTheValues(t *testing.T) {
	contracts.AnyPlace(t)
	each(t, one, func(d *desk) {
		s := d.live()[0]
		d.declare("TOKEN=first\n")
		harness := func(command string) { d.configure("[harness.codex]\ncommand = [" + command + "]\nresume = []\n") }
		harness(`"env", "TOKEN=old", "codex"`)
		was := d.pane(s)
		d.row("r15.stale", s, 1, "stale differs: TOKEN")
		d.f.Equal(d, "r15.stale.process", []bool{d.ended(was.PID), d.pane(s).Dead}, []bool{true, false})

		harness(`"env", "-u", "STINT_SESSION_ID", "codex"`)
		got := d.stint("session", "restart", s.ID)
		why := fmt.Sprintf("process %s: it is not, or not yet, the program that was started there, or runs on another environment", d.pane(s).PID)
		d.f.Equal(d, "r15.unverified", got, said{1, restarting(s, "TOKEN", "unverified %s", why), bad})

		was = d.pane(s)
		harness(`"sh", "-c", "exit 3"`)
		d.row("r15.failed.ends", s, 1, "failed its new program has ended at once: its last words are in its pane")
		d.f.Equal(d, "r15.failed.ends.pane", d.pane(s), pane{was.Place, d.pane(s).PID, true})
		d.row("r15.skipped.ended", s, 0, fmt.Sprintf("skipped its program has ended: save its work by stint session checkpoint %s and close it", s.ID))
		d.f.Unchanged(d)
	})
}

// tmux refuses to start the new program, or takes it and says nothing.
func TestTmuxRefuses(t *testing.T) {
	contracts.AnyPlace(t)
	each(t, one, func(d *desk) {
		s := d.live()[0]
		d.declare("TOKEN=first\n")
		d.configure(again)
		was := d.pane(s)
		require.NoError(d, d.box.SetFault(sandbox.Fault{ID: 1, Program: "tmux", Stdin: true, Pattern: "respawn-pane", Action: sandbox.Fail, Code: 1, Message: "respawn pane failed: fork failed", Count: 1}))
		d.row("r15.failed.tmux", s, 1, "failed its program was ended, and none was started: tmux respawn-pane: respawn pane failed: fork failed")
		fired, err := d.box.Firings()
		require.NoError(d, err)
		require.Len(d, fired, 1)
		d.f.Equal(d, "r15.failed.tmux.pane", d.pane(s), pane{was.Place, was.PID, true})
		d.f.Unchanged(d)
	})
}

// A call that is interrupted leaves what had no turn yet.
func TestNotAttempted(t *testing.T) {
	contracts.AnyPlace(t)
	each(t, one, func(d *desk) {
		s := d.live()[0]
		d.declare("TOKEN=first\n")
		d.configure(again)
		was := d.pane(s)
		d.f.Equal(d, "r15.not-attempted", d.interrupted(s), said{1, restarting(s, "TOKEN", "not-attempted interrupted before its turn"), bad})
		d.f.Equal(d, "r15.left.not-attempted", d.pane(s), was)
		d.f.Unchanged(d)
	})
}

// interrupted is what a restart comes to that is interrupted as it waits for
// its turn, which it does once it has the lock file open that is held here.
func (d *desk) interrupted(s session) said {
	d.Helper()
	state := filepath.Dir(filepath.Dir(filepath.Dir(s.Worktree)))
	lock, err := document.Acquire(d.Context(), filepath.Join(state, "sessions", s.ID, "lock"), 0)
	require.NoError(d, err)
	defer lock.Release()
	const script = `"$@" & pid=$!
until ls -l "/proc/$pid/fd" 2>/dev/null | grep -q "/sessions/.*/lock$"; do :; done
kill -TERM $pid
wait $pid`
	return d.run(sandbox.Cmd{Args: append([]string{"sh", "-c", script, "sh"}, d.today("session", "restart", s.ID)...)})
}

// today is the command line of today's program, for what runs in the box.
func (d *desk) today(args ...string) []string {
	d.Helper()
	d.stint("--version") // which puts it there
	return append([]string{filepath.Join(d.box.Root(), "self", "role", "stint")}, args...)
}

// A session in which the very command runs is left alone, whatever that says of
// itself.
func TestInside(t *testing.T) {
	contracts.AnyPlace(t)
	each(t, one, func(d *desk) {
		s := d.live()[0]
		d.declare("TOKEN=first\n")
		d.configure(again)
		was := d.pane(s)
		d.f.Equal(d, "r15.skipped.inside", d.typed(s, ""), restarting(s, "TOKEN", inside+stale)+bad+"1\n")
		d.f.Equal(d, "r15.skipped.denied", d.typed(s, "env -u TMUX -u TMUX_PANE "), restarting(s, "TOKEN", inside+stale)+bad+"1\n")
		d.f.Equal(d, "r15.left.inside", d.pane(s), was)
	})
}

const inside = "skipped this command runs in it: restart it from outside of it"

// typed is what restart --all prints, and its exit code behind that, where it is
// typed in the session.
func (d *desk) typed(s session, by string) string {
	d.Helper()
	out := filepath.Join(d.box.Tmp(), "typed")
	line := "(cd " + d.box.Project() + "; " + by + strings.Join(d.today("session", "restart", "--all"), " ") + "; echo $?) >" + out + " 2>&1; mv " + out + " " + out + ".done"
	d.tmux("send-keys", "-t", d.pane(s).id(), "-l", "--", line)
	d.tmux("send-keys", "-t", d.pane(s).id(), "Enter")
	d.await("the end of what was typed", func() bool { _, err := os.Stat(out + ".done"); return err == nil })
	got, err := os.ReadFile(out + ".done")
	require.NoError(d, err)
	require.NoError(d, os.Remove(out+".done"))
	return string(got)
}
