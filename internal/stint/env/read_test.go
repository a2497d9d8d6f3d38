//go:build unix

package env_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/freeze-contracts/permafrost/internal/stint/env"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "env"), filepath.Join(dir, "link")
	require.NoError(t, os.WriteFile(path, []byte("b=1\nPATH=/x\nA=2\nSTINT_X=3\nbad\nTMUX=4\n"), 0o600))
	require.NoError(t, os.Symlink(path, link))
	f, err := env.Read(link)
	require.NoError(t, err)
	type answer struct{ Path, Names, Reserved, Environ, Warnings string }
	got := answer{f.Path, fmt.Sprint(f.Names()), fmt.Sprint(f.Reserved()), fmt.Sprint(f.Environ()), fmt.Sprint(f.Warnings)}
	want := answer{link, "[A b]", "[PATH STINT_X TMUX]", "[b=1 A=2]", "[line 5: no NAME=value, the line does not count]"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Read (-want +got)\n%s", diff)
	}
	for _, mode := range []os.FileMode{0o604, 0o640, 0o602} {
		require.NoError(t, os.Chmod(path, mode))
		f, err := env.Read(path)
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf("others can get at the file, its mode is %04o: chmod 600 it", mode), f.Warnings[1].String())
	}
}

func TestReadRefuses(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, content string, mode os.FileMode) string {
		require.NoError(t, os.WriteFile(at(name), []byte(content), mode))
		return at(name)
	}
	require.NoError(t, syscall.Mkfifo(at("fifo"), 0o600))
	require.NoError(t, os.Symlink(at("nowhere"), at("dangling")))
	for _, test := range []struct {
		path string
		want error
		text string
	}{
		{at("missing"), env.ErrMissing, "no such file"},
		{at("dangling"), env.ErrMissing, "no such file"},
		{write("file", "A=1", 0o600) + "/env", env.ErrUnreadable, "it cannot be read: not a directory"},
		{dir, env.ErrNotRegular, "it is not a regular file"},
		{at("fifo"), env.ErrNotRegular, "it is not a regular file"},
		{"/dev/zero", env.ErrNotRegular, "it is not a regular file"},
		{write("large", strings.Repeat("A=1\n", env.MaxFile/4+1), 0o600), env.ErrTooLarge, "it is larger than 1048576 bytes"},
		{write("many", many(env.MaxVariables+1), 0o600), env.ErrTooMany, "it declares more than 2048 variables"},
		{write("empty", "", 0o600), env.ErrEmpty, "it has no usable line: write NAME=value lines"},
		{write("bad", "#\nsecret\nA='secret\n", 0o600), env.ErrEmpty, "it has no usable line, line 2, 3 cannot be read: write NAME=value lines"},
		{write("worse", strings.Repeat("secret\n", 12), 0o600), env.ErrEmpty, "it has no usable line, line 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ... cannot be read: write NAME=value lines"},
	} {
		began := time.Now()
		f, err := env.Read(test.path)
		require.Nil(t, f, test.path)
		require.ErrorIs(t, err, test.want, test.path)
		require.EqualError(t, err, fmt.Sprintf("env file %q: %s", test.path, test.text))
		require.Less(t, time.Since(began), 30*time.Second, test.path)
	}
	require.NoError(t, os.WriteFile(at("full"), []byte(strings.Repeat("A=1\n", env.MaxFile/4)), 0o600))
	_, err := env.Read(at("full"))
	require.NoError(t, err)
	f, err := env.Read(write("most", many(env.MaxVariables), 0o600))
	require.NoError(t, err)
	require.Len(t, f.Variables, env.MaxVariables)
}

// many declares n variables.
func many(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "NAME%d=value\n", i)
	}
	return b.String()
}
