package contracts

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/fixture"
)

// What of the two work trees of jot counts as read, after which call.
func TestRecorder(t *testing.T) {
	const (
		note  = "project/note.md"                // 8 bytes
		empty = "project/.git/info/exclude"      // none
		link  = "home/.local/state/jot/trees/to" // made here, to note
	)
	open := func(name string, then func(fs.File) error) func(fs.FS) error {
		return func(fsys fs.FS) error {
			f, err := fsys.Open(name)
			if err != nil {
				return err
			}
			return errors.Join(then(f), f.Close())
		}
	}
	bytes := func(n int) func(fs.File) error {
		return func(f fs.File) error { _, err := io.ReadFull(f, make([]byte, n)); return err }
	}
	all := func(f fs.File) error { _, err := io.Copy(io.Discard, f); return err }
	tests := []struct {
		name string
		do   func(fsys fs.FS) error
		want string // empty if nothing was read
	}{
		{"nothing", func(fs.FS) error { return nil }, ""},
		{"ReadFile", func(fsys fs.FS) error { _, err := fs.ReadFile(fsys, note); return err }, note},
		{"Open", open(note, func(fs.File) error { return nil }), ""},
		{"a part", open(note, bytes(7)), ""},
		{"all bytes", open(note, bytes(8)), note},
		{"to the end", open(note, all), note},
		{"Stat", func(fsys fs.FS) error { _, err := fs.Stat(fsys, note); return err }, ""},
		{"below a folder", func(fsys fs.FS) error {
			sub, err := fs.Sub(fsys, "project")
			if err != nil {
				return err
			}
			_, err = fs.ReadFile(sub, "note.md")
			return err
		}, note},
		{"through a link", func(fsys fs.FS) error { _, err := fs.ReadFile(fsys, link); return err }, note},
		{"the link itself", func(fsys fs.FS) error { _, err := fs.ReadLink(fsys, link); return err }, ""},
		{"what is not there", func(fsys fs.FS) error {
			if _, err := fs.ReadFile(fsys, "project/gone"); !errors.Is(err, fs.ErrNotExist) {
				return errors.New("it is there")
			}
			return nil
		}, ""},
		{"Stat of an empty one", func(fsys fs.FS) error { _, err := fs.Stat(fsys, empty); return err }, empty},
		{"Lstat of an empty one", func(fsys fs.FS) error { _, err := fs.Lstat(fsys, empty); return err }, empty},
		{"Open of an empty one", open(empty, func(fs.File) error { return nil }), empty},
		{"ReadDir beside an empty one", func(fsys fs.FS) error { _, err := fs.ReadDir(fsys, path.Dir(empty)); return err }, empty},
		{"the folder's own ReadDir", open(path.Dir(empty), func(f fs.File) error {
			_, err := f.(fs.ReadDirFile).ReadDir(-1)
			return err
		}), empty},
	}
	r, err := fixture.Load(os.DirFS("testdata/jot/fixtures"), "notes", "v1.0.0")
	require.NoError(t, err)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string]string{note: note, empty: empty}
			f := newFixture(t, fixture.Key{Family: "notes", Version: "v1.0.0"}, r.Scenarios["tree"], files)
			th := f.Thaw(t)
			require.NoError(t, os.Symlink("../../../../../project/note.md", th.Path(link)))
			require.NoError(t, tt.do(th.FS(t, ".")))
			if diff := cmp.Diff(tt.want, first(f.touched())); diff != "" {
				t.Errorf("read (-want +got)\n%s", diff)
			}
			require.Empty(t, f.held(), "it counts although nothing was compared")
			f.compared("r1.x")
			require.Equal(t, tt.want, first(f.held()))
		})
	}
}

func first(files []string) string {
	if len(files) == 0 {
		return ""
	}
	return files[0]
}
