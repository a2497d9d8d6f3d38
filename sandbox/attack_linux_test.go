package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/freeze-contracts/permafrost/sandbox"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// spoiled starts a box that a test leaves in a state that cannot be removed.
func spoiled(t *testing.T) *sandbox.Box {
	t.Helper()
	b, err := sandbox.Start(t.Context(), sandbox.Config{Root: hiddenRoot(), Tools: append([]string{"mv", "ln", "mkfifo"}, tools...), Patience: time.Second})
	require.NoError(t, err)
	t.Cleanup(func() {
		if pids := running(t, b.Root()+"/self/supervisor"); len(pids) == 1 {
			kill(t, pids[0])
		}
		require.NoError(t, os.RemoveAll(b.Root()))
		require.NoError(t, os.RemoveAll(b.Root()+".moved"))
	})
	return b
}

// within fails a test whose step takes longer.
func within(t *testing.T, limit time.Duration, step func() error) (err error) {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- step() }()
	select {
	case err = <-done:
	case <-time.After(limit):
		t.Fatalf("it did not end within %v", limit)
	}
	return err
}

// What is put in the place of the box's folder is not the box: nothing in it is
// removed or written.
func TestRootReplaced(t *testing.T) {
	t.Parallel()
	for name, put := range map[string]string{
		"a link":  `ln -s "$VICTIM" "$B"`,
		"nothing": `:`,
		"folder":  `mkdir "$B"; touch "$B/own"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, victim := spoiled(t), t.TempDir()
			require.NoError(t, os.WriteFile(victim+"/precious", []byte("kept"), 0o600))
			sh(t, b, `cd /; B=$PERMAFROST_BOX; VICTIM=`+victim+`; `+
				`"$B/bin/mv" "$B" "$B.moved"; PATH=$B.moved/bin; `+put)
			want := b.Root() + `" is no longer the folder`
			_, err := b.Run(t.Context(), sandbox.Cmd{Role: "greeter"})
			require.ErrorContains(t, err, want)
			require.ErrorContains(t, b.Install(t.TempDir()), want)
			require.ErrorContains(t, b.Close(), want)
			require.ErrorContains(t, b.Close(), b.Root()+".moved")
			names, err := os.ReadDir(victim)
			require.NoError(t, err)
			require.Len(t, names, 1)
			require.DirExists(t, b.Root()+".moved/project")
			if name == "folder" {
				require.FileExists(t, b.Root()+"/own")
			}
		})
	}
}

// Nothing at the names that the record is written under is followed or waited
// for.
func TestRecordPlanted(t *testing.T) {
	t.Parallel()
	for name, plant := range map[string]string{
		"link":          `ln -s "$VICTIM/precious" "$B/box.json.new"`,
		"fifo":          `mkfifo "$B/box.json.new"`,
		"folder":        `mkdir -p "$B/box.json.new/deep"`,
		"record link":   `rm "$B/box.json"; ln -s "$VICTIM/precious" "$B/box.json"`,
		"record fifo":   `rm "$B/box.json"; mkfifo "$B/box.json"`,
		"record folder": `rm "$B/box.json"; mkdir -p "$B/box.json/deep"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, victim := spoiled(t), t.TempDir()
			require.NoError(t, os.WriteFile(victim+"/precious", []byte("kept"), 0o600))
			sh(t, b, `B=$PERMAFROST_BOX; VICTIM=`+victim+`; `+plant)
			require.NoError(t, within(t, 20*time.Second, b.Close))
			require.NoDirExists(t, b.Root())
			kept, err := os.ReadFile(victim + "/precious")
			require.NoError(t, err)
			require.Equal(t, "kept", string(kept))
		})
	}
}

// A box that cannot be looked at hides no other box and keeps nobody waiting.
func TestRecordOddities(t *testing.T) {
	t.Parallel()
	for name, plant := range map[string]func(string) error{
		"fifo":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"device": func(path string) error { return os.Symlink("/dev/zero", path) },
		"no lease": func(path string) error {
			root := filepath.Dir(path)
			text := fmt.Sprintf(`{"format":1,"root":%q,"uid":%d,"started":"2020-01-01T00:00:00Z","supervisor":{"pid":1,"start":1}}`, root, os.Getuid())
			return errors.Join(os.WriteFile(path, []byte(text), 0o600), os.Mkdir(root+"/lease", 0o700))
		},
		"huge": func(path string) error {
			if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
				return err
			}
			return os.Truncate(path, 1<<40)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := sandbox.FreshRoot(8)
			require.NoError(t, os.Mkdir(root, 0o700))
			t.Cleanup(func() { os.RemoveAll(root) })
			require.NoError(t, plant(root+"/box.json"))
			require.NoError(t, within(t, 10*time.Second, func() error {
				_, err := sandbox.Boxes()
				return err
			}))
			require.Error(t, within(t, 10*time.Second, func() error { return sandbox.Reap(t.Context(), sandbox.Found{Root: root}) }))
			require.DirExists(t, root)
		})
	}
}

// A lock that was replaced proves nothing.
func TestLocksReplaced(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"lease", "owner"} {
		for how, put := range map[string]string{"file": "touch", "fifo": "mkfifo", "folder": "mkdir", "gone": ": "} {
			t.Run(name+" "+how, func(t *testing.T) {
				t.Parallel()
				b := spoiled(t)
				path := b.Root() + "/" + name
				sh(t, b, `rm `+path+`; `+put+` `+path)
				require.ErrorContains(t, within(t, 20*time.Second, b.Close), path+`" is no longer the file`)
				kill(t, supervisorOf(t, b.Root()))
				var err error
				eventually(t, "a box that is nobody's", func() bool {
					err = sandbox.Reap(t.Context(), sandbox.Found{Root: b.Root()})
					return err == nil || !strings.Contains(err.Error(), "its owner lives")
				})
				require.ErrorContains(t, err, path)
				require.Error(t, within(t, 20*time.Second, b.Close))
				require.DirExists(t, b.Project())
			})
		}
	}
}

