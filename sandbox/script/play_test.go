package script_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/freeze-contracts/permafrost/sandbox/script"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

func TestScripts(t *testing.T) {
	script.Test(t, config(t), filepath.Join("testdata", "pass", "*.txtar"))
}

func TestPlayFails(t *testing.T) {
	for _, tt := range []struct {
		name, text   string
		line         int
		command, why string
	}{
		{"a command", "# talk\nexec cli say well\n\n# trouble\nexec cli complain\nexec cli say never\n", 5, "exec cli complain", "unexpected command failure"},
		{"a command that prints no text", "exec sh -c 'printf \"\\377\\376\"; exit 1'\n", 1, "exec sh -c 'printf \"\\377\\376\"; exit 1'", "unexpected command failure"},
		{"an expectation", "exec cli say well\nstdout ill\n", 2, "stdout ill", "no match for `ill` found in stdout"},
		{"a program that is not there", "exec jq .\n", 1, "exec jq .", `program "jq" is not in the box: name it in tools under [box]`},
		{"and whose failure is expected", "exec cli say a\n! exec jq .\n", 2, "! exec jq .", `program "jq" is not in the box: name it in tools under [box]`},
		{"by way of a variable", "env P=jq\nexec $P .\n", 2, "exec $P .", `program "jq" is not in the box: name it in tools under [box]`},
		{"a program without a name", "exec cli say a\nexec '' .\n", 2, "exec '' .", "unexpected command failure"},
		{"a command that is none", "exec cli say a\nscren x\n", 2, "scren x", `unknown command "scren" (did you mean "screen"?)`},
		{"without exec", "cli say a\n", 1, "cli say a", `unknown command "cli"`},
		{"a fault that never fires", "fault git hash kill-caller\nexec cli say a\n", 1, "fault git hash kill-caller", "the fault fired 0 times, declared were once"},
		{"a fault that fires too rarely", "exec cli say a\nfault git hash fail 1 2\nexec cli say b\n! exec cli commit\n", 2, "fault git hash fail 1 2", "the fault fired once, declared were 2 times"},
		{"the second of two faults", "fault git hash fail 1\n! exec cli commit\nfault git hash fail 1\n", 3, "fault git hash fail 1", "the fault fired 0 times, declared were once"},
		{"a fault that is none", "fault git hash explode\n", 1, "fault git hash explode", `action "explode" is not known`},
		{"a fault of no program", "fault jq . hang\n", 1, "fault jq . hang", `jq`},
		{"a skip", "exec cli say a\nskip later\n", 0, "", "a script that is played in a box cannot skip itself"},
		{"keys for nobody", "keys talk x\n", 1, "keys talk x", "tmux list-panes"},
		{"keys by a prefix", "exec cli open\nscreen talk -wait name\nkeys tal x\n", 3, "keys tal x", `tmux has no pane "tal", only ["talk:0.0"]`},
		{"a file that leads out", "exec cli say a\n-- ../x --\n", 0, "", `file "../x": not a plain relative path below the project`},
		{"a file twice", "exec cli say a\n-- x --\n-- x --\n", 0, "", `file "x": is in the archive twice`},
		{"a file and a folder", "exec cli say a\n-- x --\n-- x/y --\n", 0, "", `file "x/y" of the archive:`},
		{"an open quote", "exec cli say a\nexec 'b\n", 0, "", "line 2: the quote that begins in"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := play(t, t.Context(), "dir/odd name's #1.txtar", tt.text)
			var e *script.Error
			require.ErrorAs(t, err, &e)
			got := script.Error{Script: e.Script, Line: e.Line, Command: e.Command}
			want := script.Error{Script: "dir/odd name's #1.txtar", Line: tt.line, Command: tt.command}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("Play (-want +got)\n%s\n%v", d, err)
			}
			if !strings.Contains(e.Why, tt.why) {
				t.Errorf("Play blames %q, want %q\n%v", e.Why, tt.why, err)
			}
		})
	}
}

// What a maintainer sees of a failure: the line, what was printed, the screen,
// and nothing of where testscript works.
func TestErrorShowsEverything(t *testing.T) {
	_, err := play(t, t.Context(), "talk.txtar", "exec cli open\nscreen talk -wait 'name'\nkeys talk -l 'Ann;'\nkeys talk Enter\nscreen talk -wait '^hello Ann;$'\nexec cli complain\n")
	want := `talk.txtar:6: exec cli complain: unexpected command failure
> exec cli open
> screen talk -wait 'name'
[stdout]
name?

> keys talk -l 'Ann;'
> keys talk Enter
> screen talk -wait '^hello Ann;$'
[stdout]
name? Ann;
hello Ann;
name?

> exec cli complain
[stderr]
this went wrong
[exit status 3]
[screen of talk:0.0]
name? Ann;
hello Ann;
name?`
	require.Error(t, err)
	if d := cmp.Diff(want, err.Error()); d != "" {
		t.Errorf("Error (-want +got)\n%s", d)
	}
}

// A name that is no UTF-8 is one that a file may have.
func TestPlayTakesAnyName(t *testing.T) {
	_, err := play(t, t.Context(), "\xff/\n.txtar", "exec cli complain\n")
	var e *script.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, 1, e.Line)
}

