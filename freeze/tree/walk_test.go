//go:build unix

package tree_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/tree"
)

var anyBirth = cmpopts.IgnoreFields(tree.Entry{}, "Born")

func TestWalk(t *testing.T) {
	root := t.TempDir()
	at := func(name string) string { return filepath.Join(root, name) }
	require.NoError(t, os.MkdirAll(at("project/a/empty"), 0o700))
	require.NoError(t, os.MkdirAll(at("home/elsewhere"), 0o700))
	write(t, at("project/a/b.txt"), "b", 0o640)
	write(t, at("project/a-b"), "sorts before a/", 0o755)
	write(t, at("project/odd \xff\n'\""), "", 0o600)
	require.NoError(t, os.Link(at("project/a/b.txt"), at("project/hard")))
	require.NoError(t, os.Symlink("../nowhere", at("project/dangling")))
	require.NoError(t, os.Symlink("a", at("project/to-dir")))
	require.NoError(t, os.Chmod(at("project/a"), 0o710))
	require.NoError(t, os.Chmod(at("project"), 0o1755|fs.ModeSticky))
	require.NoError(t, syscall.Mkfifo(at("project/fifo"), 0o600))
	bind(t, at("project"), "s")

	got, err := tree.Walk(root, []string{"project/a", "project", "home/.local/state"})
	require.NoError(t, err)
	want := []tree.Entry{
		{Path: "project", Type: tree.Dir, Mode: 0o755 | fs.ModeSticky},
		{Path: "project/a", Type: tree.Dir, Mode: 0o710},
		{Path: "project/a-b", Type: tree.File, Mode: 0o755, Data: []byte("sorts before a/")},
		{Path: "project/a/b.txt", Type: tree.File, Mode: 0o640, Data: []byte("b")},
		{Path: "project/a/empty", Type: tree.Dir, Mode: 0o700},
		{Path: "project/dangling", Type: tree.Symlink, Target: "../nowhere"},
		{Path: "project/fifo", Type: tree.Fifo, Mode: 0o600},
		{Path: "project/hard", Type: tree.File, Mode: 0o640, Data: []byte("b")},
		{Path: "project/odd \xff\n'\"", Type: tree.File, Mode: 0o600, Data: []byte{}},
		{Path: "project/s", Type: tree.Socket, Mode: 0o700},
		{Path: "project/to-dir", Type: tree.Symlink, Target: "a"},
	}
	if d := cmp.Diff(want, got, anyBirth); d != "" {
		t.Errorf("Walk (-want +got):\n%s", d)
	}
}

func TestWalkTellsBirths(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("births are read on Linux only")
	}
	root := t.TempDir()
	for _, name := range []string{"second", "first"} {
		write(t, filepath.Join(root, "p", name), "", 0o600)
	}
	// A rewrite in place gives a new mtime, and must leave the birth.
	write(t, filepath.Join(root, "p", "second"), "again", 0o600)
	es, err := tree.Walk(root, []string{"p"})
	require.NoError(t, err)
	if es[0].Born == 0 {
		t.Skip("this file system keeps no births")
	}
	first, second := es[1], es[2]
	require.Equal(t, "p/first", first.Path)
	require.LessOrEqual(t, second.Born, first.Born, "second was made before first")
}

func TestWalkRefuses(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	write(t, filepath.Join(outside, "secret"), "", 0o600)
	require.NoError(t, os.Symlink(outside, filepath.Join(root, "link")))
	write(t, filepath.Join(root, "p", "index"), "DIRC\x00\x00\x00\x02 but no index, and long enough to be one", 0o600)
	tests := []struct{ name, root, under, want string }{
		{"place outside", root, "../x", `capture "../x": not a place below the box`},
		{"absolute place", root, "/etc", `capture "/etc": not a place below the box`},
		{"no box", filepath.Join(root, "gone"), "p", "capture: open " + filepath.Join(root, "gone") + ": no such file or directory"},
		{"link leads out", root, "link/secret", `capture "link/secret": statat link/secret: path escapes from parent; ` +
			`what is captured must be at rest, and readable by the box's user`},
		{"broken index", root, "p", `capture "p/index": git index: the trailer is no checksum of the rest: cut short, or written to at this moment; ` +
			`what is captured must be at rest, and readable by the box's user`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := tree.Walk(tt.root, []string{tt.under})
			require.EqualError(t, err, tt.want)
		})
	}
}

// TestWalkUnreadable runs as a user that is not root: root reads everything.
func TestWalkUnreadable(t *testing.T) {
	if root := os.Getenv("TREE_TEST_UNREADABLE"); root != "" {
		_, err := tree.Walk(root, []string{"p"})
		require.EqualError(t, err, `capture "p/closed": openat closed: permission denied; `+
			`what is captured must be at rest, and readable by the box's user`)
		require.ErrorIs(t, err, fs.ErrPermission)
		return
	}
	root := t.TempDir()
	write(t, filepath.Join(root, "p", "closed"), "x", 0o000)
	cmd := asNobody(t, root, "TestWalkUnreadable")
	cmd.Env = append(os.Environ(), "TREE_TEST_UNREADABLE="+root)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// asNobody runs one test of this binary again without root's rights, from a
// folder that everyone may read, with everything under root handed over.
func asNobody(t *testing.T, root, test string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	if os.Getuid() != 0 {
		return exec.Command(self, "-test.run=^"+test+"$")
	}
	dir, err := os.MkdirTemp("/tmp", "fz-tree-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.Chmod(dir, 0o755))
	program := filepath.Join(dir, "test")
	copyFile(t, self, program)
	const nobody = 65534
	for at := root; at != os.TempDir() && at != "/"; at = filepath.Dir(at) {
		require.NoError(t, os.Chmod(at, 0o755))
	}
	require.NoError(t, filepath.WalkDir(root, func(p string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(p, nobody, nobody))
	}))
	cmd := exec.Command(program, "-test.run=^"+test+"$")
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	return cmd
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	src, err := os.Open(from)
	require.NoError(t, err)
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	require.NoError(t, err)
	_, err = io.Copy(dst, src)
	require.NoError(t, errors.Join(err, dst.Close()))
}

func write(t *testing.T, name, data string, mode fs.FileMode) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.WriteFile(name, []byte(data), 0o600))
	require.NoError(t, os.Chmod(name, mode))
}

// bind leaves a socket file. Its address is relative, since a temporary folder
// can be longer than a socket's path may be.
func bind(t *testing.T, dir, name string) {
	t.Helper()
	t.Chdir(dir)
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	require.NoError(t, err)
	require.NoError(t, syscall.Bind(fd, &syscall.SockaddrUnix{Name: name}))
	require.NoError(t, syscall.Close(fd))
	require.NoError(t, os.Chmod(name, 0o700))
}