// A box whose folder was made unreadable is removed, by its owner and by who
// comes later.
func TestRootUnreadable(t *testing.T) {
	t.Parallel()
	b := spoiled(t)
	sh(t, b, `cd /; exec chmod 0 "$PERMAFROST_BOX"`)
	require.NoError(t, b.Close())
	require.NoDirExists(t, b.Root())

	b = spoiled(t)
	needNamespace(t, b) // else nobody proves a box later
	sh(t, b, `cd /; exec chmod 0 "$PERMAFROST_BOX"`)
	kill(t, supervisorOf(t, b.Root()))
	require.NoError(t, sandbox.Reap(t.Context(), orphan(t, b.Root())))
	require.NoDirExists(t, b.Root())
}

// A folder of the box that became a link leads nothing out of it that is
// written from outside.
func TestFoldersReplaced(t *testing.T) {
	t.Parallel()
	for name, act := range map[string]func(*sandbox.Box, string) error{
		"bin": func(b *sandbox.Box, dir string) error { return b.Install(dir) },
		"self": func(b *sandbox.Box, _ string) error {
			_, err := b.Firings()
			return err
		},
		"real": func(b *sandbox.Box, _ string) error {
			return b.SetFault(sandbox.Fault{ID: 1, Program: "cat", Action: sandbox.Hang, Count: 1})
		},
		"self/role": func(b *sandbox.Box, _ string) error {
			_, err := b.Run(t.Context(), sandbox.Cmd{Role: "greeter"})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, victim, dir := spoiled(t), t.TempDir(), t.TempDir()
			require.NoError(t, os.WriteFile(dir+"/program", nil, 0o755))
			sh(t, b, `cd "$PERMAFROST_BOX"; B=$PWD; "$B/bin/mv" `+name+` home/aside; case `+name+` in bin) PATH=$B/home/aside;; esac; ln -s `+victim+` `+name)
			require.Error(t, act(b, dir))
			names, err := os.ReadDir(victim)
			require.NoError(t, err)
			require.Empty(t, names)
			require.NoError(t, b.Close())
			require.DirExists(t, victim)
		})
	}
}

// Lists that became something else keep nobody waiting.
func TestListsReplaced(t *testing.T) {
	t.Parallel()
	b := start(t, sandbox.Config{Tools: append([]string{"mkfifo"}, tools...)})
	sh(t, b, `cd "$PERMAFROST_BOX/self"; rm -f faults firings cli; mkfifo faults firings cli`)
	require.ErrorContains(t, within(t, 10*time.Second, func() error {
		_, err := b.Firings()
		return err
	}), "no file any more")
	require.ErrorContains(t, within(t, 10*time.Second, func() error { return b.Install(t.TempDir()) }), "no file any more")
	require.ErrorContains(t, within(t, 10*time.Second, func() error {
		return b.SetFault(sandbox.Fault{ID: 1, Program: "cat", Action: sandbox.Hang, Count: 1})
	}), "no file any more")
}

