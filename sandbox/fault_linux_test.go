package sandbox_test

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/freeze-contracts/permafrost/sandbox"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
)

// faulted starts a box with a CLI, a script of that text, and faults.
func faulted(t *testing.T, cli string, faults ...sandbox.Fault) *sandbox.Box {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(dir+"/app", []byte("#!/bin/sh\n"+cli), 0o755))
	b := start(t, sandbox.Config{Tmux: true, CLI: dir})
	for _, f := range faults {
		require.NoError(t, b.SetFault(f))
	}
	return b
}

// app runs the CLI and returns all that came of it.
func app(t *testing.T, b *sandbox.Box, stdin string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code, err := b.Run(t.Context(), sandbox.Cmd{Args: []string{"app"}, Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &errs})
	require.NoError(t, err)
	return code, out.String(), errs.String()
}

func TestFaults(t *testing.T) {
	const kills = 128 + 9
	for _, c := range []struct {
		name    string
		cli     string
		stdin   string
		faults  []sandbox.Fault
		code    int
		stdout  string
		stderr  string
		fired   []int  // ids
		signal  string // of the last
		project string // what the program left in the file "made"
	}{
		{
			name: "kill-caller comes before the program", cli: "touch before; touch made; touch after; echo unreached",
			faults: []sandbox.Fault{{ID: 1, Program: "touch", Pattern: `^made$`, Action: sandbox.KillCaller, Count: 1}},
			code:   kills, fired: []int{1}, signal: "SIGKILL", project: "before",
		},
		{
			name: "kill-caller-after comes when it has run", cli: "touch before; touch made; touch after; echo unreached",
			faults: []sandbox.Fault{{ID: 1, Program: "touch", Pattern: `^made$`, Action: sandbox.KillCallerAfter, Count: 1}},
			code:   kills, fired: []int{1}, signal: "SIGKILL", project: "before made",
		},
		{
			name: "the caller may be further up", cli: `sh -c 'env touch made; true'; echo unreached`,
			faults: []sandbox.Fault{{ID: 1, Program: "touch", Pattern: `made`, Action: sandbox.KillCaller, Count: 1}},
			code:   kills, fired: []int{1}, signal: "SIGKILL",
		},
		{
			name: "fail has a code and a message", cli: "touch made || echo code $?",
			faults: []sandbox.Fault{{ID: 1, Program: "touch", Pattern: `made`, Action: sandbox.Fail, Code: 42, Message: "no space left", Count: 1}},
			stdout: "code 42\n", stderr: "no space left\n", fired: []int{1},
		},
		{
			name: "it stands aside after its count", cli: "for i in 1 2 3 4; do touch made || echo failed $i; done",
			faults: []sandbox.Fault{{ID: 1, Program: "touch", Pattern: `made`, Action: sandbox.Fail, Code: 1, Count: 2}},
			stdout: "failed 1\nfailed 2\n", fired: []int{1, 1}, project: "made",
		},
		{
			name: "several on one program", cli: "touch a || echo a $?; touch made || echo made $?; touch a || echo a $?",
			faults: []sandbox.Fault{
				{ID: 1, Program: "touch", Pattern: `^a$`, Action: sandbox.Fail, Code: 3, Count: 1},
				{ID: 2, Program: "touch", Pattern: `^a$|made`, Action: sandbox.Fail, Code: 4, Count: 2},
			},
			stdout: "a 3\nmade 4\na 4\n", fired: []int{1, 2, 2},
		},
		{
			name: "one that does not match", cli: "touch made",
			faults:  []sandbox.Fault{{ID: 1, Program: "touch", Pattern: `other`, Action: sandbox.Fail, Code: 3, Count: 1}},
			project: "made",
		},
		{
			name: "standard input that matches", cli: "cat || echo code $?", stdin: "a\nsecret=1\n",
			faults: []sandbox.Fault{{ID: 1, Program: "cat", Stdin: true, Pattern: `(?m)^secret=`, Action: sandbox.Fail, Code: 9, Count: 1}},
			stdout: "code 9\n", fired: []int{1},
		},
		{
			name: "standard input that does not is passed on whole", cli: "cat", stdin: "a\x00b\nno newline",
			faults: []sandbox.Fault{{ID: 1, Program: "cat", Stdin: true, Pattern: `secret`, Action: sandbox.Fail, Code: 9, Count: 1}},
			stdout: "a\x00b\nno newline",
		},
		{
			name: "standard input is passed on before the caller is killed", cli: "cat; echo unreached", stdin: "secret",
			faults: []sandbox.Fault{{ID: 1, Program: "cat", Stdin: true, Pattern: `secret`, Action: sandbox.KillCallerAfter, Count: 1}},
			code:   kills, stdout: "secret", fired: []int{1}, signal: "SIGKILL",
		},
		{
			name: "tmux with arguments, through the shim", cli: `tmux new-session -d -s one 'sleep 1000'; tmux new-session -d -s two; echo unreached`,
			faults: []sandbox.Fault{{ID: 1, Program: "tmux", Pattern: `^new-session .*two`, Action: sandbox.KillCaller, Count: 1}},
			code:   kills, fired: []int{1}, signal: "SIGKILL",
		},
		{
			name: "tmux by its standard input", cli: `tmux new-session -d 'sleep 1000'; printf 'set -g @token x\n' | tmux source-file -; tmux show -gv @token; printf 'set -g @secret x\n' | tmux source-file - || echo code $?`,
			faults: []sandbox.Fault{{ID: 1, Program: "tmux", Stdin: true, Pattern: `secret`, Action: sandbox.Fail, Code: 5, Count: 1}},
			stdout: "x\ncode 5\n", fired: []int{1},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := faulted(t, c.cli, c.faults...)
			code, stdout, stderr := app(t, b, c.stdin)
			got := []any{code, stdout, stderr, made(t, b)}
			if diff := cmp.Diff([]any{c.code, c.stdout, c.stderr, c.project}, got); diff != "" {
				t.Errorf("code, streams, files (-want +got)\n%s", diff)
			}
			firings, err := b.Firings()
			require.NoError(t, err)
			var fired []int
			for _, f := range firings {
				fired = append(fired, f.Fault)
				require.WithinDuration(t, time.Now(), f.Time, time.Minute)
			}
			if diff := cmp.Diff(c.fired, fired, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("fired (-want +got)\n%s", diff)
			}
			if c.signal != "" {
				last := firings[len(firings)-1]
				require.Equal(t, c.signal, last.Signal)
				require.Equal(t, "/bin/sh "+b.Bin()+"/app", last.Command)
			}
		})
	}
}

