package project_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	stint "github.com/freeze-contracts/permafrost/internal/stint/project"
)

// Cut at each byte, a marker is corrupt. A stint.toml that is cut between two
// lines, or within a number, is a whole one: TOML has no end.
func TestCut(t *testing.T) {
	contracts.AnyPlace(t)
	wrong := make(map[string][]string) // by content: most of stint.toml are the same
	contracts.Each(t, "project", func(t *testing.T, f *contracts.Fixture) {
		th := f.Look(t)
		for _, r := range script(t, f) {
			for _, doc := range r.documents(f.Release) {
				b, err := fs.ReadFile(th.FS(t, r.at), doc.file)
				require.NoError(t, err)
				if _, known := wrong[string(b)]; !known {
					wrong[string(b)] = doc.cut(b)
				}
				f.Equal(t, doc.row+".cut", wrong[string(b)], []string(nil))
			}
		}
	})
}

// cut are the lengths to which a document is cut and not taken for what it is
// then.
func (d document) cut(b []byte) (wrong []string) {
	whole := wholeJSON
	if d.row == configuring.row {
		whole = wholeTOML
	}
	for n := range b {
		err := d.parse(d.file, b[:n])
		corrupt := strings.HasPrefix(named(err), "corrupt at ")
		if corrupt == whole(b, n) || !corrupt && err != nil {
			wrong = append(wrong, fmt.Sprintf("%d bytes: %s", n, named(err)))
		}
	}
	return wrong
}

// wholeJSON says whether nothing but the newline at the end is missing.
func wholeJSON(b []byte, n int) bool { return n == len(b)-1 }

func wholeTOML(b []byte, n int) bool {
	var keys map[string]any
	err := toml.Unmarshal(b[:n], &keys)
	return err == nil && keys["config_version"] != nil
}

// A symlink in the place of a document is not followed, not even to one that
// reads. Where it is the marker, the id is the path's.
func TestLinked(t *testing.T) {
	contracts.AnyPlace(t)
	contracts.Each(t, "project", func(t *testing.T, f *contracts.Fixture) {
		th := f.Thaw(t)
		for _, r := range script(t, f) {
			for _, doc := range r.documents(f.Release) {
				name := th.Path(path.Join(r.at, doc.file))
				aside := name + ".aside"
				require.NoError(t, os.Rename(name, aside))
				require.NoError(t, os.Symlink(path.Base(aside), name))
				f.Settle(t)
				f.Equal(t, doc.row+".symlink", named(doc.read(th.FS(t, r.at))), "not regular")
				if !r.refusesInit() {
					linkedInit(t, f, th, r, doc)
				}
				require.NoError(t, os.Rename(aside, name))
			}
		}
	})
}

func linkedInit(t *testing.T, f *contracts.Fixture, th *contracts.Thawed, r repository, doc document) {
	t.Helper()
	made, err := stint.Init(t.Context(), env(th), th.Path(r.at), "sh", f.To)
	if doc.row == configuring.row {
		f.Equal(t, doc.row+".symlink.init", named(err), "not regular")
		f.Unchanged(t)
		return
	}
	r.linked, r.ofPath = true, true
	if r.stintTOML(f.Release) == nil {
		return
	}
	if err != nil {
		f.Equal(t, doc.row+".symlink.id", named(err), "none")
		return
	}
	f.Equal(t, doc.row+".symlink.id", made.ID, r.id(t, th))
	f.Unchanged(t, projects+"/"+made.ID)
}