// Whoever stops the supervisor or the init, and goes on doing so, stops neither
// the end of a program by its context nor that of the box.
func TestMachineryStopped(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"supervisor", "init"} {
		for _, often := range []bool{false, true} {
			t.Run(name+map[bool]string{true: " again and again"}[often], func(t *testing.T) {
				t.Parallel()
				b, err := sandbox.Start(t.Context(), sandbox.Config{Root: hiddenRoot(), Tools: tools, Patience: 2 * time.Second})
				require.NoError(t, err)
				t.Cleanup(func() { os.RemoveAll(b.Root()) })
				needNamespace(t, b)
				pid := machinery(t, b.Root()+"/self/"+name)
				seconds := token()
				ctx, cancel := context.WithCancel(t.Context())
				go func() {
					comesUp(t, seconds)
					syscall.Kill(pid, syscall.SIGSTOP)
					cancel()
				}()
				stopping, stopped := make(chan struct{}), make(chan struct{})
				go func() {
					defer close(stopped)
					for often {
						select {
						case <-stopping:
							return
						case <-time.After(100 * time.Microsecond):
							if lives(pid) && ctx.Err() != nil {
								syscall.Kill(pid, syscall.SIGSTOP)
							}
						}
					}
				}()
				defer func() { close(stopping); <-stopped }()
				require.ErrorIs(t, within(t, 20*time.Second, func() error {
					_, err := b.Run(ctx, sandbox.Cmd{Args: []string{"sleep", seconds}})
					return err
				}), context.Canceled)
				require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP))
				require.NoError(t, within(t, 40*time.Second, b.Close))
				require.NoDirExists(t, b.Root())
				require.Empty(t, running(t, seconds))
			})
		}
	}
}

// machinery finds a process of a box by the binary that it runs.
func machinery(t *testing.T, program string) (pid int) {
	t.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/exe")
	require.NoError(t, err)
	for _, link := range links {
		if exe, err := os.Readlink(link); err == nil && exe == program {
			fmt.Sscanf(link, "/proc/%d/", &pid)
			return pid
		}
	}
	t.Fatalf("nobody runs %s", program)
	return 0
}

// An immutable file is named, and how to go on.
func TestImmutableFile(t *testing.T) {
	t.Parallel()
	b := spoiled(t)
	path := b.Home() + "/deep/stays"
	require.NoError(t, os.Mkdir(b.Home()+"/deep", 0o755))
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	if out, err := command("chattr", "+i", path).CombinedOutput(); err != nil {
		t.Skipf("no file can be made immutable here: %s", out)
	}
	t.Cleanup(func() { command("chattr", "-i", path).Run() })
	err := b.Close()
	require.ErrorContains(t, err, path)
	require.ErrorContains(t, err, "chattr -i")
	require.NoError(t, command("chattr", "-i", path).Run())
	require.NoError(t, b.Close())
}

// A tree of any depth is removed, unreadable folders and links out of the box
// included; BenchmarkDeepTree tells in what time.
func TestDeepTree(t *testing.T) {
	t.Parallel()
	b, victim := spoiled(t), t.TempDir()
	require.NoError(t, os.WriteFile(victim+"/precious", nil, 0o400))
	require.NoError(t, os.Chmod(victim, 0o500))
	t.Cleanup(func() { os.Chmod(victim, 0o700) })
	dir, err := os.OpenRoot(b.Home())
	require.NoError(t, err)
	name := strings.Repeat("d", 100)
	var last []func() error
	for level := range 3000 {
		require.NoError(t, dir.Mkdir(name, 0o700))
		require.NoError(t, dir.Symlink(victim, "link"))
		next, err := dir.OpenRoot(name)
		require.NoError(t, err)
		if level%500 == 499 {
			closed := dir
			defer closed.Close()
			last = append(last, func() error { return closed.Chmod(name, 0) })
			dir = next
			continue
		}
		require.NoError(t, dir.Close())
		dir = next
	}
	require.NoError(t, dir.Close())
	for _, do := range last {
		require.NoError(t, do())
	}
	few := unix.Rlimit{Cur: 256, Max: 256}
	require.NoError(t, unix.Prlimit(supervisorOf(t, b.Root()), unix.RLIMIT_NOFILE, &few, nil))
	require.NoError(t, within(t, time.Minute, b.Close))
	require.NoDirExists(t, b.Root())
	require.FileExists(t, victim+"/precious")
	info, err := os.Stat(victim)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o500), info.Mode().Perm())
}