// made lists which of the two files the program has made.
func made(t *testing.T, b *sandbox.Box) string {
	t.Helper()
	var found []string
	for _, name := range []string{"before", "made"} {
		if _, err := os.Stat(b.Project() + "/" + name); err == nil {
			found = append(found, name)
		}
	}
	return strings.Join(found, " ")
}

// The pid in the record is the one that the CLI has in the box, and the CLI may
// be a program of its own rather than a script.
func TestFaultKillsBinary(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	shell, err := os.ReadFile("/bin/sh")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(dir+"/app", shell, 0o755))
	b := start(t, sandbox.Config{CLI: dir})
	require.NoError(t, b.SetFault(sandbox.Fault{ID: 7, Program: "touch", Pattern: "x", Action: sandbox.KillCaller, Count: 1}))
	code, err := b.Run(t.Context(), sandbox.Cmd{Args: []string{"app", "-c", `echo $$ >pid; touch x; true`}})
	require.NoError(t, err)
	require.Equal(t, 128+9, code)
	data, err := os.ReadFile(b.Project() + "/pid")
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	require.NoError(t, err)
	firings, err := b.Firings()
	require.NoError(t, err)
	want := []sandbox.Firing{{Fault: 7, PID: pid, Program: "touch", Signal: "SIGKILL",
		Command: "app -c echo $$ >pid; touch x; true"}}
	if diff := cmp.Diff(want, firings, cmpopts.IgnoreFields(sandbox.Firing{}, "Time")); diff != "" {
		t.Errorf("firings (-want +got)\n%s", diff)
	}
}

// Who is not called by the CLI has no caller to be killed: the call fails and
// nothing is recorded.
func TestFaultWithoutCaller(t *testing.T) {
	t.Parallel()
	b := faulted(t, "true", sandbox.Fault{ID: 1, Program: "touch", Pattern: "x", Action: sandbox.KillCaller, Count: 1})
	require.Contains(t, sh(t, b, "touch x && echo touched || true"), "none of its callers is the CLI")
	require.Empty(t, made(t, b))
	firings, err := b.Firings()
	require.NoError(t, err)
	require.Empty(t, firings)
}

func TestFaultHangs(t *testing.T) {
	t.Parallel()
	b := faulted(t, "sleep 1; echo unreached", sandbox.Fault{ID: 1, Program: "sleep", Pattern: "^1$", Action: sandbox.Hang, Count: 1})
	ended := make(chan error)
	go func() {
		_, err := b.Run(t.Context(), sandbox.Cmd{Args: []string{"app"}})
		ended <- err
	}()
	eventually(t, "the firing", func() bool {
		firings, err := b.Firings()
		return err == nil && len(firings) == 1
	})
	select {
	case err := <-ended:
		t.Fatalf("it did not hang: %v", err)
	case <-time.After(1500 * time.Millisecond): // longer than the program itself takes
	}
	require.NoError(t, b.Close())
	<-ended
}

