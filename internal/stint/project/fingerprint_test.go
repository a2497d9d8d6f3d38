package project_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freeze-contracts/permafrost/internal/stint/git"
	"github.com/freeze-contracts/permafrost/internal/stint/project"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// desk is a repository whose files have changes of each kind, and a submodule
// with some of its own.
type desk struct {
	*testing.T
	top string
	env []string
}

func newDesk(t *testing.T) desk {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	d := desk{t, filepath.Join(top, "repo"), append(os.Environ(), "HOME="+top, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.test", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.test")}
	require.NoError(t, os.Mkdir(d.top, 0o700))
	d.sh(`
		git init -q -b main
		echo one >changed; echo one >staged; echo one >gone; echo one >same; echo '*.log' >.gitignore
		git init -q sub; cd sub; echo one >inner; git add .; git commit -qm inner; cd ..
		git -c advice.addEmbeddedRepo=false add .; git commit -qm one
		echo two >changed; echo two >staged; git add staged; rm gone
		echo new >new; ln -s new link; echo two >sub/inner
	`)
	return d
}

func (d desk) sh(script string) string {
	d.Helper()
	cmd := exec.Command("sh", "-c", "set -e\n"+script)
	cmd.Dir, cmd.Env = d.top, d.env
	out, err := cmd.CombinedOutput()
	require.NoError(d, err, "%s\n%s", script, out)
	return strings.TrimSpace(string(out))
}

func (d desk) project() *project.Project {
	return &project.Project{Tree: git.Tree{Dir: d.top, Env: d.env}}
}

// both are the fingerprints of the repository in each version.
func (d desk) both() [2]string {
	d.Helper()
	var prints [2]string
	for i, version := range []string{"v1", "v2"} {
		var err error
		prints[i], err = d.project().Fingerprint(d.Context(), version)
		require.NoError(d, err)
		require.Regexp(d, "^"+version+":[0-9a-f]{64}$", prints[i])
	}
	return prints
}

func TestFingerprintSees(t *testing.T) {
	for _, test := range []struct {
		name, change string
		v1, v2       bool // it is another one then
	}{
		{"nothing", "true", false, false},
		{"a look at it", "git status >/dev/null; git diff >/dev/null", false, false},
		{"times of files", "touch -d 2001-01-01 changed new same", false, false},
		{"an ignored file", "echo x >x.log", false, false},
		{"a tag", "git tag one", false, false},
		{"a commit", "git commit -q --allow-empty -m two", true, true},
		{"an unchanged file changes", "echo two >same", true, true},
		{"an untracked file comes", "echo x >x", true, true},
		{"an untracked file goes", "rm new", true, true},
		{"a changed file changes again", "echo three >changed", false, true},
		{"a staged file is staged again", "echo three >staged; git add staged", false, true},
		{"an untracked file changes", "echo newer >new", false, true},
		{"an untracked file is to be run", "chmod +x new", false, true},
		{"a changed file is to be run", "chmod +x changed", false, true},
		{"a changed file can be written by others", "chmod o+w changed", false, false},
		{"an untracked symlink leads elsewhere", "ln -sf same link", false, true},
		{"an untracked symlink is a file of what it says", "rm link; printf new >link", false, true},
		{"two untracked files in each other's place", "echo other >other; mv new third; mv other new; mv third other", true, true},
		{"a changed submodule changes again", "echo three >sub/inner", false, true},
		{"a changed submodule has a commit", "git -C sub commit -qam two", false, true},
		{"a file is deleted in the index only", "git rm -q --cached same", true, true},
		{"a folder is a symlink that leads out", "mkdir ../out; mv new ../out/changed; rm changed; ln -s ../out changed", true, true},
		{"a changed submodule is a folder", "rm -rf sub/.git", true, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			before := d.both()
			d.sh(test.change)
			after := d.both()
			want, got := [2]bool{test.v1, test.v2}, [2]bool{before[0] != after[0], before[1] != after[1]}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("changed fingerprints, v1 and v2 (-want +got)\n%s", diff)
			}
		})
	}
}

// A repository that git was not told of may be anybody's, and its configuration
// may name programs.
func TestFingerprintRunsNothingOfAnUntrackedRepository(t *testing.T) {
	d := newDesk(t)
	d.sh(`
		git init -q strange; cd strange; echo '* filter=x' >.gitattributes; echo one >file; git add .; git commit -qm one
		git config filter.x.clean 'touch ../ran; cat'; echo two >file
	`)
	d.both()
	require.NoFileExists(t, filepath.Join(d.top, "ran"))
	d.sh("cd strange; git status >/dev/null")
	require.FileExists(t, filepath.Join(d.top, "ran"), "what was not to run can")
}

