package scenario_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/freeze-contracts/permafrost/freeze/fixture"
	"github.com/freeze-contracts/permafrost/freeze/scenario"
	"github.com/freeze-contracts/permafrost/freeze/tree"
	"github.com/freeze-contracts/permafrost/sandbox"
	"github.com/freeze-contracts/permafrost/sandbox/script"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

var uuid = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// paths lists what was captured below top, ids replaced.
func paths(res *scenario.Result, top string) []string {
	var got []string
	for _, e := range res.Run.Entries {
		if strings.HasPrefix(e.Path, top) {
			got = append(got, string(e.Type)+" "+uuid.ReplaceAllString(e.Path, "ID"))
		}
	}
	return got
}

func entry(t testing.TB, res *scenario.Result, path string) tree.Entry {
	t.Helper()
	for _, e := range res.Run.Entries {
		if e.Path == path {
			return e
		}
	}
	t.Fatalf("no %s among\n%s", path, strings.Join(paths(res, ""), "\n"))
	return tree.Entry{}
}

// Every scenario of the subjects passes on every release it is for.
func TestSubjects(t *testing.T) {
	for name, program := range map[string]string{"shell": "sh", "python": "python3"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			need(t, program)
			s := makeSubject(t, name)
			for _, sc := range s.scenarios {
				for _, v := range versions {
					if sc.For(v) {
						t.Run(sc.Name+"/"+v, func(t *testing.T) {
							t.Parallel()
							run(t, s.spec(t, sc.Name, v))
						})
					}
				}
			}
		})
	}
}

func TestRunCapturesWhole(t *testing.T) {
	s := makeSubject(t, "shell")
	before := time.Now()
	spec := s.spec(t, "add", "v1.0.0")
	res := run(t, spec)
	want := []string{
		"dir home/.local/state/jot", "dir home/.local/state/jot/attic", "file home/.local/state/jot/config.toml",
		"dir home/.local/state/jot/entries", "file home/.local/state/jot/entries/ID.json", "file home/.local/state/jot/entries/ID.json",
		"file home/.local/state/jot/index", "symlink home/.local/state/jot/latest", "file home/.local/state/jot/log.jsonl",
		"dir home/.local/state/jot/trees",
		"dir project", "file project/keep.txt",
		"file view/latest/exit", "file view/latest/stdout", "file view/list/exit", "file view/list/stdout",
		"file view/nobody/exit", "file view/nobody/stdout",
	}
	if d := cmp.Diff(want, paths(res, "")); d != "" {
		t.Errorf("captured (-want +got)\n%s", d)
	}
	require.Equal(t, spec.Box.Root, res.Run.Root)
	require.True(t, res.Run.From.After(before) && res.Run.From.Before(res.Run.To) && res.Run.To.Before(time.Now()))
	require.Equal(t, "1\n", string(entry(t, res, "view/nobody/exit").Data))
	require.Equal(t, "0\n", string(entry(t, res, "view/list/exit").Data))
	require.Contains(t, string(entry(t, res, "view/list/stdout").Data), `"text": "buy milk"`)
	require.EqualValues(t, 0o600, entry(t, res, "home/.local/state/jot/config.toml").Mode)
	require.Contains(t, res.Views, fixture.View{Name: "latest", Command: []string{"jot", "show", "latest"}})
	require.Len(t, res.Witnesses, 4)
	require.Empty(t, res.Notes)
	require.Equal(t, "git version "+res.Run.Known["git"], strings.Join(strings.Fields(output(t, "git", "version"))[:3], " "))
	require.Equal(t, "tmux "+res.Run.Known["tmux"], strings.TrimSpace(output(t, "tmux", "-V")))
}

