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

// outcome is what restart tells of one session.
type outcome struct {
	Code int
	Head string
	Row  string // what became of it, with one blank between words
	Bad  bool   // it is said on standard error that not all is as it was asked to be, and nothing else
}

// restarting is what restart prints first of one session and TOKEN alone.
const restarting = "restarting 1 session(s) against 1 declared variable(s) [TOKEN]"

// of takes what was said of a session apart.
func (got said) of(s session) outcome {
	head, rest, _ := strings.Cut(got.Out, "\n")
	name, row, _ := strings.Cut(strings.TrimSuffix(rest, "\n"), " ")
	o := outcome{Code: got.Code, Head: head, Row: strings.Join(strings.Fields(row), " ")}
	if name != s.called() {
		o.Row = name + " " + o.Row
	}
	switch o.Bad = strings.HasPrefix(got.Err, "stint: not on what the env file declares, or not known to be: 1 session: "); {
	case o.Bad && strings.Count(got.Err, "\n") == 1, got.Err == "":
	default:
		o.Row += "\n" + got.Err
	}
	return o
}

// gap stands in a row that is wanted for what helps, whose words are free.
const gap = "…"

// saying is the row that is wanted if what was got says that.
func saying(got, want string) string {
	begins, ends, free := strings.Cut(want, gap)
	if free && strings.HasPrefix(got, begins) && strings.HasSuffix(got, ends) {
		return want
	}
	return got
}

// refused asserts that a command did nothing, and the beginning of why.
func (d *desk) refused(id string, got said, why string, words ...any) {
	d.Helper()
	want := "stint: " + fmt.Sprintf(why, words...) + gap + "\n"
	got.Err = saying(got.Err, want)
	d.f.Equal(d, id, got, said{1, "", want})
}

// row asserts what restart prints of one session on the env file that declares
// TOKEN, and with which exit code.
func (d *desk) row(id string, s session, code int, row string, args ...string) {
	d.Helper()
	d.told(id, d.stint(append([]string{"session", "restart", s.ID}, args...)...).of(s), code, row)
}

