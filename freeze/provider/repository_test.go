package provider_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freeze-contracts/permafrost/freeze/ledger"
	"github.com/freeze-contracts/permafrost/freeze/provider"
	"github.com/stretchr/testify/require"
)

func TestCommitRefused(t *testing.T) {
	s := newSubject(t)
	slip := flip(s.v1.Commit, 3)
	dangling := git(t, s.repo, "commit-tree", "-m", "dangling", "HEAD^{tree}")
	for _, tt := range []struct {
		name string
		r    ledger.Release
		want []string
	}{
		{"slip of the pen", ledger.Release{Version: "v0.9.0", Commit: slip},
			[]string{"commit " + slip + " is not in the history of \"" + s.repo + "\"; nearest to it: " + s.v1.Commit}},
		{"unknown with a tag", ledger.Release{Version: "v2.0.0", Commit: slip},
			[]string{"commit " + slip + " is not in the history of", "; the tag v2.0.0 is at " + s.v2.Commit}},
		{"nothing like it", ledger.Release{Version: "v0.9.0", Commit: strings.Repeat("0", 40)},
			[]string{"commit 0000000000000000000000000000000000000000 is not in the history of"}},
		{"a tree", ledger.Release{Version: "v0.9.0", Commit: git(t, s.repo, "rev-parse", "HEAD^{tree}")},
			[]string{"is not in the history of"}},
		{"the tag's own object", ledger.Release{Version: "v0.9.0", Commit: git(t, s.repo, "rev-parse", "v2.0.0")},
			[]string{"is not in the history of"}},
		{"dangling", ledger.Release{Version: "v0.9.0", Commit: dangling},
			[]string{"commit " + dangling + " is not in the history of", "neither HEAD nor a branch or tag leads to it"}},
		{"tag elsewhere", ledger.Release{Version: "v2.0.0", Commit: s.v1.Commit},
			[]string{"the ledger pins commit " + s.v1.Commit[:12] + ", and the tag v2.0.0 is at " + s.v2.Commit[:12] + ": one of them is wrong, mend the ledger or the tag"}},
		{"a package", ledger.Release{Version: "v2.0.0", Package: "p", Integrity: "i"},
			[]string{"the ledger pins a package, and the provider git needs a commit"}},
	} {
		t.Run(tt.name, func(t *testing.T) { s.refused(t, tt.r, tt.want...) })
	}
	require.Zero(t, s.builds(t))
}

func flip(commit string, i int) string {
	other := "0"
	if commit[i] == '0' {
		other = "1"
	}
	return commit[:i] + other + commit[i+1:]
}

func TestCommitOfAnotherBranch(t *testing.T) {
	s := newSubject(t)
	git(t, s.repo, "checkout", "-q", "-b", "maintenance", "v1.0.0")
	r := ledger.Release{Version: "v1.0.1", Commit: s.commit(t, map[string]string{"notes": "#!/bin/sh\necho notes 1.0.1\n"})}
	git(t, s.repo, "checkout", "-q", "main")
	require.Equal(t, "notes 1.0.1\n", programOf(t, s.obtain(t, r)))
}

func TestShallowClone(t *testing.T) {
	s := newSubject(t)
	git(t, s.dir, "clone", "-q", "--depth=1", "file://"+s.repo, "shallow")
	s.repo = filepath.Join(s.dir, "shallow")
	s.cfg.Dir = s.repo
	s.refused(t, s.v1, "commit "+s.v1.Commit+" is not in the history of", "which is a shallow clone: git fetch --unshallow brings the rest")

	_, err := s.provider(t).Resolve(t.Context(), "v1.0.0")
	require.ErrorContains(t, err, "git fetch --unshallow")

	git(t, s.repo, "fetch", "-q", "--unshallow", "--tags")
	require.Equal(t, "notes 1.0.0\n", programOf(t, s.obtain(t, s.v1)))
}