// Each fault is recorded with the process it happened to: the caller that was
// ended, or the program that failed.
func TestFaultsAreRecorded(t *testing.T) {
	s := makeSubject(t, "shell")
	killed := run(t, s.spec(t, "killed", "v1.0.0"))
	refused := run(t, s.spec(t, "refused", "v1.0.0"))
	got := append(killed.Faults, refused.Faults...)
	for i := range got {
		for j := range got[i].Fired {
			require.Positive(t, got[i].Fired[j].PID)
			got[i].Fired[j].PID = 0
		}
	}
	failed := fixture.Firing{Command: "git hash-object --stdin"}
	want := []fixture.FaultRecord{
		{Program: "git", Pattern: "worktree add", Action: "kill-caller-after", Count: 1,
			Fired: []fixture.Firing{{Command: "/bin/sh bin/jot tree lost", Signal: "SIGKILL"}}},
		{Program: "git", Stdin: true, Pattern: "never written", Action: "kill-caller", Count: 1,
			Fired: []fixture.Firing{{Command: "/bin/sh bin/jot add never written", Signal: "SIGKILL"}}},
		{Program: "git", Stdin: true, Pattern: "secret", Action: "fail", Count: 2, Fired: []fixture.Firing{failed, failed}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("faults (-want +got)\n%s", d)
	}
	require.Contains(t, paths(killed, "home"), "file home/.local/state/jot/trees/lost/note.md")
	require.NotContains(t, paths(killed, "home"), "file home/.local/state/jot/trees/lost.json")
}

func TestKeep(t *testing.T) {
	s := makeSubject(t, "shell")
	res := run(t, s.spec(t, "upgrade", "v1.1.0"))
	before, after := entry(t, res, "keep/before.jsonl"), entry(t, res, "home/.local/state/jot/log.jsonl")
	require.True(t, strings.HasPrefix(string(after.Data), string(before.Data)))
	require.Greater(t, len(after.Data), len(before.Data))

	res = run(t, s.text(t, "v1.0.0", "exec jot init\nmkdir $HOME/a/b\ncp x $HOME/a/b/x\nchmod 600 $HOME/a/b/x\nkeep $HOME/a\nkeep $HOME/a as then\nrm $HOME/a/b/x\nexec jot add one\n-- x --\nX\n"))
	want := []string{"dir home/a", "dir home/a/b"}
	if d := cmp.Diff(want, paths(res, "home/a")); d != "" {
		t.Errorf("kept in the end (-want +got)\n%s", d)
	}
	want = []string{"dir keep/then", "dir keep/then/b", "file keep/then/b/x"}
	if d := cmp.Diff(want, paths(res, "keep")); d != "" {
		t.Errorf("kept then (-want +got)\n%s", d)
	}
	x := entry(t, res, "keep/then/b/x")
	require.EqualValues(t, 0o600, x.Mode)
	require.Equal(t, "X\n", string(x.Data))
	require.Positive(t, x.Born)
}

func TestUse(t *testing.T) {
	s := makeSubject(t, "shell")
	res := run(t, s.text(t, "v1.1.0", "view a jot --version\nuse v1.0.0\nview b jot --version\nuse this\nview c jot --version\nexec jot init\n"))
	for name, want := range map[string]string{"a": "jot 1.1.0\n", "b": "jot 1.0.0\n", "c": "jot 1.1.0\n"} {
		if d := cmp.Diff(want, string(entry(t, res, "view/"+name+"/stdout").Data)); d != "" {
			t.Errorf("view %s (-want +got)\n%s", name, d)
		}
	}
}

func TestConditions(t *testing.T) {
	s := makeSubject(t, "shell")
	const text = "exec jot init\n[release>=v1.1.0] view new jot --version\n[!release>=v1.1.0] view old jot --version\n[tmux] view mux jot --version\n[release=v1.0.0] [!tmux] exec jot nonsense\n"
	for version, want := range map[string][]string{
		"v1.0.0": {"file view/mux/exit", "file view/mux/stdout", "file view/old/exit", "file view/old/stdout"},
		"v1.1.0": {"file view/mux/exit", "file view/mux/stdout", "file view/new/exit", "file view/new/stdout"},
	} {
		if d := cmp.Diff(want, paths(run(t, s.text(t, version, text)), "view")); d != "" {
			t.Errorf("%s (-want +got)\n%s", version, d)
		}
	}
}

func TestRunFails(t *testing.T) {
	s := makeSubject(t, "shell")
	for _, tt := range []struct{ name, version, text, want string }{
		{"no effect", "v1.0.0", "exec jot list\n", "has no effect: nothing changed below home/.local/state/jot, project"},
		{"only the archive", "v1.0.0", "exec jot list\n-- a --\nx\n", "has no effect"},
		{"written elsewhere only", "v1.0.0", "mkdir $HOME/else\n", "has no effect"},
		{"a command", "v1.0.0", "exec jot init\nexec jot show none\n", `one.txtar:2: exec jot show none: unexpected command failure`},
		{"what it printed", "v1.0.0", "exec jot init\nexec jot show none\n", `jot: no note "none"`},
		{"the screen", "v1.0.0", "exec jot init\nexec jot open\nscreen jot -wait note\nexec jot show none\n", "[screen of jot:0.0]\nnote?"},
		{"a fault", "v1.0.0", "exec jot init\nfault git worktree kill-caller\n", "one.txtar:2: fault git worktree kill-caller: the fault fired 0 times, declared were once"},
		{"a witness", "v1.0.0", "exec jot init\n[release>v1.0.0] witness a -absent\nwitness $HOME/.local/state/jot/config.toml /editor vi\n", "one.txtar:3: witness $HOME/.local/state/jot/config.toml /editor vi: "},
		{"a witness of what is outside", "v1.0.0", "witness /etc/passwd root\n", `"/etc/passwd" is outside of home and project`},
		{"a witness that is none", "v1.0.0", "witness a\n", "one.txtar:1: witness a: witness: want FILE"},
		{"a view that fails", "v1.0.0", "view v jot show none\n", "one.txtar:1: view v jot show none: view v: unexpected failure: exit status 1"},
		{"a view that does not fail", "v1.0.0", "! view v jot list\n", "view v: unexpected success"},
		{"a view of nothing", "v1.0.0", "view v jq\n", `program "jq" is not in the box: name it in tools under [box]`},
		{"a view killed", "v1.0.0", "! view v sh -c 'kill -9 $$'\n", "view v: signal: killed"},
		{"a view twice", "v1.0.0", "view v jot list\nview v jot list\n", "one.txtar:2: view v jot list: view/v is there already"},
		{"a view under an odd name", "v1.0.0", "view ../v jot list\n", `"../v" is not a name`},
		{"keep of what is not there", "v1.0.0", "keep a\n", "one.txtar:1: keep a: a is not there"},
		{"keep of what is outside", "v1.0.0", "keep $HOME/../bin\n", "is outside of home and project"},
		{"keep twice as the same", "v1.0.0", "keep a as x\nkeep a as x\n-- a --\n", "one.txtar:2: keep a as x: keep/x is there already"},
		{"use of a newer release", "v1.0.0", "exec jot init\nuse v1.1.0\n", "one.txtar:2: use v1.1.0: is newer than v1.0.0, which is being frozen"},
		{"use of what is not built", "v1.1.0", "use v0.9.0\n", "no build of v0.9.0"},
		{"another release's scenario", "v1.0.0", "# since: v1.1.0\nexec jot init\n", `is not for v1.0.0 (since "v1.1.0", until "")`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := runFails(t, t.Context(), s.text(t, tt.version, tt.text))
			require.ErrorContains(t, err, tt.want)
		})
	}
}