func (d *desk) told(id string, got outcome, code int, row string) {
	d.Helper()
	got.Row = saying(got.Row, row)
	d.f.Equal(d, id, got, outcome{code, restarting, row, code != 0})
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
			d.refused("r15.refused.no-file", d.stint("session", "restart", "--all"), "no env file to restart sessions on")
		}
		d.configure(again)
		d.declare("TOKEN=first\n")
		for _, s := range all {
			switch {
			case s.runs():
				d.restarts(s)
			case s.State == "open":
				d.startsAgain(s)
			default:
				d.row("r15.skipped.state", s, 0, fmt.Sprintf("skipped it is %s, and not open%s", s.State, gap))
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
	d.f.Equal(d, "r15.json", answersOf(d, answer), answers{[]string{"TOKEN"}, []refreshed{{s.ID, s.WorkItem, "would-restart", "", "stale", differs}}, []string{}})
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

// startsAgain asserts that a session whose program has ended is left as it is,
// and begun again in its pane where that is asked for.
func (d *desk) startsAgain(s session) {
	d.Helper()
	was := d.pane(s)
	d.row("r15.skipped.dead", s, 0, "skipped its program has ended"+gap)
	d.f.Equal(d, "r15.left.dead", d.pane(s), was)
	d.row("r15.forced.dead", s, 0, "restarted", "--force")
	is := d.pane(s)
	d.f.Equal(d, "r15.forced.dead.pane", is, pane{was.Place, is.PID, false})
	d.f.Equal(d, "r15.forced.dead.value", d.token(s), "first")
}

// answers are those of restart in JSON.
type (
	answers struct {
		Variables  []string    `json:"variables"`
		Sessions   []refreshed `json:"sessions"`
		Unreadable []string    `json:"unreadable"`
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
		skipped("conversation", 1, "%s; --fresh begins a new one%s", noConversation(d.f), gap+stale)
		d.configure("[harness.codex]\n")
		skipped("resume", 1, `harness "codex": it is not known how it resumes a conversation`+gap+stale)
		d.configure("[harness.codex]\ncommand = [\"nosuch\"]\nresume = []\n")
		skipped("program", 1, `harness "codex": program "nosuch" is not on PATH`+gap+stale)
		d.configure(again)
		at := d.th.Path(strings.TrimPrefix(s.Worktree, d.box.Root()+"/"))
		require.NoError(d, os.Rename(at, at+"-moved"))
		skipped("worktree", 1, "it has no worktree to start in: %s", gap+stale)
		require.NoError(d, os.Rename(at+"-moved", at))
		d.f.Settle(d)

		const foreign = "it does not run: the tmux session of that name is another's: it has no pane that was made for this session" + gap
		none := fmt.Sprintf("it does not run: there is no tmux session %s on %q%s", s.Name, s.Socket, gap)
		d.tmux("rename-session", "-t", was.session(), s.Name+"0")
		skipped("prefix", 0, "%s", none)
		d.another(s.Name)
		skipped("foreign", 0, "%s", foreign)
		d.tmux("kill-session", "-t", "="+s.Name)
		d.tmux("kill-session", "-t", was.session())
		d.await("the end of the server", func() bool { return !d.serves() })
		d.row("r15.skipped.absent", s, 0, "skipped "+none)
		d.mute(s)
		d.refused("r15.refused.silent", d.stint("session", "restart", s.ID), "tmux on %q does not answer, so nothing was restarted", s.Socket)
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

// A conversation that cannot be resumed is begun anew where that is asked for,
// also for a session of a release that kept none; what was begun is resumed from
// then on.
func TestResumed(t *testing.T) {
	contracts.AnyPlace(t)
	each(t, one, func(d *desk) {
		s := d.live()[0]
		d.declare("TOKEN=first\n")
		d.configure("[harness.codex]\nbegin = [\"--\", \": begun as {conversation}\"]\nresume = [\"resume\", \"{conversation}\"]\n")
		d.row("r15.begun-anew", s, 0, "restarted begun anew: "+noConversation(d.f), "--fresh")
		d.declare("TOKEN=second\n")
		var name string
		d.await("the name of the conversation", func() bool {
			_, rest, _ := strings.Cut(d.screen(s), "codex: : begun as ")
			name, rest, _ = strings.Cut(rest, "\n")
			return strings.Contains(rest, "codex>")
		})
		d.row("r15.resumed", s, 0, "restarted")
		d.await("the name of the conversation again", func() bool {
			_, rest, _ := strings.Cut(d.screen(s), "codex: resumed ")
			return strings.Contains(rest, "codex>")
		})
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
		d.row("r15.stale", s, 1, "stale "+gap+"; differs: TOKEN")
		d.f.Equal(d, "r15.stale.process", []bool{d.ended(was.PID), d.pane(s).Dead}, []bool{true, false})

		harness(`"env", "-u", "STINT_SESSION_ID", "codex"`)
		got := d.stint("session", "restart", s.ID).of(s)
		d.told("r15.unverified", got, 1, "unverified process "+d.pane(s).PID+": it is not, or not yet, the program that was started there"+gap)

		was = d.pane(s)
		harness(`"sh", "-c", "exit 3"`)
		d.row("r15.failed.ends", s, 1, "failed its new program has ended at once"+gap)
		d.f.Equal(d, "r15.failed.ends.pane", d.pane(s), pane{was.Place, d.pane(s).PID, true})
		d.row("r15.skipped.ended", s, 0, "skipped its program has ended"+gap)
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
		d.row("r15.failed.tmux", s, 1, "failed its program was ended, and none was started: tmux respawn-pane: respawn pane failed: fork failed"+gap)
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
		d.told("r15.not-attempted", d.interrupted(s).of(s), 1, "not-attempted interrupted before its turn"+gap)
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
while [ -e "/proc/$pid/exe" ] && ! ls -l "/proc/$pid/fd" 2>/dev/null | grep -q "/sessions/.*/lock$"; do :; done
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
		d.told("r15.skipped.inside", d.typed(s, "").of(s), 1, inside+gap+stale)
		d.told("r15.skipped.denied", d.typed(s, "env -u TMUX -u TMUX_PANE ").of(s), 1, inside+gap+stale)
		d.f.Equal(d, "r15.left.inside", d.pane(s), was)
	})
}

const inside = "skipped this command runs in it"

// typed is what restart --all comes to where it is typed in the session; code -1
// if that was its own end.
func (d *desk) typed(s session, by string) said {
	d.Helper()
	was, out := d.pane(s), filepath.Join(d.box.Tmp(), "typed")
	line := fmt.Sprintf("(cd %s; %s%s) >%[4]s 2>%[4]s.err; echo $? >%[4]s.code; mv %[4]s.code %[4]s.done", d.box.Project(), by, strings.Join(d.today("session", "restart", "--all"), " "), out)
	d.tmux("send-keys", "-t", d.pane(s).id(), "-l", "--", line)
	d.tmux("send-keys", "-t", d.pane(s).id(), "Enter")
	is := func() bool { _, err := os.Stat(out + ".done"); return err == nil }
	d.await("the end of what was typed", func() bool { return is() || d.pane(s) != was })
	read := func(name string) string {
		text, err := os.ReadFile(name)
		require.NoError(d, err)
		return string(text)
	}
	got := said{-1, read(out), read(out + ".err")}
	if is() {
		_, err := fmt.Sscan(read(out+".done"), &got.Code)
		require.NoError(d, err)
		require.NoError(d, os.Remove(out+".done"))
	}
	return got
}
