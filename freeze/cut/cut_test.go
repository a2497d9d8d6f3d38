package cut_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/cut"
)

// demo is a program that a command obtains, with one scenario.
func demo(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	put(t, dir, "freeze.toml", `[subject]
name = "demo"
version_args = []

[provider]
kind = "command"
build = ["cp", "demo.sh", "{bin}/demo"]

[box]
tools = ["mkdir"]

[family.notes]
roots = ["{home}/.local/state/demo"]
`)
	put(t, dir, "demo.sh", `#!/bin/sh
state=$HOME/.local/state/demo
mkdir -p "$state" && printf '{"home":"%s","name":"%s"}\n' "$HOME" "$1" >"$state/note.json"
`)
	put(t, dir, "fixtures/scenarios/notes/save.txtar", "exec demo hello\n")
	return dir
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o755))
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	require.NoError(t, err)
	return string(text)
}

func open(t *testing.T, dir string) *cut.Project {
	t.Helper()
	p, err := cut.Open(filepath.Join(dir, "freeze.toml"), os.Environ(), filepath.Join(dir, "builds"))
	require.NoError(t, err)
	return p
}

// add cuts a version, or freezes it again.
func add(t *testing.T, p *cut.Project, version string) cut.ReleaseReport {
	t.Helper()
	report, err := p.Freeze(context.Background(), cut.Request{Versions: []string{version}, Add: true, Integrity: "sha1-abc"}, func(cut.Event) {})
	require.NoError(t, err)
	require.Len(t, report.Releases, 1)
	return report.Releases[0]
}

func ok(t *testing.T, r cut.ReleaseReport) cut.ReleaseReport {
	t.Helper()
	require.NoError(t, r.Err())
	return r
}

// Two freezes that began at once: the second keeps what the first has written.
func TestLedgerOfAnotherFreeze(t *testing.T) {
	dir := demo(t)
	first, second := open(t, dir), open(t, dir)
	ok(t, add(t, first, "v1.0.0"))
	ok(t, add(t, second, "v1.1.0"))
	var versions []string
	for _, r := range open(t, dir).Ledger.Releases {
		versions = append(versions, r.Version)
	}
	if diff := cmp.Diff([]string{"v1.0.0", "v1.1.0"}, versions); diff != "" {
		t.Errorf("the ledger after two freezes (-want +got):\n%s", diff)
	}
}

// Two freezes of one release that began at once: the second overwrites nothing.
func TestReleaseOfAnotherFreeze(t *testing.T) {
	dir := demo(t)
	first, second := open(t, dir), open(t, dir)
	late := make(chan cut.ReleaseReport)
	began := make(chan struct{})
	go func() {
		report, err := second.Freeze(context.Background(), cut.Request{Versions: []string{"v1.0.0"}, Add: true}, func(e cut.Event) {
			if e.Kind == cut.Began {
				<-began
			}
		})
		if err != nil {
			t.Error(err)
			report = &cut.Report{Releases: make([]cut.ReleaseReport, 1)}
		}
		late <- report.Releases[0]
	}()
	ok(t, add(t, first, "v1.0.0"))
	manifest := filepath.Join(dir, "fixtures", "notes", "v1.0.0", "bindings.json")
	before, err := os.ReadFile(manifest)
	require.NoError(t, err)
	close(began)
	r := <-late
	require.ErrorContains(t, r.Err(), "release v1.0.0: its fixtures or its ledger entry changed while it was frozen: another freeze wrote it meanwhile")
	after, err := os.ReadFile(manifest)
	require.NoError(t, err)
	require.Equal(t, string(before), string(after))
}

// What a program makes of the box's path is refused: each box of a cut sees what
// the other two do not.
func TestEachBoxIsNeeded(t *testing.T) {
	for _, tt := range []struct{ name, value, why string }{
		{"second", "${#HOME}", "a number that nothing declares"},
		{"third", `$(printf %s "$HOME" | sha512sum | cut -c 1-20)`, "derived from the path in a way that is not known"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := demo(t)
			put(t, dir, "freeze.toml", strings.Replace(read(t, dir, "freeze.toml"), `tools = ["mkdir"]`, `tools = ["mkdir", "sha512sum", "cut"]`, 1))
			put(t, dir, "demo.sh", strings.Replace(read(t, dir, "demo.sh"), `"$1" >`, `"`+tt.value+`" >`, 1))
			r := add(t, open(t, dir), "v1.0.0")
			if err := r.Err(); err == nil || !strings.Contains(err.Error(), tt.why) {
				t.Errorf("a cut without the %s box would not see it: got %v, want %q", tt.name, err, tt.why)
			}
		})
	}
}

