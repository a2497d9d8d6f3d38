package contracts_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
)

const state = "home/.local/state/jot"

// told is a test that hears what is said about it instead of failing.
type told struct {
	testing.TB
	said  []string
	attrs []string
}

func (t *told) Errorf(format string, args ...any) {
	t.said = append(t.said, fmt.Sprintf(format, args...))
}

// What skips has not failed.
func (t *told) Skip(...any)          {}
func (t *told) Skipf(string, ...any) {}
func (t *told) SkipNow()             {}

func (t *told) Attr(key, value string) { t.attrs = append(t.attrs, key+"="+value) }
func (t *told) Fatalf(format string, args ...any) {
	t.Errorf(format, args...)
	panic(errStopped)
}

var errStopped = errors.New("the test was stopped")

// one calls fn with one scenario of jot 1.0.0.
func one(t *testing.T, scenario string, fn func(t *testing.T, f *contracts.Fixture)) {
	t.Helper()
	played := false
	contracts.Each(t, "notes", func(t *testing.T, f *contracts.Fixture) {
		if f.Release == "v1.0.0" && f.Scenario == scenario {
			played = true
			fn(t, f)
		}
	})
	require.True(t, played)
}

func TestEqual(t *testing.T) {
	notes := []string{"buy milk"}
	tests := []struct {
		name, id  string
		got, want any
		opts      []cmp.Option
		said      string // a part of it; empty if it holds
	}{
		{name: "equal", id: "r1.a", got: []string{"buy milk"}, want: notes},
		{name: "nothing is wanted", id: "r1.a", got: []string(nil), want: []string(nil)},
		{name: "different", id: "r1.a", got: []string{"buy silk"}, want: notes, said: "r1.a: notes/v1.0.0/add (-want +got)"},
		{name: "of another type", id: "r1.a", got: "buy milk", want: notes, said: "(-want +got)"},
		{name: "with itself", id: "r1.a", got: notes, want: notes, said: "r1.a: the value is compared with itself"},
		{name: "of nothing", id: "r1.a", got: 1, want: 2, opts: []cmp.Option{cmp.Comparer(func(a, b int) bool { return true })}, said: "so nothing is compared"},
		{name: "under options", id: "r1.a", got: 1, want: 2, opts: []cmp.Option{cmp.Comparer(func(a, b int) bool { return (a == 0) == (b == 0) })}},
		{name: "without a row", id: "receipt", said: `assertion id "receipt"`},
		{name: "without what", id: "r1", said: `assertion id "r1"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			one(t, "add", func(t *testing.T, f *contracts.Fixture) {
				var held bool
				heard := &told{TB: t}
				func() {
					defer func() { _ = recover() }()
					held = f.Equal(heard, tt.id, tt.got, tt.want, tt.opts...)
				}()
				require.Equal(t, tt.said == "", held)
				require.Contains(t, strings.Join(heard.said, "\n"), tt.said)
				if strings.HasPrefix(tt.said, "r1.a: ") {
					require.Equal(t, []string{"freeze.assert=r1.a"}, heard.attrs)
				}
			})
		})
	}
}

func TestViewIsWhatTheReleaseSaid(t *testing.T) {
	one(t, "add", func(t *testing.T, f *contracts.Fixture) {
		th := f.Thaw(t)
		require.Equal(t, []string{"latest", "list", "nobody"}, f.Views())
		require.Equal(t, 1, f.View("nobody").Exit)
		require.Contains(t, string(f.View("latest").Stdout), `"project": "`+th.Path("project")+`"`)
	})
}

func TestThawedIsBound(t *testing.T) {
	one(t, "add", func(t *testing.T, f *contracts.Fixture) {
		dir := filepath.Join(t.TempDir(), "a place of its own")
		th := f.Thaw(t, contracts.Into(dir))
		require.Equal(t, dir, th.Dir)
		require.Equal(t, filepath.Join(dir, "home", ".local", "state", "jot", "config.toml"), th.Path(state+"/config.toml"))
		data, err := os.ReadFile(th.Path(state + "/config.toml"))
		require.NoError(t, err)
		require.Equal(t, "project = \""+dir+"/project\"\neditor = \"ask\"\n", string(data))
	})
}

// A key in a name is another one at another place.
func TestThawedPathsFollowNames(t *testing.T) {
	contracts.Each(t, "notes", func(t *testing.T, f *contracts.Fixture) {
		if f.Release != "v1.1.0" || f.Scenario != "add" {
			return
		}
		const frozen = state + "/projects/b1ee2b54c29d"
		th := f.Thaw(t)
		require.NotEqual(t, filepath.Join(th.Dir, frozen), th.Path(frozen))
		require.FileExists(t, th.Path(frozen+"/index"))
		require.Equal(t, th.Path(frozen)+"/not/there", th.Path(frozen+"/not/there"))
		_, err := fs.Stat(th.FS(t, frozen), "index")
		require.NoError(t, err)
	})
}

func TestUnchanged(t *testing.T) {
	file := func(th *contracts.Thawed) string { return th.Path(state + "/config.toml") }
	tests := []struct {
		name   string
		change func(th *contracts.Thawed) error
		except []string
		said   string
	}{
		{"nothing", func(*contracts.Thawed) error { return nil }, nil, ""},
		{"read", func(th *contracts.Thawed) error { _, err := os.ReadFile(file(th)); return err }, nil, ""},
		{"the same bytes again", func(th *contracts.Thawed) error {
			data, err := os.ReadFile(file(th))
			return errors.Join(err, os.WriteFile(file(th), data, 0o600), os.Chtimes(file(th), time.Time{}, time.Unix(1, 0)))
		}, nil, "config.toml"},
		{"a byte", func(th *contracts.Thawed) error { return os.WriteFile(file(th), []byte("x"), 0o600) }, nil, "config.toml"},
		{"a mode", func(th *contracts.Thawed) error { return os.Chmod(file(th), 0o640) }, nil, "config.toml"},
		{"a file more", func(th *contracts.Thawed) error { return os.WriteFile(th.Path("project/new"), nil, 0o600) }, nil, "project/new"},
		{"a folder more", func(th *contracts.Thawed) error { return os.Mkdir(th.Path("other"), 0o700) }, nil, "other"},
		{"a file less", func(th *contracts.Thawed) error { return os.Remove(file(th)) }, nil, "config.toml"},
		{"a link elsewhere", func(th *contracts.Thawed) error {
			return errors.Join(os.Remove(th.Path(state+"/latest")), os.Symlink("x", th.Path(state+"/latest")))
		}, nil, "latest"},
		{"a lock that stays", func(th *contracts.Thawed) error { return os.WriteFile(th.Path(state+"/lock"), nil, 0o600) }, []string{state + "/lock"}, ""},
		{"a lock that went", func(th *contracts.Thawed) error {
			return errors.Join(os.WriteFile(th.Path(state+"/lock"), nil, 0o600), os.Remove(th.Path(state+"/lock")))
		}, nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			one(t, "add", func(t *testing.T, f *contracts.Fixture) {
				th := f.Thaw(t)
				f.Equal(t, "r9.refused", "no", "no")
				require.NoError(t, tt.change(th))
				heard := &told{TB: t}
				require.Equal(t, tt.said == "", f.Unchanged(heard, tt.except...))
				require.Contains(t, strings.Join(heard.said, "\n"), tt.said)
				if tt.said != "" {
					require.Equal(t, []string{"freeze.assert=r9.refused.unchanged"}, heard.attrs)
					f.Settle(t)
					require.True(t, f.Unchanged(t), "after what was done became the state to keep")
				}
			})
		})
	}
}

func TestUnchangedWantsARefusal(t *testing.T) {
	one(t, "add", func(t *testing.T, f *contracts.Fixture) {
		f.Thaw(t)
		require.PanicsWithError(t, errStopped.Error(), func() { f.Unchanged(&told{TB: t}) })
	})
}

func TestCheckGit(t *testing.T) {
	const tree = "c03d9af70a64a48cbf3c91cdd7e34646e2e19df8"
	tests := []struct {
		name   string
		change func(th *contracts.Thawed) error
		want   map[string]string
		said   string
	}{
		{"whole", func(*contracts.Thawed) error { return nil }, map[string]string{"HEAD^{tree}": tree}, ""},
		{"another tree", func(*contracts.Thawed) error { return nil }, map[string]string{"HEAD^{tree}": strings.Repeat("0", 40)}, "-want +got"},
		{"no such revision", func(*contracts.Thawed) error { return nil }, map[string]string{"HEAD^{tree}": tree, "gone": tree}, "gone missing"},
		{"no tree wanted", func(*contracts.Thawed) error { return nil }, map[string]string{"HEAD": tree}, "no tree is wanted"},
		{"an object gone", func(th *contracts.Thawed) error { return os.RemoveAll(th.Path("project/.git/objects/c0")) }, map[string]string{"HEAD^{tree}": tree}, "git fsck"},
		{"no repository", func(th *contracts.Thawed) error { return os.RemoveAll(th.Path("project/.git")) }, map[string]string{"HEAD^{tree}": tree}, "git fsck"},
		{"the work tree moved", func(th *contracts.Thawed) error {
			return os.WriteFile(th.Path("project/.git/worktrees/draft/gitdir"), []byte("/elsewhere/.git\n"), 0o644)
		}, map[string]string{"HEAD^{tree}": tree}, "/elsewhere"},
		{"something left", func(th *contracts.Thawed) error { return os.WriteFile(th.Path("project/left"), nil, 0o644) }, map[string]string{"HEAD^{tree}": tree}, "?? left"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			one(t, "tree", func(t *testing.T, f *contracts.Fixture) {
				th := f.Thaw(t)
				require.NoError(t, tt.change(th))
				heard, held := &told{TB: t}, false
				func() {
					defer func() { _ = recover() }()
					held = f.CheckGit(heard, "r7.git", "project", contracts.Git{
						Revisions: tt.want,
						Reflog:    []string{"commit (initial): the first"},
						Worktrees: []string{th.Path("project"), th.Path(state + "/trees/draft")},
					})
				}()
				require.Equal(t, tt.said == "", held, "%q", heard.said)
				require.Contains(t, strings.Join(heard.said, "\n"), tt.said)
			})
		})
	}
}

// In the hostile place git is asked again for what follows from the place, and
// does not verify the objects, which are those of the other run.
func TestCheckGitInTheHostilePlace(t *testing.T) {
	for _, hostile := range []string{"", "1"} {
		t.Setenv(contracts.HostileEnv, hostile)
		one(t, "tree", func(t *testing.T, f *contracts.Fixture) {
			th := f.Thaw(t)
			want := contracts.Git{
				Revisions: map[string]string{"HEAD^{tree}": "c03d9af70a64a48cbf3c91cdd7e34646e2e19df8"},
				Reflog:    []string{"commit (initial): the first"},
				Worktrees: []string{th.Path("project"), th.Path(state + "/trees/draft")},
			}
			require.True(t, f.CheckGit(t, "r7.git", "project", want))
			object := th.Path("project/.git/objects/00/" + strings.Repeat("0", 38))
			require.NoError(t, os.MkdirAll(filepath.Dir(object), 0o755))
			require.NoError(t, os.WriteFile(object, []byte("no object"), 0o600))
			require.Equal(t, hostile != "", f.CheckGit(&told{TB: t}, "r7.git", "project", want))
			require.NoError(t, os.WriteFile(th.Path("project/left"), nil, 0o644))
			require.False(t, f.CheckGit(&told{TB: t}, "r7.git", "project", want))
		})
	}
}

func TestCheckSum(t *testing.T) {
	one(t, "add", func(t *testing.T, f *contracts.Fixture) {
		f.Thaw(t)
		// sha256sum of the text in the scenario's archive.
		const sum = "26558705d4f00fd54cc203fae10b644740b0e54e9aa8b9fea0164dde5f1b81f6"
		require.True(t, f.CheckSum(t, "r1.sum", "project/keep.txt", sum))
		require.False(t, f.CheckSum(&told{TB: t}, "r1.sum", "project/keep.txt", strings.Repeat("0", 64)))
	})
}

// A symlink leads to what it names, and nowhere out of the thawed folder.
func TestFSStaysInside(t *testing.T) {
	one(t, "add", func(t *testing.T, f *contracts.Fixture) {
		th := f.Thaw(t)
		require.NoError(t, os.Symlink("/etc/hostname", th.Path(state+"/out")))
		_, err := fs.ReadFile(th.FS(t, state), "out")
		require.Error(t, err)
		_, err = fs.ReadFile(th.FS(t, state), "../../../../project/keep.txt")
		require.ErrorIs(t, err, fs.ErrInvalid)
		sub, err := fs.Sub(th.FS(t, "."), "project")
		require.NoError(t, err)
		file, err := sub.Open("keep.txt")
		require.NoError(t, err)
		defer file.Close()
		data, err := io.ReadAll(file)
		require.NoError(t, err)
		require.Equal(t, "This file was here first, and stays.\n", string(data))
	})
}