func TestPlayLeavesNoTrace(t *testing.T) {
	box, err := play(t, t.Context(), "trace.txtar", "exec cli say a\ncp stdout a/b\n-- a/c --\nfirst\n")
	require.NoError(t, err)
	require.NoDirExists(t, filepath.Join(box.Root(), "script"))
	var got []string
	for _, top := range []string{"project", "tmp"} {
		require.NoError(t, fs.WalkDir(os.DirFS(box.Root()), top, func(name string, _ fs.DirEntry, err error) error {
			got = append(got, name)
			return err
		}))
	}
	want := []string{"project", "project/a", "project/a/b", "project/a/c", "tmp"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("left behind (-want +got)\n%s", d)
	}
}

func TestPlayHasTheBoxsEnvironment(t *testing.T) {
	t.Setenv("GOCOVERDIR", t.TempDir())
	box, err := play(t, t.Context(), "env.txtar", "exec env\ncp stdout env.txt\n")
	require.NoError(t, err)
	data, err := os.ReadFile(filepath.Join(box.Project(), "env.txt"))
	require.NoError(t, err)
	want := make(map[string]string)
	for _, kv := range append(box.Env(), "PWD="+box.Project()) {
		name, value, _ := strings.Cut(kv, "=")
		want[name] = value
	}
	got := make(map[string]string)
	for _, kv := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		name, value, _ := strings.Cut(kv, "=")
		got[name] = value
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("environment (-want +got)\n%s", d)
	}
}

func TestRunHandsBack(t *testing.T) {
	box := start(t, config(t))
	text := "[odd] fault git -stdin dark fail 9 'no light'\n[!odd] exec nothing\n! exec cli pipe darkness\nstderr 'no light'\n-- b --\n-- a/x --\n"
	res, err := script.Run(t.Context(), box, "handing", "hand.txtar", []byte(text), "one", "and two", "three")
	require.NoError(t, err)
	require.Equal(t, "a b one and two three", string(res.Record))
	require.Len(t, res.Faults, 1)
	require.Equal(t, "no light", res.Faults[0].Message)
}

func TestUnknownCondition(t *testing.T) {
	for role, why := range map[string]string{"script": "not a condition that is known here", "handing": "there is only odd"} {
		err := script.Play(t.Context(), start(t, config(t)), role, "c.txtar", []byte("[even] exec cli say a\n"))
		var e *script.Error
		require.ErrorAs(t, err, &e)
		require.Contains(t, e.Why, why)
		require.Equal(t, 1, e.Line)
	}
}

// A program that hangs is ended by testscript itself, which knows the line; one
// that only leaves its output open to another is what testscript waits for.
func TestPlayEndsByTheDeadline(t *testing.T) {
	for _, tt := range []struct {
		name, text, why string
		line            int
	}{
		{"a program hangs", "exec sleep 600\n", "it still ran when the script had taken 5s, its limit, and was ended", 1},
		{"a program hangs that a command of the role runs", "run sleep 600\n", "it still ran when the script had taken 5s, its limit, and was ended", 1},
		{"a daemon holds the output", "exec sh -c 'sleep 600 &'\n", "another one holds its standard output open", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			box := start(t, config(t))
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			err := script.Play(ctx, box, "handing", "slow.txtar", []byte(tt.text))
			var e *script.Error
			require.ErrorAs(t, err, &e)
			require.Contains(t, e.Why, tt.why)
			require.Equal(t, tt.line, e.Line)
		})
	}
}

// What a command prints is held in memory, so that there is an end to it. A
// command that may fail does not hide it.
func TestPlayEndsWhoPrintsTooMuch(t *testing.T) {
	for _, tt := range []struct{ name, text, why string }{
		{"standard output", "exec cli say a\nexec sh -c 'for i in 1 2 3 4 5 6; do cat mib mib mib mib; done'\n", "on standard output"},
		{"standard error", "exec cli say a\n! exec sh -c 'for i in 1 2 3 4 5 6; do cat mib mib mib mib >&2; done'\n", "on standard error"},
		{"in the background", "exec cli say a\nexec sh -c 'for i in 1 2 3 4 5 6; do cat mib mib mib mib; done' &\nwait\n", "on standard output"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := play(t, t.Context(), "much.txtar", tt.text+"-- mib --\n"+strings.Repeat("0123456789abcde\n", 1<<16))
			var e *script.Error
			require.ErrorAs(t, err, &e)
			require.Contains(t, e.Why, "more than 16 MiB "+tt.why)
			require.Equal(t, 2, e.Line)
			require.Less(t, len(e.Error()), 1000)
		})
	}
}

// The most that a command may print comes whole.
func TestPlayTakesTheMost(t *testing.T) {
	_, err := play(t, t.Context(), "most.txtar", `exec sh -c 'cat most'
cmp stdout most
-- most --
`+strings.Repeat("0123456789abcde\n", script.MaxOutput/16))
	require.NoError(t, err)
}

func TestPlayIsCancelled(t *testing.T) {
	box := start(t, config(t))
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(300*time.Millisecond, cancel)
	err := script.Play(ctx, box, "script", "slow.txtar", []byte("exec sleep 600\n"))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Play says %v, want %v", err, context.Canceled)
	}
}

func TestNoTmuxInTheBox(t *testing.T) {
	cfg := config(t)
	cfg.Tmux = false
	err := script.Play(t.Context(), start(t, cfg), "script", "s.txtar", []byte("screen x\n"))
	require.ErrorContains(t, err, "this box has no tmux: set tmux = true under [box]")
}