func TestRunEndsByItsLimit(t *testing.T) {
	s := makeSubject(t, "hostile")
	spec := s.text(t, "v1.0.0", "exec pest clings\n")
	spec.Limit = 3 * time.Second
	start := time.Now()
	err := runFails(t, t.Context(), spec)
	var e *script.Error
	require.ErrorAs(t, err, &e)
	require.Contains(t, e.Why, "holds its standard output open")
	require.Less(t, time.Since(start), 30*time.Second)
}

// Where scenarios and builds lie is the user's choice.
func TestRunFromOddPlaces(t *testing.T) {
	s := makeSubject(t, "shell")
	odd := filepath.Join(t.TempDir(), "it's a\t#1 $HOME [x]")
	require.NoError(t, os.CopyFS(filepath.Join(odd, "bin"), os.DirFS(s.builds["v1.0.0"])))
	require.NoError(t, os.CopyFS(filepath.Join(odd, "scenarios", "notes"), os.DirFS(filepath.Dir(s.scenarios["add"].File))))
	all, err := scenario.Load(filepath.Join(odd, "scenarios"))
	require.NoError(t, err)
	spec := s.spec(t, "add", "v1.0.0")
	spec.Scenario, spec.Builds = all[0], map[string]string{"v1.0.0": filepath.Join(odd, "bin")}
	require.Equal(t, "add", all[0].Name)
	require.Contains(t, paths(run(t, spec), "project"), "file project/keep.txt")
}

