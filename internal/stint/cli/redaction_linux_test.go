package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/freeze-contracts/permafrost/internal/stint/cli"
	"github.com/freeze-contracts/permafrost/internal/stint/document"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// sinks are the places where a value could get to.
type sinks struct {
	rotation
	stdout, stderr, json strings.Builder

	mu    sync.Mutex
	lines map[string]bool // every command line that was seen

	messages strings.Builder
}

// logging stands before tmux and git on the PATH and notes how they are called,
// which the sampling of command lines can miss.
const logging = `#!/bin/sh
printf '%%s\n' "$0 $*" >>%q
exec %q "$@"
`

func newSinks(t *testing.T) *sinks {
	s := &sinks{rotation: newRotation(t, "TOKEN=first\n"), lines: make(map[string]bool)}
	bin := filepath.Join(s.dir, "bin")
	require.NoError(t, os.Mkdir(bin, 0o755))
	for _, name := range []string{"tmux", "git"} {
		real, err := exec.LookPath(name)
		require.NoError(t, err)
		s.script("bin/"+name, fmt.Sprintf(logging, s.argvLog(), real))
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
				s.sample()
			}
		}
	}()
	t.Cleanup(func() {
		close(stop)
		<-done
	})
	return s
}

// argvLog is beside what is searched as files.
func (s *sinks) argvLog() string { return s.dir + ".argv" }

// sample looks at the command line of every process.
func (s *sinks) sample() {
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range all {
		if b, err := os.ReadFile(name); err == nil {
			s.lines[string(b)] = true
		}
	}
}

// do runs a command, as text and as JSON, whatever it comes to, and returns
// what it printed as text.
func (s *sinks) do(args ...string) string {
	s.Helper()
	out := s.once(&s.stdout, args...)
	s.once(&s.json, append(args, "--json")...)
	return out
}

// id is what a command prints as one.
func (s *sinks) id(of *regexp.Regexp, args ...string) string {
	s.Helper()
	match := of.FindStringSubmatch(s.do(args...))
	require.NotNil(s, match, "%s: %s", args, s.stderr.String())
	return match[1]
}

func (s *sinks) once(into *strings.Builder, args ...string) string {
	s.Helper()
	var out, said bytes.Buffer
	cli.Main(args, s.env, os.Stdin, &out, &said)
	into.WriteString(out.String())
	s.stderr.WriteString(said.String())
	s.messages.WriteString(s.shown())
	return out.String()
}

// shown is the log of tmux's messages, which it shows to a client.
func (s *sinks) shown() string {
	cmd := exec.CommandContext(context.Background(), "tmux", "-u", "-S", s.socket, "show-messages")
	cmd.Env = s.env
	out, _ := cmd.Output() // There may be no server yet.
	return string(out)
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
	note("standard output", s.stdout.String())
	note("standard error", s.stderr.String())
	note("JSON", s.json.String())
	note("messages of tmux", s.messages.String())
	calls, err := os.ReadFile(s.argvLog())
	require.NoError(s, err)
	note("arguments of tmux and git", string(calls))
	s.mu.Lock()
	for line := range s.lines {
		if strings.Contains(line, text) {
			found = append(found, "command lines")
			break
		}
	}
	s.mu.Unlock()
	var files strings.Builder
	require.NoError(s, filepath.WalkDir(s.dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || e.Name() == "secrets.env" {
			return err
		}
		b, err := os.ReadFile(name)
		files.Write(b)
		return err
	}))
	note("documents and other files", files.String())
	return found
}

// everySink is what find comes to where a text is everywhere.
var everySink = []string{"standard output", "standard error", "JSON", "messages of tmux", "arguments of tmux and git", "command lines", "documents and other files"}

var (
	savedRun  = regexp.MustCompile(`as run (\w+)`)
	savedTurn = regexp.MustCompile(`saved run (\w+)`)
	talkID    = regexp.MustCompile(`(?m)^([0-9a-f]{12}) `)
)

