package contracts_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
)

// copyCorpus is a corpus of jot's scenario add, to break.
func copyCorpus(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(contracts.TempDir(t), "fixtures")
	require.NoError(t, copyScenarios(dir, "add"))
	return dir
}

// copyScenarios makes a corpus of some scenarios of jot, in each release, with a
// ledger that seals it.
func copyScenarios(dir string, scenarios ...string) error {
	const from = "testdata/jot/fixtures"
	releases, err := os.ReadFile(filepath.Join(from, "releases.toml"))
	ledger := string(releases)
	for _, scenario := range scenarios {
		script := filepath.Join("scenarios", "notes", scenario+".txtar")
		text, readErr := os.ReadFile(filepath.Join(from, script))
		err = errors.Join(err, readErr, os.MkdirAll(filepath.Join(dir, "scenarios", "notes"), 0o755),
			os.WriteFile(filepath.Join(dir, script), text, 0o644))
	}
	for _, version := range []string{"v1.0.0", "v1.1.0"} {
		release := filepath.Join("notes", version)
		for _, scenario := range scenarios {
			at := filepath.Join(release, scenario)
			err = errors.Join(err, os.CopyFS(filepath.Join(dir, at), os.DirFS(filepath.Join(from, at))))
		}
		manifest := filepath.Join(release, "bindings.json")
		whole, readErr := os.ReadFile(filepath.Join(from, manifest))
		part, partErr := manifestOf(string(whole), scenarios)
		ledger = strings.Replace(ledger, sha256Of(string(whole)), sha256Of(part), 1)
		err = errors.Join(err, readErr, partErr, os.WriteFile(filepath.Join(dir, manifest), []byte(part), 0o644))
	}
	return errors.Join(err, os.WriteFile(filepath.Join(dir, "releases.toml"), []byte(ledger), 0o644))
}

// manifestOf is a manifest without the scenarios that are not among those, and
// with the rest of it as it is.
func manifestOf(whole string, scenarios []string) (string, error) {
	var m struct {
		Scenarios map[string]jsontext.Value `json:"scenarios"`
	}
	if err := json.Unmarshal([]byte(whole), &m); err != nil {
		return "", err
	}
	const last = "\n\"scenarios\": {\n"
	head, _, _ := strings.Cut(whole, last)
	var kept []string
	for _, scenario := range scenarios {
		kept = append(kept, fmt.Sprintf("%q: %s", scenario, m.Scenarios[scenario]))
	}
	return head + last + strings.Join(kept, ",\n") + "\n}\n}\n", nil
}

func sha256Of(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

func remove(name string) func(t *testing.T, dir string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		at := filepath.Join(dir, filepath.FromSlash(name))
		require.FileExists(t, filepath.Join(dir, "releases.toml"))
		_, err := os.Stat(at)
		require.NoError(t, err)
		require.NoError(t, os.RemoveAll(at))
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	at := filepath.Join(dir, filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(at), 0o755))
	require.NoError(t, os.WriteFile(at, []byte(text), 0o644))
}

// edit changes a file, which must change.
func edit(t *testing.T, dir, name string, change func(string) string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	require.NoError(t, err)
	changed := change(string(data))
	require.NotEqual(t, string(data), changed)
	write(t, dir, name, changed)
}

func replace(name, old, new string) func(t *testing.T, dir string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		edit(t, dir, name, func(s string) string { return strings.Replace(s, old, new, 1) })
	}
}

func put(name, text string) func(t *testing.T, dir string) {
	return func(t *testing.T, dir string) { t.Helper(); write(t, dir, name, text) }
}

func TestCorpusOfJotKeepsTheRules(t *testing.T) {
	contracts.Corpus{Fixtures: "testdata/jot/fixtures", Suites: "testdata/jot"}.Test(t)
}

