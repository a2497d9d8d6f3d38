package tree_test

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/tree"
)

// repo is a repository in a state that only its index holds: staged content
// that differs from the file, a conflict, flags, an intent to add.
type repo struct {
	t   *testing.T
	dir string
}

func newRepo(t *testing.T, args ...string) repo {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Fatal("git is needed: the index is checked against it")
	}
	r := repo{t, t.TempDir()}
	r.git(append([]string{"init", "-q", "-b", "main"}, args...)...)
	r.file("kept", "one\n")
	r.file("flagged", "one\n")
	r.file("sparse", "one\n")
	r.file("fought-over", "base\n")
	r.git("add", ".")
	r.git("commit", "-q", "-m", "base")
	r.git("checkout", "-q", "-b", "side")
	r.file("fought-over", "theirs\n")
	r.git("commit", "-q", "-a", "-m", "theirs")
	r.git("checkout", "-q", "main")
	r.file("fought-over", "ours\n")
	r.git("commit", "-q", "-a", "-m", "ours")
	r.fails("merge", "side")
	r.file("kept", "staged\n")
	r.git("add", "kept")
	r.file("kept", "on disk\n")
	r.file("meant", "later\n")
	r.git("add", "--intent-to-add", "meant")
	r.git("update-index", "--assume-unchanged", "flagged")
	r.git("update-index", "--skip-worktree", "sparse")
	return r
}

func (r repo) command(args ...string) *exec.Cmd {
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + r.dir, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org",
		"GIT_AUTHOR_DATE=@1700000000 +0000", "GIT_COMMITTER_DATE=@1700000000 +0000"}
	return cmd
}

func (r repo) git(args ...string) string {
	r.t.Helper()
	out, err := r.command(args...).CombinedOutput()
	require.NoError(r.t, err, "git %s: %s", strings.Join(args, " "), out)
	return string(out)
}

func (r repo) fails(args ...string) {
	r.t.Helper()
	require.Error(r.t, r.command(args...).Run(), "git %s", strings.Join(args, " "))
}

func (r repo) file(name, data string) {
	r.t.Helper()
	require.NoError(r.t, os.WriteFile(filepath.Join(r.dir, name), []byte(data), 0o644))
}

func (r repo) index() []byte {
	r.t.Helper()
	data, err := os.ReadFile(filepath.Join(r.dir, ".git/index"))
	require.NoError(r.t, err)
	return data
}

// state is everything that git itself says about what is in the index.
func (r repo) state() string {
	r.t.Helper()
	return r.git("ls-files", "--stage") + r.git("ls-files", "-v", "-t") + r.git("ls-files", "--unmerged") +
		r.git("ls-files", "--resolve-undo") + r.git("diff", "--cached") + r.git("status", "--porcelain=v2")
}

func settle(t *testing.T, data []byte) []byte {
	t.Helper()
	out, is, err := tree.SettleIndex(data)
	require.NoError(t, err)
	require.True(t, is, "not seen as an index")
	return out
}

func TestSettleIndexKeepsWhatGitSays(t *testing.T) {
	for _, tt := range []struct{ name, version, format string }{
		{"version 3", "3", "sha1"}, // 2 with intent-to-add is written as 3
		{"version 4", "4", "sha1"},
		{"sha256", "4", "sha256"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRepo(t, "--object-format="+tt.format)
			r.git("update-index", "--index-version", tt.version)
			want, before := r.state(), r.index()
			settled := settle(t, before)
			require.NotEqual(t, before, settled, "nothing was zeroed")
			require.NoError(t, os.WriteFile(filepath.Join(r.dir, ".git/index"), settled, 0o644))
			r.git("fsck", "--strict")
			// git exits 1 from a refresh where a conflict is left, as here.
			r.command("update-index", "-q", "--refresh").Run()
			if d := cmp.Diff(want, r.state()); d != "" {
				t.Errorf("state (-want +got):\n%s", d)
			}
		})
	}
}

func TestSettleIndexOfVersion2(t *testing.T) {
	r := repo{t, t.TempDir()}
	r.git("init", "-q")
	r.file("a", "a")
	r.git("add", "a")
	require.Equal(t, byte(2), r.index()[7])
	settled := settle(t, r.index())
	require.Equal(t, bytes.Repeat([]byte{0}, 24), settled[12:36])
	require.Equal(t, bytes.Repeat([]byte{0}, 12), settled[40:52])
	require.NoError(t, os.WriteFile(filepath.Join(r.dir, ".git/index"), settled, 0o644))
	require.Equal(t, "100644 2e65efe2a145dda7ee51d1741299f848e5bf752e 0\ta\n", r.git("ls-files", "-s"))
}

