package runner_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	"github.com/freeze-contracts/permafrost/sandbox"
)

// sinks are the places to which a value could get.
type sinks struct {
	*desk
	outcomes map[string]bool // that restarts had

	mu    sync.Mutex
	texts map[string]*strings.Builder
	lines map[string]bool // command lines of processes
}

// every is what find comes to where a text is everywhere.
var every = []string{"JSON", "arguments of git", "arguments of tmux", "command lines", "files", "messages of tmux", "standard error", "standard output"}

// logging stands before a program and notes how it is called, which looking at
// the command lines of processes may miss.
const logging = "#!/bin/sh\nprintf '%%s\\n' \"$*\" >>%q\nexec %q \"$@\"\n"

func (d *desk) sinks() *sinks {
	d.Helper()
	s := &sinks{desk: d, outcomes: make(map[string]bool), texts: make(map[string]*strings.Builder), lines: make(map[string]bool)}
	bin := d.box.Root() + "/log"
	require.NoError(d, os.Mkdir(bin, 0o755))
	for _, name := range []string{"git", "tmux"} {
		script := fmt.Sprintf(logging, filepath.Join(bin, name+".log"), filepath.Join(d.box.Bin(), name))
		require.NoError(d, os.WriteFile(filepath.Join(bin, name), []byte(script), 0o755))
	}
	d.path = bin + ":" + d.box.Bin()
	s.watch()
	return s
}

// watch looks at the command lines of all processes until the end of the test,
// those of the box among them.
func (s *sinks) watch() {
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		every := time.NewTicker(5 * time.Millisecond)
		defer every.Stop()
		for {
			select {
			case <-stop:
				return
			case <-every.C:
				s.look()
			}
		}
	}()
	s.Cleanup(func() {
		close(stop)
		<-done
	})
}

func (s *sinks) look() {
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range all {
		if line, err := os.ReadFile(name); err == nil {
			s.lines[string(line)] = true
		}
	}
}

func (s *sinks) note(sink, text string) {
	if s.texts[sink] == nil {
		s.texts[sink] = new(strings.Builder)
	}
	s.texts[sink].WriteString(text)
}

// took notes all that a command printed, and what tmux has to say since.
func (s *sinks) took(got said, sink string) said {
	s.Helper()
	s.note(sink, got.Out)
	s.note("standard error", got.Err)
	// There may be no server, or no client that it is shown to.
	s.note("messages of tmux", s.run(sandbox.Cmd{Args: []string{"tmux", "show-messages"}}).Out)
	return got
}

// does runs today's program, and again for JSON.
func (s *sinks) does(args ...string) {
	s.Helper()
	s.took(s.as(args...), "standard output")
	s.took(s.as(append(args, "--json")...), "JSON")
}

// as runs it with what the caller's own environment holds.
func (s *sinks) as(args ...string) said {
	s.Helper()
	return s.run(sandbox.Cmd{Role: "stint", Args: args, Env: []string{"TOKEN=" + canary}})
}

// restart notes the outcome, too.
func (s *sinks) restart(of session, got said) {
	s.Helper()
	s.took(got, "standard output")
	_, row, found := strings.Cut(got.Out, "\n"+of.called()+"  ")
	require.True(s, found, "%s%s", got.Out, got.Err)
	s.outcomes[strings.Fields(row)[0]] = true
}

// find tells which sinks hold a text.
func (s *sinks) find(text string) []string {
	s.Helper()
	var found []string
	note := func(sink, content string) {
		if strings.Contains(content, text) {
			found = append(found, sink)
		}
	}
	for sink, content := range s.texts {
		note(sink, content.String())
	}
	for _, name := range []string{"git", "tmux"} {
		calls, err := os.ReadFile(s.box.Root() + "/log/" + name + ".log")
		require.NoError(s, err)
		note("arguments of "+name, string(calls))
	}
	s.mu.Lock()
	note("command lines", strings.Join(slices.Collect(maps.Keys(s.lines)), "\n"))
	s.mu.Unlock()
	note("files", s.files())
	slices.Sort(found)
	return found
}

