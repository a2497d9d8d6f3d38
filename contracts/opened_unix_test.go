//go:build unix

package contracts

import (
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// What is seen from an open folder is what package os sees.
func TestOpenedIsAsOS(t *testing.T) {
	dir, err := os.MkdirTemp("/tmp", "opened") // short: a socket lies in it
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	at := func(name string) string { return filepath.Join(dir, name) }
	for i := range 1000 { // more than one read of the folder gives
		require.NoError(t, os.WriteFile(at(fmt.Sprintf("%s-%d", strings.Repeat("n", 100), i)), nil, 0o640))
	}
	require.NoError(t, os.WriteFile(at("large"), []byte(strings.Repeat("more than a buffer ", 10_000)), 0o600))
	require.NoError(t, os.Chmod(at("large"), 0o750|fs.ModeSetuid|fs.ModeSetgid))
	require.NoError(t, os.Mkdir(at("folder"), 0o700))
	require.NoError(t, os.Chmod(at("folder"), 0o777|fs.ModeSticky))
	require.NoError(t, os.Symlink("nowhere", at("link")))
	require.NoError(t, syscall.Mkfifo(at("fifo"), 0o600))
	socket, err := net.Listen("unix", at("socket"))
	require.NoError(t, err)
	defer socket.Close()

	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	want := make(map[string]fileState)
	for _, e := range entries {
		info, err := e.Info()
		require.NoError(t, err)
		s := fileState{Type: info.Mode().Type()}
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(at(e.Name()))
			require.NoError(t, err)
			s.Mode, s.Content, s.Changed = info.Mode(), string(data), info.ModTime()
		case s.Type == fs.ModeSymlink:
			s.Content = "nowhere"
		default:
			s.Mode = info.Mode() &^ fs.ModeType
		}
		want[e.Name()] = s
	}
	got, err := (&Thawed{Dir: dir}).look(nil)
	require.NoError(t, err)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("look (-want +got)\n%s", diff)
	}
}

// No test makes a device.
func TestOpenedKnowsADevice(t *testing.T) {
	o, err := openFolder("/dev")
	require.NoError(t, err)
	defer o.close()
	want, err := os.Lstat("/dev/null")
	require.NoError(t, err)
	got, err := o.attrs("null")
	require.NoError(t, err)
	require.Equal(t, want.Mode(), got.mode)
}

// A file may have more bytes than it had when it was looked at.
func TestOpenedReadsWhatHasGrown(t *testing.T) {
	dir := t.TempDir()
	text := strings.Repeat("more ", 1000)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), []byte(text), 0o600))
	o, err := openFolder(dir)
	require.NoError(t, err)
	defer o.close()
	got, err := o.read("file", 3, nil)
	require.NoError(t, err)
	require.Equal(t, text, string(got))
}

// BenchmarkLook looks at a folder like that of a fixture, and reads it through
// package os, for the ratio of the two.
func BenchmarkLook(b *testing.B) {
	dir := b.TempDir()
	for i := range 40 {
		folder := filepath.Join(dir, fmt.Sprintf("project/.git/objects/%02x", i))
		require.NoError(b, os.MkdirAll(folder, 0o700))
		require.NoError(b, os.WriteFile(filepath.Join(folder, strings.Repeat("e", 38)), []byte(strings.Repeat("x", 300)), 0o600))
	}
	b.Run("look", func(b *testing.B) {
		th := &Thawed{Dir: dir}
		for b.Loop() {
			state, err := th.look(nil)
			require.NoError(b, err)
			require.Len(b, state, 83)
			th.state = state
		}
	})
	b.Run("package os", func(b *testing.B) {
		for b.Loop() {
			seen := 0
			err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
				if err != nil {
					return err
				}
				seen++
				if _, err := d.Info(); err != nil || d.IsDir() {
					return err
				}
				_, err = os.ReadFile(name)
				return err
			})
			require.NoError(b, err)
			require.Equal(b, 84, seen)
		}
	})
}