func TestRunIsCancelled(t *testing.T) {
	s := makeSubject(t, "shell")
	spec := s.text(t, "v1.0.0", "exec jot init\nexec jot open\nscreen jot -wait never\n")
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(time.Second, cancel)
	require.ErrorIs(t, runFails(t, ctx, spec), context.Canceled)
}

// Code that is not released yet is newer than every release.
func TestRunHead(t *testing.T) {
	s := makeSubject(t, "shell")
	s.builds = map[string]string{scenario.Head: s.builds["v1.1.0"], "v1.0.0": s.builds["v1.0.0"]}
	res := run(t, s.text(t, scenario.Head, "use v1.0.0\nexec jot init\nuse this\n[release>v9.0.0] view v jot --version\n"))
	require.Equal(t, "jot 1.1.0\n", string(entry(t, res, "view/v/stdout").Data))
}

// A box that cannot be proved empty is kept, and the run says so.
func TestHeldBoxIsPassedOn(t *testing.T) {
	s := makeSubject(t, "shell")
	spec := s.text(t, "v1.0.0", "exec jot init\nexec sh -c 'while [ ! -e go ]; do sleep 0.05; done'\n")
	spec.Box.Tools = append(spec.Box.Tools, "sleep")
	spec.Box.Patience = time.Second
	holder := hold(t, spec.Box.Root)
	_, err := scenario.Run(t.Context(), spec)
	var held *sandbox.HeldError
	require.ErrorAs(t, err, &held)
	require.DirExists(t, filepath.Join(spec.Box.Root, "home"))
	require.Contains(t, held.Error(), spec.Box.Root)
	// The supervisor tries again when this process has ended, and removes it.
	holder()
}

func TestTwoAtOnce(t *testing.T) {
	s := makeSubject(t, "shell")
	specs := []scenario.Spec{s.spec(t, "open", "v1.0.0"), s.spec(t, "open", "v1.1.0")}
	results := make([]*scenario.Result, len(specs))
	var wg sync.WaitGroup
	for i, spec := range specs {
		wg.Go(func() {
			if res, err := scenario.Run(t.Context(), spec); err != nil {
				t.Error(err)
			} else {
				results[i] = res
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		return
	}
	for i, want := range []string{`"created_unix"`, `"format": 2`} {
		require.Contains(t, string(entry(t, results[i], "view/list/stdout").Data), want)
		require.Contains(t, string(entry(t, results[i], "view/list/stdout").Data), `"text": "from the keyboard;"`)
	}
	for _, spec := range specs {
		_, err := os.Stat(spec.Box.Root)
		require.ErrorIs(t, err, os.ErrNotExist)
	}
}