// Each rule, on a copy of the corpus that breaks it.
func TestCorpusRules(t *testing.T) {
	const (
		v10, v11 = "notes/v1.0.0/bindings.json", "notes/v1.1.0/bindings.json"
		waiver   = "\n[[release.waiver]]\nfamily = \"notes\"\nscenario = \"add\"\nreason = \"none\"\ndate = \"2026-11-30\"\n"
	)
	tests := []struct {
		name   string
		change func(t *testing.T, dir string)
		want   contracts.Problem // the reason is a part of it; none if it is zero
	}{
		{"nothing", func(*testing.T, string) {}, contracts.Problem{}},
		{"a scenario for older releases", put("scenarios/notes/older.txtar", "# Once there was more.\n# until: v0.9.0\n\nexec jot init\n"), contracts.Problem{}},
		{"a scenario for newer releases", put("scenarios/notes/newer.txtar", "# since: v1.2.0\n"), contracts.Problem{}},
		{"a header further down", put("scenarios/notes/always.txtar", "exec jot init\n# until: v0.9.0\n"),
			contracts.Problem{contracts.Ledger, "notes/v1.0.0/always", "has neither fixtures"}},
		{"a folder removed", remove("notes/v1.0.0"),
			contracts.Problem{contracts.Ledger, "notes/v1.0.0/add", "release v1.0.0 has neither fixtures"}},
		{"a fixture deleted", remove(config), contracts.Problem{contracts.Bytes, config, "no such file"}},
		{"a byte flipped", replace(config, "editor", "eeitor"), contracts.Problem{contracts.Bytes, config, "has sha256"}},
		{"an orphan folder", func(t *testing.T, dir string) {
			edit(t, dir, "releases.toml", func(s string) string { return s[:strings.LastIndex(s, "[[release]]")] })
		}, contracts.Problem{contracts.Ledger, "notes/v1.1.0", "fixtures of no release"}},
		{"an empty release", put("notes/v1.2.0/bindings.json", `{"format":1,"family":"notes","release":"v1.2.0","producer":{},"scenarios":{}}`),
			contracts.Problem{contracts.Ledger, "notes/v1.2.0", "names no scenario"}},
		{"an empty folder", func(t *testing.T, dir string) {
			require.NoError(t, os.Mkdir(filepath.Join(dir, "notes", "v1.2.0"), 0o755))
		},
			contracts.Problem{contracts.Ledger, "notes/v1.2.0", "no release"}},
		{"a stray", put("notes/__pycache__/x", ""), contracts.Problem{contracts.Ledger, "notes/__pycache__", "no release"}},
		{"a stale waiver", func(t *testing.T, dir string) {
			edit(t, dir, "releases.toml", func(s string) string { return s + waiver })
		}, contracts.Problem{contracts.Ledger, "releases.toml", "is not needed"}},
		{"a scenario without its fixture", put("scenarios/notes/later.txtar", "# since: v1.1.0\n"),
			contracts.Problem{contracts.Ledger, "notes/v1.1.0/later", "has neither fixtures"}},
		{"two versions in one string", replace("releases.toml", `"v1.0.0"`, `"v1.0.0 v1.1.0"`),
			contracts.Problem{contracts.Ledger, "releases.toml", "v1.0.0 v1.1.0"}},
		{"a count off by one", func(t *testing.T, dir string) {
			edit(t, dir, v10, func(s string) string {
				at := strings.Index(s, `"kind":"path"`)
				return s[:at] + strings.Replace(s[at:], `"count":1`, `"count":2`, 1)
			})
		}, contracts.Problem{contracts.Bytes, "notes/v1.0.0/add", "recorded 2 times"}},
		{"a witness that does not hold", replace(v10, `"match":"stays"`, `"match":"went"`),
			contracts.Problem{contracts.Bytes, "notes/v1.0.0/add", "went"}},
		{"a manifest edited where nothing else shows it", replace(v10, `"from": "20`, `"from": "19`),
			contracts.Problem{contracts.Ledger, v10, "not the manifest that was frozen"}},
		{"a manifest of another release", func(t *testing.T, dir string) {
			require.NoError(t, os.Remove(filepath.Join(dir, v11)))
			require.NoError(t, os.Rename(filepath.Join(dir, v10), filepath.Join(dir, v11)))
		}, contracts.Problem{contracts.Bytes, v11, "is the manifest of notes/v1.0.0"}},
		{"another commit", replace("releases.toml", `commit = "2b3`, `commit = "3b3`),
			contracts.Problem{contracts.Producers, v10, "the ledger says v1.0.0"}},
		{"a family without its suite", func(t *testing.T, dir string) {
			require.NoError(t, os.Remove(filepath.Join(dir, "..", "suites", "notes", "notes_test.go")))
		}, contracts.Problem{contracts.Owners, "notes", "no suite below"}},
		{"two owners", func(t *testing.T, dir string) { suiteOf(t, dir, "again", "notes") },
			contracts.Problem{contracts.Owners, "notes", `["again/again_test.go" "notes/notes_test.go"]`}},
		{"an owner of nothing", func(t *testing.T, dir string) { suiteOf(t, dir, "letters", "letters") },
			contracts.Problem{contracts.Owners, "letters/letters_test.go", "which has no fixtures"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := copyCorpus(t)
			suiteOf(t, dir, "notes", "notes")
			tt.change(t, dir)
			problems, err := contracts.Corpus{Fixtures: dir, Suites: filepath.Join(dir, "..", "suites")}.Check(t.Context())
			require.NoError(t, err)
			if tt.want == (contracts.Problem{}) {
				require.Empty(t, problems)
				return
			}
			for i, p := range problems {
				if strings.Contains(p.Reason, tt.want.Reason) {
					problems[i].Reason = tt.want.Reason
				}
			}
			require.Contains(t, problems, tt.want)
		})
	}
}

// suiteOf writes a suite beside the fixtures folder.
func suiteOf(t *testing.T, dir, name, family string) {
	t.Helper()
	write(t, dir, "../suites/"+name+"/"+name+"_test.go", `package p
import (
	"testing"
	frozen "github.com/freeze-contracts/permafrost/contracts"
)
func TestMain(m *testing.M) { frozen.Main(m, "`+family+`") }
`)
}

func TestCorpusIsNotThereYet(t *testing.T) {
	_, err := contracts.Corpus{Fixtures: t.TempDir(), Suites: "."}.Check(t.Context())
	if !contracts.Absent(err) {
		t.Errorf("got %v, want an error that says so", err)
	}
}

// A suite is one by its TestMain alone, not by a call elsewhere or to another.
func TestOwnersAreTestMains(t *testing.T) {
	dir := copyCorpus(t)
	const head = "package p\nimport (\n\t\"testing\"\n\t\"github.com/freeze-contracts/permafrost/contracts\"\n\tother \"example.org/contracts\"\n)\n"
	write(t, dir, "../suites/a_test.go", head+"func TestOther(m *testing.M) { contracts.Main(m, \"notes\") }\n")
	write(t, dir, "../suites/b_test.go", head+"func TestMain(m *testing.M) { other.Main(m, \"notes\") }\n")
	write(t, dir, "../suites/testdata/c_test.go", head+"func TestMain(m *testing.M) { contracts.Main(m, \"notes\") }\n")
	problems, err := contracts.Corpus{Fixtures: dir, Suites: filepath.Join(dir, "..", "suites")}.Check(t.Context())
	require.NoError(t, err)
	want := []string{"notes: no suite below"}
	var got []string
	for _, p := range problems {
		got = append(got, p.String()[:min(len(want[0]), len(p.String()))])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got)\n%s", diff)
	}
}
