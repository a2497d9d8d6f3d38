package ledger_test

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/freeze-contracts/permafrost/freeze/ledger"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

func TestCheck(t *testing.T) {
	const manifest = `{"scenarios": {"open": {}, "closed": {}}}`
	whole := map[string]string{
		"releases.toml":                   "",
		".gitattributes":                  "",
		".staged/half/written":            "",
		"scenarios/sessions/open.txtar":   "",
		"sessions/v0.1.0/bindings.json":   manifest,
		"sessions/v0.1.0/open/tree/a":     "",
		"sessions/v0.2.0/bindings.json":   manifest,
		"project/v0.2.0/bindings.json":    `{"scenarios": {"init": {}}}`,
		"project/v0.2.0/init/tree/README": "",
	}
	waiver := func(family, scenario string) []ledger.Waiver {
		return []ledger.Waiver{{Family: family, Scenario: scenario}}
	}
	wants := func(version string) map[string][]string {
		return map[string][]string{"sessions": {"open", "closed"}, "project": {"init"}}
	}
	for _, tt := range []struct {
		name      string
		old, newW []ledger.Waiver // of v0.1.0 and v0.2.0
		remove    []string
		add       map[string]string
		unsealed  string // a manifest that the ledger does not seal
		gone      string // a family that v0.1.0 has a seal of and nothing else
		want      ledger.Want
		problems  []string
	}{
		{name: "agree, release by release"},
		{
			name: "manifest edited", add: map[string]string{"project/v0.2.0/bindings.json": `{"scenarios": {"init": {}} }`},
			problems: []string{"edited project/v0.2.0/bindings.json v0.2.0: is not the manifest that was frozen: its sha256 620a0a6d9cb265fcf30f208e7616981270a33eae12a02e34293e486c4818152b is not the one in the ledger"},
		},
		{
			name: "manifest without a seal", unsealed: "project/v0.2.0/bindings.json",
			problems: []string{"edited project/v0.2.0/bindings.json v0.2.0: is not the manifest that was frozen: its sha256 b470f222c0c5b134bde4f85f60b4c01345af7fda00fa06787380f85ad2db731d is not the one in the ledger"},
		},
		{
			name: "sealed and gone", gone: "runs",
			problems: []string{"no-fixtures runs/v0.1.0 v0.1.0: release v0.1.0 had fixtures of runs, and they are gone"},
		},
		{name: "agree, scenario by scenario", want: wants, old: waiver("project", "")},
		{name: "agree, one scenario waived", want: wants, old: waiver("project", "init")},
		{
			name: "release without a scenario", want: wants,
			problems: []string{"no-fixtures project/v0.1.0/init v0.1.0: release v0.1.0 has neither fixtures of project/init nor a waiver"},
		},
		{
			name: "release without anything", remove: []string{"sessions/v0.1.0/bindings.json", "sessions/v0.1.0/open/tree/a"},
			problems: []string{"no-fixtures releases.toml v0.1.0: release v0.1.0 has neither fixtures nor a waiver"},
		},
		{
			name: "release without anything, waived", remove: []string{"sessions/v0.1.0/bindings.json", "sessions/v0.1.0/open/tree/a"},
			old: waiver("sessions", ""),
		},
		{
			name: "no scenario is for it, and nothing there", remove: []string{"sessions/v0.1.0/bindings.json", "sessions/v0.1.0/open/tree/a"},
			want: func(version string) map[string][]string {
				if version == "v0.1.0" {
					return nil
				}
				return wants(version)
			},
			problems: []string{"no-fixtures releases.toml v0.1.0: release v0.1.0 has neither fixtures nor a waiver"},
		},
		{
			name: "folder without release", add: map[string]string{"project/v0.2.1/bindings.json": manifest},
			problems: []string{`no-release project/v0.2.1 v0.2.1: fixtures of no release: release "v0.2.1": not in the ledger, nearest to it: v0.2.0, v0.1.0`},
		},
		{
			name: "needless waiver of a family", newW: waiver("sessions", ""),
			problems: []string{"needless-waiver releases.toml v0.2.0: release v0.2.0 waives family sessions, which is not needed: its fixtures are there"},
		},
		{
			name: "needless waiver of a family, scenario by scenario", want: wants, old: waiver("project", ""), newW: waiver("sessions", ""),
			problems: []string{"needless-waiver releases.toml v0.2.0: release v0.2.0 waives family sessions, which is not needed: its fixtures are there"},
		},
		{
			name: "needless waiver of a scenario", newW: waiver("sessions", "open"),
			problems: []string{"needless-waiver releases.toml v0.2.0: release v0.2.0 waives sessions/open, which is not needed: its fixtures are there"},
		},
		{
			name: "waiver of an unknown scenario", want: wants, old: waiver("project", ""), newW: waiver("sessions", "opened"),
			problems: []string{"needless-waiver releases.toml v0.2.0: release v0.2.0 waives sessions/opened, which is not needed: no such scenario is for this release"},
		},
		{
			name: "waiver of an unknown family", want: wants, old: waiver("project", ""), newW: waiver("artifacts", ""),
			problems: []string{"needless-waiver releases.toml v0.2.0: release v0.2.0 waives family artifacts, which is not needed: no such scenario is for this release"},
		},
		{
			name: "strays", add: map[string]string{
				"sessions/__pycache__/a.pyc":    "",
				"sessions/v0.1.0.orig/open":     "",
				"sessions/notes.md":             "",
				"sessions/v0.3.0/bindings.json": `{"scenarios": {}}`,
				"README.md":                     "",
			},
			problems: []string{
				"stray README.md : a file that is neither the ledger nor in a family",
				"stray sessions/__pycache__ : not a folder named v*, so no release",
				"stray sessions/notes.md : not a folder named v*, so no release",
				"stray sessions/v0.1.0.orig : holds no bindings.json, so no release",
				"stray sessions/v0.3.0 : its bindings.json names no scenario, so no release",
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fsys := fstest.MapFS{}
			for name, data := range whole {
				fsys[name] = &fstest.MapFile{Data: []byte(data)}
			}
			for name, data := range tt.add {
				fsys[name] = &fstest.MapFile{Data: []byte(data)}
			}
			for _, name := range tt.remove {
				delete(fsys, name)
			}
			l := &ledger.Ledger{Format: 1, Releases: []ledger.Release{
				{Version: "v0.1.0", Waivers: tt.old},
				{Version: "v0.2.0", Waivers: tt.newW},
			}}
			for i := range l.Releases {
				seal(&l.Releases[i], whole, append(tt.remove, tt.unsealed))
			}
			if tt.gone != "" {
				l.Releases[0].Seal(tt.gone, strings.Repeat("0", 64))
			}
			problems, err := l.Check(fsys, tt.want)
			require.NoError(t, err)
			var got []string
			for _, p := range problems {
				got = append(got, string(p.Kind)+" "+p.Path+" "+p.Version+": "+p.Msg)
			}
			if diff := cmp.Diff(tt.problems, got); diff != "" {
				t.Errorf("Check (-want +got)\n%s", diff)
			}
		})
	}
}

// seal notes the manifests of a release but for those left out.
func seal(r *ledger.Release, files map[string]string, without []string) {
	for name, data := range files {
		family, isManifest := strings.CutSuffix(name, "/"+r.Version+"/bindings.json")
		if isManifest && !slices.Contains(without, name) {
			r.Seal(family, fmt.Sprintf("%x", sha256.Sum256([]byte(data))))
		}
	}
}

func TestCheckUnreadableManifest(t *testing.T) {
	fsys := fstest.MapFS{"sessions/v0.1.0/bindings.json": {Data: []byte(`{"scenarios": {"a": {}, "a": {}}}`)}}
	_, err := (&ledger.Ledger{}).Check(fsys, nil)
	require.ErrorContains(t, err, "sessions/v0.1.0/bindings.json: ")
	require.ErrorContains(t, err, "duplicate")
}

func TestProblemString(t *testing.T) {
	p := ledger.Problem{Kind: ledger.Stray, Path: "a/b", Msg: "why"}
	require.Equal(t, "a/b: why", p.String())
}
