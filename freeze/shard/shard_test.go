package shard_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/shard"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]shard.Shard{"0/1": {0, 1}, "0/8": {0, 8}, "7/8": {7, 8}} {
		got, err := shard.Parse(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got)
		require.Equal(t, text, got.String())
	}
	for _, text := range []string{"", "1", "8/8", "0/0", "-1/2", "1/-2", "+1/2", "a/b", "1/2/3", " 1/2", "0/8\n", "1 / 2", "9999999/99999999"} {
		_, err := shard.Parse(text)
		require.Error(t, err, text)
	}
}

func planned(n int) []string {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("v1.%d.0 notes/scenario-%d", i%5, i))
	}
	return names
}

// Each name is one shard's, whatever the order in which names are listed, and
// no shard has two more than another.
func TestTake(t *testing.T) {
	for _, of := range []int{0, 1, 2, 7, 40, 333} {
		for _, n := range []int{1, 2, 3, 8, 50} {
			names := planned(of)
			mixed := slices.Clone(names)
			rand.Shuffle(of, func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
			var all []string
			least, most := of, 0
			for i := range n {
				mine := shard.Shard{I: i, N: n}.Take(names)
				least, most = min(least, len(mine)), max(most, len(mine))
				require.ElementsMatch(t, mine, shard.Shard{I: i, N: n}.Take(mixed))
				all = append(all, mine...)
			}
			require.ElementsMatch(t, names, all)
			require.LessOrEqual(t, most-least, 1, "%d over %d", of, n)
		}
	}
	require.Equal(t, planned(3), shard.Shard{}.Take(planned(3)))
}

// The split is the same on every machine and in every release: parts of two
// builds would not fit otherwise.
func TestTakeIsFixed(t *testing.T) {
	want := [][]string{
		{"v1.1.0 notes/scenario-1", "v1.1.0 notes/scenario-6"},
		{"v1.4.0 notes/scenario-4", "v1.0.0 notes/scenario-5"},
		{"v1.0.0 notes/scenario-0", "v1.2.0 notes/scenario-2", "v1.3.0 notes/scenario-3"},
	}
	var got [][]string
	for i := range 3 {
		got = append(got, shard.Shard{I: i, N: 3}.Take(planned(7)))
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("Take (-want +got)\n%s", d)
	}
}

// A scenario more moves few of those that are there.
func TestTakeMovesFew(t *testing.T) {
	const of, n = 200, 8
	homes := func(names []string) map[string]int {
		home := make(map[string]int)
		for i := range n {
			for _, name := range (shard.Shard{I: i, N: n}).Take(names) {
				home[name] = i
			}
		}
		return home
	}
	names := planned(of)
	before := homes(names)
	worst := 0
	for i := range 10 {
		after := homes(append(slices.Clone(names), fmt.Sprintf("v1.0.0 notes/new-%d", i)))
		moved := 0
		for _, name := range names {
			if before[name] != after[name] {
				moved++
			}
		}
		worst = max(worst, moved)
	}
	t.Logf("one more of %d over %d moves %d at most", of, n, worst)
	require.Less(t, worst, of/n/2)
}

func part(i, n int) *shard.Part {
	return &shard.Part{
		File: fmt.Sprintf("%d.json", i), Command: "freeze", Asked: "--all=true", Shard: shard.Shard{I: i, N: n},
		State: shard.State{Commit: "c0", Files: "f0"}, Tools: map[string]string{"tmux": "3.5"},
		Plan: []string{"a", "b"}, Result: []byte(`{"x":[1]}`),
	}
}

func TestJoin(t *testing.T) {
	joined, err := shard.Join([]*shard.Part{part(2, 3), part(0, 3), part(1, 3)})
	require.NoError(t, err)
	for i, p := range joined {
		require.Equal(t, i, p.Shard.I)
	}
	// A tool that one part alone knows is that of the whole.
	alone := part(1, 2)
	alone.Tools = map[string]string{"git": "2.50"}
	_, err = shard.Join([]*shard.Part{part(0, 2), alone})
	require.NoError(t, err)
}

// What is no part of the run is named, and nothing is joined.
func TestJoinRefuses(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*shard.Part)
		want   string
	}{
		{"command", func(p *shard.Part) { p.Command = "read" }, "the parts are not of one run: the command of 0.json is freeze, that of 1.json read"},
		{"call", func(p *shard.Part) { p.Asked = "" }, "the call of 0.json is --all=true, that of 1.json none"},
		{"number", func(p *shard.Part) { p.Shard.N = 4 }, "the number of parts of 0.json is 3, that of 1.json 4"},
		{"commit", func(p *shard.Part) { p.State.Commit = "c1" }, "the commit of 0.json is c0, that of 1.json c1"},
		{"files", func(p *shard.Part) { p.State.Files = "f1" }, "the state of the files of 0.json is f0, that of 1.json f1"},
		{"plan", func(p *shard.Part) { p.Plan = []string{"a"} }, "the plan of 0.json is "},
		{"tool", func(p *shard.Part) { p.Tools["tmux"] = "3.4" }, "the tmux of 0.json is 3.5, that of 1.json 3.4"},
	} {
		parts := []*shard.Part{part(0, 3), part(1, 3), part(2, 3)}
		tt.change(parts[1])
		t.Run(tt.name, func(t *testing.T) {
			_, err := shard.Join(parts)
			require.ErrorContains(t, err, tt.want)
		})
	}
	t.Run("doubled", func(t *testing.T) {
		again := part(1, 3)
		again.File = "again.json"
		_, err := shard.Join([]*shard.Part{part(0, 3), part(1, 3), part(2, 3), again})
		require.EqualError(t, err, "part 1/3 is there twice: 1.json and again.json")
	})
	t.Run("missing", func(t *testing.T) {
		_, err := shard.Join([]*shard.Part{part(1, 4)})
		require.EqualError(t, err, "of 4 parts 1 are there; missing: 0/4, 2/4, 3/4")
	})
	_, err := shard.Join(nil)
	require.Error(t, err)
}