// A new release of the CLI under a fault does not put the fault away.
func TestFaultSurvivesInstall(t *testing.T) {
	t.Parallel()
	b := faulted(t, "echo one", sandbox.Fault{ID: 1, Program: "app", Pattern: "^$", Action: sandbox.Fail, Code: 6, Count: 1})
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(dir+"/app", []byte("#!/bin/sh\necho two\n"), 0o755))
	require.NoError(t, b.Install(dir))
	code, _, _ := app(t, b, "")
	require.Equal(t, 6, code)
	_, stdout, _ := app(t, b, "")
	require.Equal(t, "two\n", stdout)
}

// A program may be a link to where it lies in the CLI's folder, before the fault
// and in what is installed after.
func TestFaultOnLink(t *testing.T) {
	t.Parallel()
	cli := func(says string) string {
		dir := t.TempDir()
		require.NoError(t, os.Mkdir(dir+"/lib", 0o755))
		require.NoError(t, os.WriteFile(dir+"/lib/app.sh", []byte("#!/bin/sh\necho "+says+"\n"), 0o755))
		require.NoError(t, os.Symlink("lib/app.sh", dir+"/app"))
		return dir
	}
	b := start(t, sandbox.Config{CLI: cli("one")})
	require.NoError(t, b.SetFault(sandbox.Fault{ID: 1, Program: "app", Pattern: "^$", Action: sandbox.Fail, Code: 6, Count: 1}))
	code, _, _ := app(t, b, "")
	require.Equal(t, 6, code)
	_, stdout, stderr := app(t, b, "")
	require.Equal(t, "one\n", stdout, stderr)
	require.NoError(t, b.Install(cli("two")))
	_, stdout, stderr = app(t, b, "")
	require.Equal(t, "two\n", stdout, stderr)
}

func TestFaultErrors(t *testing.T) {
	t.Parallel()
	b := faulted(t, "true", sandbox.Fault{ID: 1, Program: "touch", Pattern: "x", Action: sandbox.Hang, Count: 1})
	good := sandbox.Fault{ID: 2, Program: "touch", Pattern: "x", Action: sandbox.Hang, Count: 1}
	for _, c := range []struct {
		change func(*sandbox.Fault)
		want   string
	}{
		{func(f *sandbox.Fault) { f.ID = 1 }, `fault 1 on "touch": there is a fault of that id on "touch"`},
		{func(f *sandbox.Fault) { f.Program = "nothing" }, `fault 2 on "nothing": it is not in the box: name it under tools`},
		{func(f *sandbox.Fault) { f.Program = "../self/bin" }, `fault on "../self/bin": want the name of a program`},
		{func(f *sandbox.Fault) { f.Pattern = "(" }, `pattern: error parsing regexp`},
		{func(f *sandbox.Fault) { f.Count = 0 }, `count 0, want at least 1`},
		{func(f *sandbox.Fault) { f.Action = "explode" }, `action "explode", want one of "kill-caller"`},
		{func(f *sandbox.Fault) { f.Action = sandbox.Fail }, `exit code 0, want 1 to 255`},
	} {
		f := good
		c.change(&f)
		require.ErrorContains(t, b.SetFault(f), c.want, fmt.Sprint(f))
	}
	require.NoError(t, b.SetFault(good))
}

// A program that waits for its standard input does not hold up the one that
// writes it, where both have faults.
func TestFaultsInOnePipeline(t *testing.T) {
	t.Parallel()
	b := faulted(t, `{ sleep 0.3; echo text | cat -u; } | cat`,
		sandbox.Fault{ID: 1, Program: "cat", Pattern: "never", Stdin: true, Action: sandbox.Hang, Count: 1})
	ctx, cancel := contextFor(t, 10*time.Second)
	defer cancel()
	var out bytes.Buffer
	_, err := b.Run(ctx, sandbox.Cmd{Args: []string{"app"}, Stdout: &out})
	require.NoError(t, err)
	require.Equal(t, "text\n", out.String())
}

// The search for the caller ends at the box: a link to the machine's
// interpreter makes none of its other processes the CLI.
func TestFaultKillsNobodyOutside(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	exe, err := os.Executable()
	require.NoError(t, err)
	require.NoError(t, os.Symlink(exe, dir+"/app"))
	b := start(t, sandbox.Config{CLI: dir, NoNamespace: true})
	require.NoError(t, b.SetFault(sandbox.Fault{ID: 1, Program: "touch", Pattern: "x", Action: sandbox.KillCaller, Count: 1}))
	require.Contains(t, sh(t, b, "touch x || true"), "none of its callers is the CLI")
}