// files is what lies in the box: documents, the repository, and whatever else
// was written, but for the env file and what is noted here.
func (s *sinks) files() string {
	s.Helper()
	var all strings.Builder
	for _, top := range []string{"home", "project", "tmp", "run"} {
		require.NoError(s, filepath.WalkDir(filepath.Join(s.box.Root(), top), func(name string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() || name == s.secrets() {
				return err
			}
			text, err := os.ReadFile(name)
			all.Write(text)
			return err
		}))
	}
	return all.String()
}

const (
	canary  = "canary5e7b"
	planted = "planted9d1c"
)

// A declared value is in no sink, whatever becomes of a restart.
func TestRedaction(t *testing.T) {
	contracts.AnyPlace(t)
	each(t, one, func(d *desk) {
		of, s := d.only(), d.sinks()
		s.plant(of)
		s.look()
		d.f.Equal(d, "r17.planted", s.find(planted), every)
		s.drive(of)
		d.f.Equal(d, "r17.outcomes", slices.Sorted(maps.Keys(s.outcomes)),
			[]string{"failed", "fresh", "not-attempted", "restarted", "skipped", "stale", "unverified", "would-restart"})
		d.f.Equal(d, "r17.sinks", s.find(canary), []string(nil))
		// All the while that was what the programs ran on.
		d.f.Equal(d, "r17.value", d.environ(d.pane(of).PID, "TOKEN"), map[string]string{"TOKEN": "last" + canary})
	})
}

// plant brings a text to each sink by another way than a value's: as the name of
// an instance, in the answer of a command, in a refusal, in what the client of
// tmux is told, and in the command lines of git and of the agent.
func (s *sinks) plant(of session) {
	s.Helper()
	s.bring(of, "env", "codex", planted)
	s.attach(sandbox.Cmd{Args: []string{"tmux", "attach-session", "-t", s.pane(of).session()}})
	s.configure("[instance]\nname = \"" + planted + "\"\n")
	s.does("status")
	s.does("session", "show", planted)
	s.program("sh", "-c", "git check-ref-format --branch "+planted+" && tmux set-environment -g A "+planted)
	s.does("status")
}

// drive has restart come to each of its outcomes, on one value after another,
// and the other commands say what they say of a session meanwhile.
func (s *sinks) drive(of session) {
	s.Helper()
	turn := 0
	rotate := func() {
		turn++
		s.declare(fmt.Sprintf("TOKEN=%d%[2]s\n%[2]s is no line\nexport EMPTY=\nBIG=%[2]s%s\nPATH=%[2]s\n", turn, canary, strings.Repeat("x", 100_000)))
	}
	harness := func(command string) {
		s.configure("[harness.codex]\ncommand = [" + command + "]\nresume = []\n")
		rotate()
	}
	restart := func(args ...string) {
		s.Helper()
		s.restart(of, s.as(append([]string{"session", "restart", of.ID}, args...)...))
	}
	s.configure("")
	rotate()
	restart() // no conversation to resume
	s.does("status")
	harness(`"codex"`)
	restart("--dry-run")
	s.does("session", "restart", "--all", "--dry-run")
	s.restart(of, s.interrupted(of))
	restart()
	restart()
	s.does("session", "show", of.ID)
	s.does("session", "attach", of.ID)
	harness(`"env", "TOKEN=old", "codex"`)
	restart()
	s.does("status")
	harness(`"env", "-u", "STINT_SESSION_ID", "codex"`)
	restart()
	harness(`"codex"`)
	s.took(s.as("session", "open", "codex", "--no-attach"), "standard output")
	s.took(s.as("session", "restart", "--all", "--json"), "JSON")
	// A file that is refused as a whole.
	s.declare(canary + " is no line\n")
	s.does("session", "restart", "--all")
	s.does("session", "open", "codex", "--no-attach")
	s.does("status")
	harness(`"sh", "-c", "exit 3"`)
	restart()
	s.does("session", "list", "--all")
	s.restored(of)
}

// restored brings the pane of a session, whose program has ended, onto a last
// value, by opening it anew: a dead one is not restarted.
func (s *sinks) restored(of session) {
	s.Helper()
	s.configure(again)
	s.declare("TOKEN=last" + canary + "\n")
	s.tmux("respawn-pane", "-t", s.pane(of).id(), "codex")
	s.await("the agent", func() bool { return !s.pane(of).Dead })
	s.restart(of, s.as("session", "restart", of.ID))
}