// A derivation that is called off says by what, and not that it was killed.
func TestDeriveIsCalledOff(t *testing.T) {
	dir := demo(t)
	text, err := os.ReadFile(filepath.Join(dir, "freeze.toml"))
	require.NoError(t, err)
	put(t, dir, "freeze.toml", string(text)+`
[derive.slow]
command = ["sleep", "60"]
`)
	ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, errors.New("told to stop"))
	defer cancel()
	_, err = open(t, dir).Derive("v1.0.0")(ctx, "slow", nil)
	require.EqualError(t, err, `derivation slow, "sleep 60": told to stop, and said nothing`)
}

func TestPackageIsRecorded(t *testing.T) {
	dir := demo(t)
	ok(t, add(t, open(t, dir), "v1.0.0"))
	frozen, err := open(t, dir).Load("v1.0.0")
	require.NoError(t, err)
	p := frozen["notes"].Producer
	require.Equal(t, []string{"demo", "sha1-abc"}, []string{p.Package, p.Integrity})
}

// A declaration that holds nowhere is said at the cut.
func TestUselessDeclaration(t *testing.T) {
	dir := demo(t)
	text, err := os.ReadFile(filepath.Join(dir, "freeze.toml"))
	require.NoError(t, err)
	put(t, dir, "freeze.toml", string(text)+`
[[binding]]
family = "notes"
file = "**/nothing.json"
pointer = "/pid"
kind = "decimal"
`)
	program, err := os.ReadFile(filepath.Join(dir, "demo.sh"))
	require.NoError(t, err)
	want := []string{`freeze.toml declares "/pid" of "**/nothing.json" in family "notes" as decimal, and no release leaves anything there`}
	if diff := cmp.Diff(want, ok(t, add(t, open(t, dir), "v1.0.0")).Notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	put(t, dir, "demo.sh", `#!/bin/sh
state=$HOME/.local/state/demo
mkdir -p "$state" && printf '{"pid":%s}\n' $$ >"$state/nothing.json"
`)
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "builds")))
	require.Empty(t, ok(t, add(t, open(t, dir), "v1.1.0")).Notes)

	// A release that leaves nothing there is no reason for a note once another does.
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "builds")))
	put(t, dir, "demo.sh", string(program))
	require.Empty(t, ok(t, add(t, open(t, dir), "v1.2.0")).Notes)
}

// One digest stands for two stories where a command is in effect with tmux only.
func TestAnotherStory(t *testing.T) {
	if _, err := exec.LookPath("tmux"); err != nil && os.Getenv("PERMAFROST_CHECK") == "" {
		t.Skip("tmux is missing")
	}
	dir := demo(t)
	put(t, dir, "fixtures/scenarios/notes/save.txtar", `[!tmux] fault mkdir '-p' fail 1
[!tmux] ! exec demo fails
exec demo hello
[!tmux] witness $HOME/.local/state/demo/note.json /home $HOME
`)
	ok(t, add(t, open(t, dir), "v1.0.0"))
	require.Equal(t, cut.Identical, ok(t, add(t, open(t, dir), "v1.0.0")).Scenarios[0].Status)
	text, err := os.ReadFile(filepath.Join(dir, "freeze.toml"))
	require.NoError(t, err)
	put(t, dir, "freeze.toml", strings.Replace(string(text), "[box]", "[box]\ntmux = true", 1))
	r := add(t, open(t, dir), "v1.0.0")
	require.Equal(t, cut.Differs, r.Scenarios[0].Status)
	var why []string
	for _, d := range r.Scenarios[0].Differences {
		why = append(why, d.Why)
	}
	if diff := cmp.Diff([]string{"another fault than when the fixture was made", "another witness than when the fixture was made"}, why); diff != "" {
		t.Errorf("differences (-want +got):\n%s", diff)
	}
}