// A repository that was moved is in the same state, and v1 is of its path.
func TestFingerprintOfMovedRepository(t *testing.T) {
	d := newDesk(t)
	before := d.both()
	to := filepath.Join(filepath.Dir(d.top), "elsewhere")
	require.NoError(t, os.Rename(d.top, to))
	d.top = to
	after := d.both()
	require.NotEqual(t, before[0], after[0])
	require.Equal(t, before[1], after[1])
}

// The bytes are those that the manual names.
func TestFingerprintIsAsDescribed(t *testing.T) {
	d := newDesk(t)
	sum := func(s string) string {
		b := sha256.Sum256([]byte(s))
		return hex.EncodeToString(b[:])
	}
	sub := sum(d.sh("git -C sub rev-parse HEAD") + "\x00" + " M inner\x00\x00" + "100644 " + sum("two\n") + "\x00")
	head := d.sh("git rev-parse HEAD")
	status := " M changed\x00 D gone\x00M  staged\x00 M sub\x00?? link\x00?? new\x00"
	content := strings.Join([]string{"100644 " + sum("two\n"), "000000", "100644 " + sum("two\n"), "160000 " + sub, "120000 " + sum("new"), "100644 " + sum("new\n")}, "\x00") + "\x00"
	want := [2]string{"v1:" + sum(d.top+"\x00"+head+"\x00"+status), "v2:" + sum(head+"\x00"+status+"\x00"+content)}
	if diff := cmp.Diff(want, d.both()); diff != "" {
		t.Errorf("Fingerprint (-want +got)\n%s", diff)
	}
}

func TestFingerprintIsNotKnown(t *testing.T) {
	for _, test := range []struct {
		name, change, version, want string
	}{
		{"version of another release", "true", "v3", `fingerprint version "v3" is not known`},
		{"no version", "true", "", `fingerprint version "" is not known`},
		{"more content than is read", "truncate -s 300M new", "v2", "more than 268435456 bytes"},
		{"more in a submodule", "truncate -s 200M new; truncate -s 200M sub/inner", "v2", "more than 268435456 bytes"},
		{"no file", "rm changed; mkfifo changed", "v2", "neither a file"},
		{"no repository", "rm -rf .git", "v2", "git"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.sh(test.change)
			got, err := d.project().Fingerprint(t.Context(), test.version)
			require.ErrorContains(t, err, test.want)
			require.Empty(t, got)
		})
	}
}

// A symlink in the place of a folder leads to files that are not the work tree's.
func TestFingerprintFollowsNoSymlink(t *testing.T) {
	d := newDesk(t)
	d.sh("mkdir in ../out; echo one >in/file; git add in; git commit -qm two; mv in/file ../out; rmdir in; ln -s ../out in")
	before := d.both()
	d.sh("echo two >../out/file")
	require.Equal(t, before, d.both())
}

// What cannot be read has a fingerprint by its status still, so that a session
// is opened beside it.
func TestNewFingerprint(t *testing.T) {
	for _, test := range []struct{ name, change, want string }{
		{"all can be read", "true", "v2"},
		{"one file has more than is read", "truncate -s 300M new", "v1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := newDesk(t)
			d.sh(test.change)
			got, err := d.project().NewFingerprint(t.Context())
			require.NoError(t, err)
			version, _, _ := strings.Cut(got, ":")
			require.Equal(t, test.want, version)
		})
	}
	d := newDesk(t)
	d.sh("rm -rf .git")
	_, err := d.project().NewFingerprint(t.Context())
	require.Error(t, err)
}

// What git saw and is gone a moment later is gone, and no failure.
func TestFingerprintWhileFilesGo(t *testing.T) {
	d := newDesk(t)
	want := d.both()[1]
	real, err := exec.LookPath("git")
	require.NoError(t, err)
	bin := t.TempDir()
	script := "#!/bin/sh\n" + real + ` "$@"; code=$?; case "$*" in *status*) rm -f "` + d.top + `/new" "` + d.top + `/link";; esac; exit $code` + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o755))
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	got, err := d.project().Fingerprint(t.Context(), "v2")
	require.NoError(t, err)
	require.NotEqual(t, want, got)
}
