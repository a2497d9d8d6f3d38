package git_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/freeze-contracts/permafrost/internal/stint/git"
	"github.com/stretchr/testify/require"
)

const marker = ".stint/project.json"

// Whether a file is tracked is what git says, and git is asked only where the
// index may hold the name.
func TestTracksAsGit(t *testing.T) {
	index := func(p place) string { return filepath.Join(p.main.Dir, ".git", "index") }
	for name, c := range map[string]struct {
		do     func(p place)
		linked bool
		path   string // marker if empty
		want   bool
		asked  bool
	}{
		"untracked":         {do: func(place) {}},
		"tracked":           {do: func(p place) { p.git(p.main, "add", marker) }, want: true, asked: true},
		"removed":           {do: func(p place) { p.git(p.main, "add", marker); p.git(p.main, "rm", "-q", "--cached", marker) }},
		"intent to add":     {do: func(p place) { p.git(p.main, "add", "-N", marker) }, want: true, asked: true},
		"below another":     {do: func(p place) { p.write(p.main, "a/"+marker, ""); p.git(p.main, "add", "a") }, asked: true},
		"in other letters":  {do: func(p place) { p.write(p.main, ".stint/PROJECT.json", ""); p.git(p.main, "add", ".stint/PROJECT.json") }},
		"no index":          {do: func(p place) { require.NoError(p.t, os.Remove(index(p))) }},
		"empty":             {do: func(p place) { p.git(p.main, "read-tree", "--empty") }},
		"version 4":         {do: func(p place) { p.git(p.main, "update-index", "--index-version", "4") }, asked: true},
		"tracked version 4": {do: func(p place) { p.git(p.main, "add", marker); p.git(p.main, "update-index", "--index-version", "4") }, want: true, asked: true},
		"split": {do: func(p place) {
			p.git(p.main, "add", marker)
			p.git(p.main, "update-index", "--split-index")
			p.write(p.main, "later", "")
			p.git(p.main, "add", "later")
		}, want: true, asked: true},
		"sparse": {do: func(p place) {
			p.git(p.main, "add", marker)
			p.git(p.main, "commit", "-qm", "marker")
			p.git(p.main, "sparse-checkout", "set", "--cone", "--sparse-index", "dir")
		}, want: true, asked: true},
		"conflicted": {do: func(p place) {
			for _, side := range []string{"ours", "theirs"} {
				p.git(p.main, "checkout", "-q", "-f", "-B", side, p.base)
				p.write(p.main, marker, side)
				p.git(p.main, "add", marker)
				p.git(p.main, "commit", "-qm", side)
			}
			_, err := p.main.Out(p.t.Context(), "merge", "-q", "ours")
			require.Error(p.t, err)
		}, want: true, asked: true},
		"folder is a repository": {do: func(p place) {
			in := p.main
			in.Dir = filepath.Join(p.main.Dir, ".stint")
			p.git(in, "init", "-q")
			p.git(in, "commit", "-q", "--allow-empty", "-m", "one")
			p.git(p.main, "-c", "advice.addEmbeddedRepo=false", "add", ".stint")
		}},
		"folder":         {do: func(place) {}, path: ".stint"},
		"tracked folder": {do: func(p place) { p.git(p.main, "add", marker) }, path: ".stint", want: true, asked: true},
		"no plain path":  {do: func(p place) { p.git(p.main, "add", marker) }, path: "./" + marker, want: true, asked: true},
		"the top":        {do: func(place) {}, path: ".", want: true, asked: true},
		"large": {do: func(p place) {
			var names strings.Builder
			for i := range 6000 {
				names.WriteString("100644 " + strings.Repeat("1", 40) + "\t" + strings.Repeat("x", 180) + strings.Repeat("y", i%60) + string(rune('a'+i/60%26)) + string(rune('a'+i/1560)) + "\n")
			}
			p.write(p.main, "names", names.String())
			p.git(p.main, "config", "alias.many", "!git update-index --index-info <names")
			p.git(p.main, "many")
		}, asked: true},
		"linked":         {do: func(place) {}, linked: true, asked: true},
		"tracked linked": {do: func(p place) { p.write(p.tree, marker, ""); p.git(p.tree, "add", marker) }, linked: true, want: true, asked: true},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.t = t
			p.write(p.main, marker, "{}")
			c.do(p)
			tree, path := p.main, marker
			if c.linked {
				tree = p.tree
			}
			if c.path != "" {
				path = c.path
			}
			require.Equal(t, c.want, p.git(tree, "ls-files", "-z", "--cached", "--", path) != "", "what git says")
			got, err := tree.Tracks(t.Context(), path)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
			t.Setenv("PATH", t.TempDir())
			_, err = tree.Tracks(t.Context(), path)
			require.Equal(t, c.asked, err != nil, "git is asked")
		})
	}
}

// An index that is not whole, or has names in another form, is git's to judge.
func TestTracksDamaged(t *testing.T) {
	p := newPlace(t)
	at := filepath.Join(p.main.Dir, ".git", "index")
	whole, err := os.ReadFile(at)
	require.NoError(t, err)
	t.Setenv("PATH", t.TempDir())
	for n := range whole {
		require.NoError(t, os.WriteFile(at, whole[:n], 0o600))
		if _, err := p.main.Tracks(t.Context(), marker); err == nil {
			t.Errorf("git is not asked of %d bytes of %d", n, len(whole))
		}
	}
	require.NoError(t, os.WriteFile(at, whole, 0o600))
	_, err = p.main.Tracks(t.Context(), marker)
	require.NoError(t, err)
}

// SHA-256 has a sum of its own at the end.
func TestTracksSHA256(t *testing.T) {
	p := newPlace(t)
	dir := filepath.Join(filepath.Dir(p.main.Dir), "other")
	p.git(p.main, "init", "-q", "--object-format=sha256", dir)
	tree := git.Tree{Dir: dir, Env: p.main.Env}
	p.write(tree, "a.txt", "")
	p.git(tree, "add", "a.txt")
	got, err := tree.Tracks(t.Context(), marker)
	require.NoError(t, err)
	require.False(t, got)
	t.Setenv("PATH", t.TempDir())
	_, err = tree.Tracks(t.Context(), marker)
	require.Error(t, err)
}

// An untracked file in a repository of a thousand, against git's own answer.
func BenchmarkTracks(b *testing.B) {
	tree := git.Tree{Dir: b.TempDir(), Env: append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "HOME="+b.TempDir())}
	require.NoError(b, tree.Do(b.Context(), "init", "-q"))
	for i := range 1000 {
		name := filepath.Join(tree.Dir, "file"+strings.Repeat("0", i%30)+strings.Repeat("1", i/30))
		require.NoError(b, os.WriteFile(name, nil, 0o600))
	}
	require.NoError(b, tree.Do(b.Context(), "add", "."))
	var ours, gits time.Duration
	for b.Loop() {
		began := time.Now()
		got, err := tree.Tracks(b.Context(), marker)
		ours += time.Since(began)
		require.NoError(b, err)
		require.False(b, got)
		began = time.Now()
		out, err := tree.Out(b.Context(), "ls-files", "-z", "--cached", "--", marker)
		gits += time.Since(began)
		require.NoError(b, err)
		require.Empty(b, out)
	}
	b.ReportMetric(float64(gits)/float64(ours), "git/ours")
}
