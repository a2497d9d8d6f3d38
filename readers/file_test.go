package readers_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/freeze-contracts/permafrost/readers"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// tree is a tree whose files answer by these functions, where one is set.
type tree struct {
	fstest.MapFS
	lstat, open func(name string) error
	stat        func() (fs.FileInfo, error)
	read        func(b []byte) (int, error)
}

func (t tree) Lstat(name string) (fs.FileInfo, error) {
	if t.lstat != nil {
		if err := t.lstat(name); err != nil {
			return nil, err
		}
	}
	return t.MapFS.Lstat(name)
}

func (t tree) Open(name string) (fs.File, error) {
	if t.open != nil {
		if err := t.open(name); err != nil {
			return nil, err
		}
	}
	f, err := t.MapFS.Open(name)
	return treeFile{f, t}, err
}

type treeFile struct {
	fs.File
	tree tree
}

func (f treeFile) Stat() (fs.FileInfo, error) {
	if f.tree.stat != nil {
		return f.tree.stat()
	}
	return f.File.Stat()
}

func (f treeFile) Read(b []byte) (int, error) {
	if f.tree.read != nil {
		return f.tree.read(b)
	}
	return f.File.Read(b)
}

func TestFile(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"a/doc": "text", "large": strings.Repeat("x", readers.MaxDocument), "larger": strings.Repeat("x", readers.MaxDocument+1)} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	require.NoError(t, os.Symlink("doc", filepath.Join(dir, "a", "link")))
	require.NoError(t, os.Symlink("a", filepath.Join(dir, "folder")))
	require.NoError(t, os.Symlink("nowhere", filepath.Join(dir, "dangling")))
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer root.Close()

	for _, test := range []struct{ name, want string }{
		{"a/doc", "read"},
		{"large", "read"},
		{"larger", "too large"},
		{"a/link", "not regular"},
		{"folder/doc", "not regular"},
		{"dangling", "not regular"},
		{"a", "not regular"},
		{"a/../a/doc", "invalid name"},
		{"../a/doc", "invalid name"},
		{"/a/doc", "invalid name"},
		{"b/doc", "missing"},
		{"a/doc/below", "unnamed: "},
	} {
		_, err := readers.File(root.FS(), test.name)
		if got := outcome(err); !strings.HasPrefix(got, test.want) {
			t.Errorf("File(%q) = %v: %s, want %s", test.name, err, got, test.want)
		}
	}
}

func TestFileIsWhole(t *testing.T) {
	got, err := readers.File(fstest.MapFS{"doc": {Data: []byte("all of it")}}, "doc")
	require.NoError(t, err)
	if diff := cmp.Diff("all of it", string(got)); diff != "" {
		t.Errorf("File (-want +got)\n%s", diff)
	}
}

// A name that leads out is said to be one, also by a tree that takes it for
// missing, as io/fs allows.
func TestFileOfNoName(t *testing.T) {
	missing := func(name string) error {
		if !fs.ValidPath(name) {
			return fs.ErrNotExist
		}
		return nil
	}
	fsys := tree{MapFS: fstest.MapFS{"a/doc": {Data: []byte("text")}}, lstat: missing, open: missing}
	for _, name := range []string{"a/../a/doc", "../a/doc", "/a/doc", "a//doc", ""} {
		_, err := readers.File(fsys, name)
		require.ErrorIs(t, err, fs.ErrInvalid, name)
	}
}

// Whichever step fails, that is the answer: a document that cannot be read is
// not taken for an empty one.
func TestFileFails(t *testing.T) {
	broken := errors.New("the disk is broken")
	name := func(string) error { return broken }
	for step, fsys := range map[string]tree{
		"lstat": {lstat: name},
		"open":  {open: name},
		"stat":  {stat: func() (fs.FileInfo, error) { return nil, broken }},
		"read":  {read: func([]byte) (int, error) { return 0, broken }},
	} {
		fsys.MapFS = fstest.MapFS{"a/doc": {Data: []byte("text")}}
		got, err := readers.File(fsys, "a/doc")
		require.ErrorIs(t, err, broken, step)
		require.Nil(t, got, step)
	}
}

// What is no regular file is named, and not opened: a pipe would wait for its
// other end.
func TestFileOfAnotherType(t *testing.T) {
	for _, test := range []struct {
		mode fs.FileMode
		want string
	}{
		{fs.ModeSymlink, `"a/doc": not a regular file: it is a symlink`},
		{fs.ModeDir, `"a/doc": not a regular file: it is a folder`},
		{fs.ModeNamedPipe, `"a/doc": not a regular file: it is a special file`},
	} {
		fsys := tree{MapFS: fstest.MapFS{"a/doc": {Mode: test.mode, Data: []byte("b")}}, open: func(name string) error {
			t.Errorf("%s is opened", name)
			return nil
		}}
		_, err := readers.File(fsys, "a/doc")
		require.ErrorIs(t, err, readers.ErrNotRegular)
		require.EqualError(t, err, test.want)
	}
}

// What was a regular file when it was looked at may be another when it is
// open.
func TestFileIsReplaced(t *testing.T) {
	files := fstest.MapFS{"doc": {Data: []byte("text")}, "folder": {Mode: fs.ModeDir}}
	_, err := readers.File(tree{MapFS: files, stat: func() (fs.FileInfo, error) { return files.Stat("folder") }}, "doc")
	require.ErrorIs(t, err, readers.ErrNotRegular)
}

// The limit holds for what a document tells of its size, without reading it,
// and for what is read, of which there is one byte more.
func TestFileSize(t *testing.T) {
	files := fstest.MapFS{"small": {Data: []byte("text")}, "larger": {Data: make([]byte, readers.MaxDocument+1)}}
	for _, test := range []struct {
		name, told string
		read       int
	}{{"small", "larger", 0}, {"larger", "small", readers.MaxDocument + 1}} {
		read := 0
		_, err := readers.File(tree{
			MapFS: files,
			stat:  func() (fs.FileInfo, error) { return files.Stat(test.told) },
			read:  func(b []byte) (int, error) { read += len(b); return len(b), nil },
		}, test.name)
		if diff := cmp.Diff("too large", outcome(err)); diff != "" {
			t.Errorf("File(%s, told to be %s) (-want +got)\n%s", test.name, test.told, diff)
		}
		require.Equal(t, test.read, read, test.name)
	}
}