func TestSettleIndexIsEqualInTwoBoxes(t *testing.T) {
	a := newRepo(t)
	// The next whole second: git's stat words keep seconds and nanoseconds.
	for start := time.Now().Unix(); time.Now().Unix() == start; {
		time.Sleep(time.Millisecond)
	}
	b := newRepo(t)
	require.NotEqual(t, a.index(), b.index(), "the case shows nothing: the indexes are equal as they are")
	require.Equal(t, settle(t, a.index()), settle(t, b.index()))
}

func TestSettleIndexExtensions(t *testing.T) {
	plain := newRepo(t)
	want := settle(t, plain.index())
	require.Contains(t, string(want), "TREE")

	t.Run("dropped", func(t *testing.T) {
		r := newRepo(t)
		r.git("config", "index.recordEndOfIndexEntries", "true")
		r.git("config", "index.recordOffsetTable", "true")
		r.git("config", "index.threads", "2")
		r.git("update-index", "--force-untracked-cache")
		r.git("status")
		for _, sig := range []string{"UNTR", "EOIE", "IEOT"} {
			require.Contains(t, string(r.index()), sig)
		}
		if d := cmp.Diff(want, settle(t, r.index())); d != "" {
			t.Errorf("settled (-want +got):\n%s", d)
		}
	})
	t.Run("resolve-undo is kept", func(t *testing.T) {
		r := newRepo(t)
		r.file("fought-over", "both\n")
		r.git("add", "fought-over")
		require.Contains(t, string(settle(t, r.index())), "REUC")
	})
	t.Run("split", func(t *testing.T) {
		r := newRepo(t)
		r.git("update-index", "--split-index")
		_, is, err := tree.SettleIndex(r.index())
		require.True(t, is)
		require.EqualError(t, err, "git index: split in two files; set core.splitIndex=false in the box")
	})
	t.Run("unknown", func(t *testing.T) {
		body := append(want[:len(want)-sha1.Size:len(want)-sha1.Size], "XXXX\x00\x00\x00\x00"...)
		sum := sha1.Sum(body)
		_, _, err := tree.SettleIndex(append(body, sum[:]...))
		require.EqualError(t, err, `git index: unknown extension "XXXX"`)
	})
}

func TestSettleIndexKeepsAnEmptyTrailer(t *testing.T) {
	for _, tt := range []struct {
		format string
		size   int
	}{{"sha1", sha1.Size}, {"sha256", sha256.Size}} {
		t.Run(tt.format, func(t *testing.T) {
			data := newRepo(t, "--object-format="+tt.format).index()
			zero := make([]byte, tt.size)
			sealed := settle(t, data)
			want := append(bytes.Clone(sealed[:len(sealed)-tt.size]), zero...)
			copy(data[len(data)-tt.size:], zero)
			if d := cmp.Diff(want, settle(t, data)); d != "" {
				t.Errorf("settled (-want +got):\n%s", d)
			}
		})
	}
}

func TestSettleIndexRefuses(t *testing.T) {
	data := newRepo(t).index()
	sealed := func(body []byte) []byte {
		sum := sha1.Sum(body)
		return append(bytes.Clone(body), sum[:]...)
	}
	version := bytes.Clone(data[:len(data)-sha1.Size])
	version[7] = 5
	short := bytes.Clone(data[:40])
	flipped := bytes.Clone(data)
	flipped[70] ^= 1
	tests := []struct {
		name string
		data []byte
		is   bool
		want string
	}{
		{"text", []byte("DIRC is how an index begins, and this is none"), false, ""},
		{"another file", []byte("PACK\x00\x00\x00\x02 and so on, long enough"), false, ""},
		{"version 5", sealed(version), true, "git index: version 5, this build knows 2 to 4"},
		{"entry cut", sealed(short), true, "git index: ends in the middle of an entry or extension"},
		{"flipped bit", flipped, true, "git index: the trailer is no checksum of the rest: cut short, or written to at this moment"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, is, err := tree.SettleIndex(tt.data)
			require.Equal(t, tt.is, is)
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, tt.want)
		})
	}
}

func FuzzSettleIndex(f *testing.F) {
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x00"))
	f.Add([]byte("DIRC\x00\x00\x00\x04\x00\x00\x00\x01" + strings.Repeat("x", 80)))
	f.Fuzz(func(t *testing.T, body []byte) {
		sum := sha1.Sum(body)
		out, is, err := tree.SettleIndex(append(bytes.Clone(body), sum[:]...))
		if !is || err != nil {
			return
		}
		again, _, err := tree.SettleIndex(out)
		require.NoError(t, err)
		require.Equal(t, out, again, "settled twice")
	})
}