func TestHere(t *testing.T) {
	parts := []*shard.Part{part(0, 1)}
	require.NoError(t, shard.Here(parts, parts[0].State))
	require.EqualError(t, shard.Here(parts, shard.State{Commit: "c1", Files: "f0"}), "the parts are of commit c0, and here is c1")
	require.ErrorContains(t, shard.Here(parts, shard.State{Commit: "c0", Files: "f1"}), "the parts are of other files than those that are here")
}

func TestPart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "part.json")
	want := part(1, 2)
	want.File = file
	require.NoError(t, want.Write(file))
	require.NoError(t, want.Write(file), "a retry writes it anew")
	got, err := shard.Read(file)
	require.NoError(t, err)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("Read (-want +got)\n%s", d)
	}
	entries, err := os.ReadDir(filepath.Dir(file))
	require.NoError(t, err)
	require.Len(t, entries, 1)
	require.Error(t, want.Write(filepath.Join(filepath.Dir(file), "no", "part.json")))
}

// A byte that is changed, and a file that ends early, is found wherever it is.
func TestPartAltered(t *testing.T) {
	file := filepath.Join(t.TempDir(), "part.json")
	require.NoError(t, part(0, 2).Write(file))
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	for i := range len(whole) - 1 {
		require.NoError(t, os.WriteFile(file, whole[:i], 0o644))
		_, err := shard.Read(file)
		require.ErrorContains(t, err, "part "+file+": ", "cut at %d", i)
		flipped := slices.Clone(whole)
		flipped[i] ^= 1
		require.NoError(t, os.WriteFile(file, flipped, 0o644))
		_, err = shard.Read(file)
		require.ErrorContains(t, err, "part "+file+": ", "flipped at %d", i)
	}
}

func TestStateOf(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@t"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "git %q: %s", args, out)
	}
	state := func() shard.State {
		t.Helper()
		s, err := shard.StateOf(t.Context(), dir, os.Environ(), "*.go")
		require.NoError(t, err)
		return s
	}
	write("freeze.toml", "a")
	bare := state()
	require.Empty(t, bare.Commit)
	write("fixtures/scenarios/notes/add.txtar", "b")
	scenario := state()
	require.NotEqual(t, bare, scenario, "a scenario counts outside of a repository")

	git("init", "-q")
	require.Equal(t, scenario, state(), "the same files, of which none is tracked")
	git("add", "-A")
	git("commit", "-qm", "1")
	first := state()
	require.Len(t, first.Commit, 40)
	require.Equal(t, scenario.Files, first.Files)
	for name, same := range map[string]bool{
		"part-0.json": true, "fixtures/.staged/x": true, "main.go": false, "fixtures/scenarios/notes/new.txtar": false, "freeze.toml": false,
	} {
		was, _ := os.ReadFile(filepath.Join(dir, name))
		write(name, "changed")
		require.Equal(t, same, state() == first, name)
		if was != nil {
			write(name, string(was))
		} else {
			require.NoError(t, os.Remove(filepath.Join(dir, name)))
		}
	}
	require.Equal(t, first, state())
	require.NoError(t, os.Chmod(filepath.Join(dir, "freeze.toml"), 0o755))
	require.NotEqual(t, first, state(), "a mode")
	require.NoError(t, os.Remove(filepath.Join(dir, "freeze.toml")))
	require.NotEqual(t, first, state(), "a file that is gone")
}

// A repository in which git cannot tell anything is not the same as none.
func TestStateOfBrokenRepository(t *testing.T) {
	dir := t.TempDir()
	below := filepath.Join(dir, "below")
	require.NoError(t, os.Mkdir(below, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(below, "freeze.toml"), nil, 0o644))
	// A linked work tree that was copied without its repository.
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".git"), []byte("gitdir: "+filepath.Join(dir, "gone")+"\n"), 0o644))
	_, err := shard.StateOf(t.Context(), below, os.Environ())
	require.ErrorContains(t, err, "git rev-parse: fatal: not a git repository: "+filepath.Join(dir, "gone"))
}

// Whose the repository is does not matter, as it does not where a release is
// built: in a container it is often another user's.
func TestStateOfAnothersRepository(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give a repository away")
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "freeze.toml"), nil, 0o644))
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "1"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "git %q: %s", args, out)
	}
	mine, err := shard.StateOf(t.Context(), dir, os.Environ())
	require.NoError(t, err)
	for _, name := range []string{dir, filepath.Join(dir, ".git")} {
		require.NoError(t, os.Lchown(name, 65534, 65534))
	}
	theirs, err := shard.StateOf(t.Context(), dir, append(os.Environ(), "HOME="+t.TempDir()))
	require.NoError(t, err)
	require.Equal(t, mine, theirs)
}