// A declared value is in no sink, whatever is done and whatever comes of it.
func TestRedaction(t *testing.T) {
	const planted, canary = "planted9d1c", "canary5e7b"
	s := newSinks(t)
	t.Cleanup(func() { os.Remove(s.argvLog()) })

	// Each sink shows a text that gets there in another way.
	s.config("[instance]\nname = \"" + planted + "\"\n[harness.planted]\ncommand = [\"sh\", \"-c\", \"sleep 1000; :\", \"" + planted + "\"]\n")
	s.attach(s.open("sh", "planted"))
	s.do("status")
	s.do("session", "show", planted)
	s.tmux("set-environment", "-g", "A", planted)
	s.do("status")
	require.Eventually(t, func() bool { return len(s.find(planted)) == len(everySink) }, patience, pause)
	if diff := cmp.Diff(everySink, s.find(planted)); diff != "" {
		t.Errorf("where what was planted is found (-want +got)\n%s", diff)
	}

	s.outcomes()
	s.env = append(s.env, "TOKEN="+canary)
	driven := s.drive(func(turn int) string {
		return fmt.Sprintf("TOKEN=%d%[2]s\n%[2]s is no line\nexport EMPTY=\nBIG=%[2]s%s\nPATH=%[2]s\n", turn, canary, strings.Repeat("x", 100_000))
	})
	want := []string{"failed", "fresh", "not-attempted", "restarted", "skipped", "stale", "unverified", "would-restart"}
	if diff := cmp.Diff(want, driven); diff != "" {
		t.Errorf("outcomes (-want +driven)\n%s", diff)
	}
	if found := s.find(canary); found != nil {
		t.Errorf("a value is in %s", strings.Join(found, ", "))
	}
}

// drive does all that stint does, on files of one turn after the other, and
// returns the outcomes that restarts had.
func (s *sinks) drive(file func(turn int) string) []string {
	s.Helper()
	outcomes := make(map[string]bool)
	restart := func(args ...string) {
		for _, row := range rows(s.do(append([]string{"session", "restart"}, args...)...)) {
			outcomes[strings.Fields(row)[0]] = true
		}
	}
	s.rotate(file(0))
	ids := make(map[string]string)
	for _, harness := range []string{"agent", "mute", "dies", "old", "title", "deaf"} {
		ids[harness] = opened.FindStringSubmatch(s.once(&s.stdout, "session", "open", harness, "--no-attach"))[1]
	}
	s.once(&s.json, "session", "open", "agent", "--no-attach", "--json")
	s.await(ids["title"], "title title tit")
	s.rotate(file(1))
	s.do("status")
	restart("--all", "--dry-run")
	restart("--all")
	s.rotate(file(2))
	restart("--all")
	restart(ids["agent"])
	restart(ids["agent"], "--force")
	restart(ids["mute"], "--fresh")
	outcomes[strings.Fields(rows(s.interrupted(ids["agent"]))[ids["agent"]])[0]] = true
	s.do("status")

	s.do("session", "list", "--all")
	s.do("session", "show", ids["agent"])
	s.do("session", "attach", ids["agent"])
	s.do("session", "recover")
	require.NoError(s, os.WriteFile(filepath.Join(s.worktree(ids["agent"]), "work"), []byte("done\n"), 0o600))
	run := s.id(savedRun, "session", "checkpoint", ids["agent"])
	s.do("runs", "list")
	s.do("runs", "show", run)
	s.do("runs", "diff", run)
	s.do("runs", "apply", run)
	turn := s.id(savedTurn, "run", "turn", "say")
	s.do("continue", turn, "more")
	s.do("runs", "discard", turn)
	s.do("runs", "prune", "--applied")
	s.do("runs", "recover")
	talk := s.id(talkID, "conversations", "list")
	s.do("conversations", "show", talk)
	s.do("conversations", "close", talk)

	// Files that are refused.
	for _, text := range []string{strings.SplitN(file(3), "\n", 3)[1], "PATH=" + file(3)[7:30]} {
		s.rotate(text)
		s.do("session", "restart", "--all")
		s.do("session", "open", "agent", "--no-attach")
		s.do("status")
	}
	for _, id := range ids {
		s.do("session", "close", id, "--discard")
	}
	s.do("init")
	return slices.Sorted(maps.Keys(outcomes))
}

// interrupted is what a restart prints that is interrupted as it waits for its
// turn.
func (s *sinks) interrupted(id string) string {
	s.Helper()
	name := filepath.Join(s.stateDir(), "sessions", id, "lock")
	lock, err := document.Acquire(s.Context(), name, time.Second)
	require.NoError(s, err)
	defer lock.Release()
	unhandled := make(chan os.Signal, 1)
	signal.Notify(unhandled, os.Interrupt)
	defer signal.Stop(unhandled)
	over, sent := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(sent)
		for handles(name) < 2 { // by this test, and by who waits
			select {
			case <-over:
				return
			case <-time.After(pause):
			}
		}
		syscall.Kill(os.Getpid(), syscall.SIGINT)
	}()
	out := s.once(&s.stdout, "session", "restart", id, "--force")
	close(over)
	<-sent
	return out
}

// handles is how often this process has a file open.
func handles(name string) (n int) {
	files, _ := filepath.Glob("/proc/self/fd/*")
	for _, file := range files {
		if to, err := os.Readlink(file); err == nil && to == name {
			n++
		}
	}
	return n
}