func TestNoRepository(t *testing.T) {
	s := newSubject(t)
	s.cfg.Dir = filepath.Join(s.dir, "home")
	s.refused(t, s.v1, "not a git repository")

	s.cfg.Provider.Repo = "../missing"
	_, err := provider.New(s.cfg, s.env(), s.cache(), &s.log)
	require.ErrorContains(t, err, `repository "`+filepath.Join(s.dir, "missing")+`" of provider.repo: stat `)

	// A folder inside of a repository is not that repository.
	require.NoError(t, os.Mkdir(filepath.Join(s.repo, "sub"), 0o755))
	s.cfg.Provider.Repo = filepath.Join(s.repo, "sub")
	s.refused(t, s.v1, "not a git repository")

	_, err = provider.New(s.cfg, []string{"PATH=/nonexistent"}, s.cache(), &s.log)
	require.ErrorContains(t, err, `program "git" is not on PATH`)
}

func TestResolve(t *testing.T) {
	s := newSubject(t)
	p := s.provider(t)
	for rev, want := range map[string]string{
		"HEAD": s.v2.Commit, "main": s.v2.Commit, "HEAD^": s.v1.Commit, "v2.0.0": s.v2.Commit, s.v1.Commit[:10]: s.v1.Commit,
	} {
		got, err := p.Resolve(t.Context(), rev)
		require.NoError(t, err, rev)
		require.Equal(t, want, got, rev)
	}
	for _, rev := range []string{"nothing", "", "--all", "-n1", "HEAD^{tree}", "HEAD:notes", "a b"} {
		_, err := p.Resolve(t.Context(), rev)
		require.ErrorContains(t, err, "names no commit of", rev)
	}
}

func TestTag(t *testing.T) {
	s := newSubject(t)
	p := s.provider(t)
	commit, ok, err := p.Tag(t.Context(), "v2.0.0")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, s.v2.Commit, commit, "the commit, not the object of an annotated tag")
	git(t, s.repo, "branch", "v3.0.0")
	_, ok, err = p.Tag(t.Context(), "v3.0.0")
	require.NoError(t, err)
	require.False(t, ok, "a branch is no tag")
}

// TestNotExported holds that what the export lacks is said, and again where it
// may be why a build fails.
func TestNotExported(t *testing.T) {
	s := newSubject(t)
	git(t, s.repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", s.repo, "lib/notes")
	r := ledger.Release{Version: "v3.0.0", Commit: s.commit(t, map[string]string{
		"big.bin": "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n",
	})}
	s.obtain(t, r)
	for _, want := range []string{
		`v3.0.0: "lib/notes" is a submodule, which is not exported`,
		`v3.0.0: "big.bin" is stored by Git LFS, only its pointer is exported`,
	} {
		require.Contains(t, s.log.String(), want)
	}
	s.cfg.Provider.Build = []string{"sh", "-c", "cat lib/notes/notes {bin}"}
	s.refused(t, r, `"lib/notes" is a submodule, which is not exported`, "No such file or directory")
}

func TestSHA256Repository(t *testing.T) {
	s := newSubjectAt(t, t.TempDir(), "--object-format=sha256")
	require.Len(t, s.v1.Commit, 64)
	require.Equal(t, "notes 1.0.0\n", programOf(t, s.obtain(t, s.v1)))
	l := &ledger.Ledger{Format: ledger.Format}
	require.NoError(t, l.Add(s.v1))
}

func TestTagOfNoCommit(t *testing.T) {
	s := newSubject(t)
	git(t, s.repo, "tag", "v1.1.0", "HEAD^{tree}")
	git(t, s.repo, "tag", "-a", "-m", "tree", "v1.2.0", "HEAD^{tree}")
	for _, version := range []string{"v1.1.0", "v1.2.0"} {
		_, _, err := s.provider(t).Tag(t.Context(), version)
		require.EqualError(t, err, "tag "+version+" of \""+s.repo+"\" names a tree, no commit: tag the commit of the release, or say --commit REV")
	}
	_, ok, err := s.provider(t).Tag(t.Context(), "v1.3.0")
	require.NoError(t, err)
	require.False(t, ok)
}
