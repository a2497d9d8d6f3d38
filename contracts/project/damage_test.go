package project_test

import (
	"bytes"
	"hash/maphash"
	"io"
	"io/fs"
	"os"
	"path"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	stint "github.com/freeze-contracts/permafrost/internal/stint/project"
	"github.com/freeze-contracts/permafrost/readers"
	"github.com/freeze-contracts/permafrost/readers/project"
)

// damage is a way in which a document is not what a release wrote.
type damage struct {
	name  string
	spoil func(t *testing.T, b []byte) []byte
	want  string // name of the error
}

// Neither document has a value of a fixed set, so none can be unknown.
var markerDamages = []damage{
	{"newer", editing(`"schema": \d+`, `"schema": 999`), "newer: 999"},
	{"empty", func(*testing.T, []byte) []byte { return nil }, "corrupt at "},
	{"half", func(_ *testing.T, b []byte) []byte { return b[:len(b)/2] }, "corrupt at /project_id"},
	{"duplicate-schema", editing(`"schema": \d+,`, "${0}${0}"), "corrupt at /schema"},
	{"duplicate-id", editing(`"project_id": "\w+",`, "${0}${0}"), "corrupt at /project_id"},
	{"schema-type", editing(`"schema": (\d+)`, `"schema": "$1"`), "corrupt at /schema"},
	{"id-type", editing(`"project_id": "\w+"`, `"project_id": 1`), "corrupt at /project_id"},
	{"time-type", editing(`"created_at": (\d+)`, `"created_at": "$1"`), "corrupt at /created_at"},
	{"path", editing(`"project_id": "\w+"`, `"project_id": "../../../../../../other/state/xx"`), "corrupt at /project_id"},
	{"no-id", editing(`"project_id": "\w+",`, ""), "corrupt at /project_id"},
	{"larger", whole, "too large"},
}

var configDamages = []damage{
	{"newer", editing(`config_version = \d+`, "config_version = 999"), "newer: 999"},
	{"empty", func(*testing.T, []byte) []byte { return nil }, "corrupt at config_version"},
	{"half", func(t *testing.T, b []byte) []byte {
		return b[:bytes.Index(b, []byte(`harness = "`))+len(`harness = "`)]
	}, "corrupt at "},
	{"duplicate-key", editing(`config_version = \d+\n`, "${0}${0}"), "corrupt at config_version"},
	{"duplicate-table", editing(`(?m)^\[session\]\n`, "${0}${0}"), "corrupt at session"},
	{"version-type", editing(`config_version = (\d+)`, `config_version = "$1"`), "corrupt at config_version"},
	{"harness-type", editing(`(?m)^harness = .*`, "harness = 1"), "corrupt at session.harness"},
	{"days-type", editing(`(?m)^retention_days = (.*)`, `retention_days = "$1"`), "corrupt at session.retention_days"},
	{"no-days", editing(`(?m)^retention_days = .*`, "retention_days = -1"), "corrupt at session.retention_days"},
	{"path", editing(`(?m)^memory_dir = .*`, `memory_dir = "docs/../../other"`), "corrupt at project.memory_dir"},
	{"absolute-path", editing(`(?m)^memory_dir = .*`, `memory_dir = "/etc"`), "corrupt at project.memory_dir"},
	{"larger", whole, "too large"},
}

func editing(pattern, to string) func(*testing.T, []byte) []byte {
	return func(t *testing.T, b []byte) []byte { return edit(t, b, pattern, to) }
}

func whole(_ *testing.T, b []byte) []byte { return b }

// document is one of the two that are read, in a repository.
type document struct {
	row     string
	file    string // below the main work tree
	read    func(fsys fs.FS) error
	parse   func(name string, b []byte) error
	damages []damage
}

var marking = document{
	row: "r19.marker", file: project.MarkerFile, damages: markerDamages,
	read:  func(fsys fs.FS) error { _, err := project.ReadMarker(fsys); return err },
	parse: func(name string, b []byte) error { _, err := project.ParseMarker(name, b); return err },
}

var configuring = document{
	row: "r19.config", file: project.ConfigFile, damages: configDamages,
	read:  func(fsys fs.FS) error { _, err := project.ReadConfig(fsys); return err },
	parse: func(name string, b []byte) error { _, err := project.ParseConfig(name, b); return err },
}

// documents are those that are read in the repository.
func (r repository) documents(release string) []document {
	var docs []document
	if !r.linked {
		docs = append(docs, marking)
	}
	if r.stintTOML(release) != nil {
		docs = append(docs, configuring)
	}
	return docs
}

// state is what must stay of a document that is refused.
type state struct {
	Size    int64
	Mode    fs.FileMode
	Changed time.Time
	Sum     uint64
}

var seed = maphash.MakeSeed()

func stateOf(t *testing.T, name string) state {
	t.Helper()
	info, err := os.Lstat(name)
	require.NoError(t, err)
	f, err := os.Open(name)
	require.NoError(t, err)
	defer f.Close()
	var h maphash.Hash // one of them has more bytes than a slow sum is for
	h.SetSeed(seed)
	_, err = io.Copy(&h, f)
	require.NoError(t, err)
	return state{info.Size(), info.Mode(), info.ModTime(), h.Sum64()}
}

// A damaged document is refused by name, by its reader and by init, which does
// not put one of its own in the place.
func TestDamage(t *testing.T) {
	contracts.AnyPlace(t)
	contracts.Each(t, "project", func(t *testing.T, f *contracts.Fixture) {
		t.Parallel()
		th := f.Thaw(t)
		for _, r := range script(t, f) {
			for _, doc := range r.documents(f.Release) {
				name := th.Path(path.Join(r.at, doc.file))
				frozen, err := fs.ReadFile(th.FS(t, r.at), doc.file)
				require.NoError(t, err)
				for _, d := range doc.damages {
					id := doc.row + "." + d.name
					require.NoError(t, os.WriteFile(name, d.spoil(t, frozen), 0o600))
					if d.want == "too large" { // by a hole that nobody has to write
						require.NoError(t, os.Truncate(name, readers.MaxDocument+1))
					}
					before := stateOf(t, name)
					f.Equal(t, id, named(doc.read(th.FS(t, r.at))), d.want)
					if r.refusesInit() {
						continue
					}
					_, err := stint.Init(t.Context(), env(th), th.Path(r.at), "sh", f.To)
					f.Equal(t, id+".init", named(err), d.want)
					f.Equal(t, id+".file", stateOf(t, name), before)
				}
				require.NoError(t, os.WriteFile(name, frozen, 0o600))
				f.Unchanged(t, path.Join(r.at, doc.file))
				f.Settle(t)
			}
		}
	})
}
