package ledger_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/freeze-contracts/permafrost/freeze/config/tomldoc"
	"github.com/freeze-contracts/permafrost/freeze/ledger"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

const (
	commit1 = "0123456789abcdef0123456789abcdef01234567"
	commit2 = "89abcdef0123456789abcdef0123456789abcdef"
	sum     = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
)

const whole = `format = 1

[[release]]
version = "v0.10.0"
commit = "` + commit2 + `"
date = "2026-11-30"

[[release.replaced]]
family = "sessions"
scenario = "open"
why = "the box had another\ttime zone: \"é\" \\ \u0001"
date = "2026-12-01"

[[release]]
version = "v0.2.0"
package = "@scope/notes"
integrity = "sha512-abc+/="
dependencies = "` + sum + `"
before = "2026-10-01T12:00:00Z"
date = "2026-10-01"

[[release.fixture]]
family = "sessions"
sha256 = "` + sum + `"

[[release.waiver]]
family = "project"
reason = "it had none"
date = "2026-10-02"

[[release.waiver]]
family = "sessions"
scenario = "open"
reason = "crashes"
date = "2026-10-02"

[[release]]
version = "v0.10.0-rc.1"
commit = "` + commit1 + `"
date = "2026-11-01"
`

func want() *ledger.Ledger {
	return &ledger.Ledger{Format: 1, Releases: []ledger.Release{
		{
			Version: "v0.2.0", Package: "@scope/notes", Integrity: "sha512-abc+/=", Date: "2026-10-01",
			Dependencies: sum, Before: "2026-10-01T12:00:00Z",
			Fixtures: []ledger.Fixture{{Family: "sessions", SHA256: sum}},
			Waivers: []ledger.Waiver{
				{Family: "project", Reason: "it had none", Date: "2026-10-02"},
				{Family: "sessions", Scenario: "open", Reason: "crashes", Date: "2026-10-02"},
			},
		},
		{Version: "v0.10.0-rc.1", Commit: commit1, Date: "2026-11-01"},
		{
			Version: "v0.10.0", Commit: commit2, Date: "2026-11-30",
			Replaced: []ledger.Replaced{{
				Family: "sessions", Scenario: "open",
				Why: "the box had another\ttime zone: \"é\" \\ \x01", Date: "2026-12-01",
			}},
		},
	}}
}

func TestParse(t *testing.T) {
	got, err := ledger.Parse([]byte(whole))
	require.NoError(t, err)
	if diff := cmp.Diff(want(), got); diff != "" {
		t.Errorf("Parse (-want +got)\n%s", diff)
	}
}

func TestEncode(t *testing.T) {
	const text = `# The releases that are frozen, oldest first. freeze writes this file anew when a
# release is cut or replaced, and keeps no comment but this one. Waivers are
# added by hand.
format = 1

[[release]]
version = "v0.2.0"
package = "@scope/notes"
integrity = "sha512-abc+/="
dependencies = "` + sum + `"
before = "2026-10-01T12:00:00Z"
date = "2026-10-01"

[[release.fixture]]
family = "sessions"
sha256 = "` + sum + `"

[[release.waiver]]
family = "project"
reason = "it had none"
date = "2026-10-02"

[[release.waiver]]
family = "sessions"
scenario = "open"
reason = "crashes"
date = "2026-10-02"

[[release]]
version = "v0.10.0-rc.1"
commit = "` + commit1 + `"
date = "2026-11-01"

[[release]]
version = "v0.10.0"
commit = "` + commit2 + `"
date = "2026-11-30"

[[release.replaced]]
family = "sessions"
scenario = "open"
why = "the box had another\u0009time zone: \"é\" \\ \u0001"
date = "2026-12-01"
`
	if diff := cmp.Diff(text, string(want().Encode())); diff != "" {
		t.Errorf("Encode (-want +got)\n%s", diff)
	}
	again, err := ledger.Parse([]byte(text))
	require.NoError(t, err)
	if diff := cmp.Diff(want(), again); diff != "" {
		t.Errorf("Parse(Encode) (-want +got)\n%s", diff)
	}
}

func TestParseErrors(t *testing.T) {
	const pinned = "commit = \"" + commit1 + "\""
	const one = "format = 1\n[[release]]\nversion = \"v1.0.0\"\ncommit = \"" + commit1 + "\"\ndate = \"2026-11-30\"\n"
	const waiver = "[[release.waiver]]\nfamily = \"f\"\nscenario = \"s\"\nreason = \"r\"\ndate = \"2026-11-30\"\n"
	const replaced = "[[release.replaced]]\nfamily = \"f\"\nscenario = \"s\"\nwhy = \"w\"\ndate = \"2026-11-30\"\n"
	const fixture = "[[release.fixture]]\nfamily = \"f\"\nsha256 = \"" + sum + "\"\n"
	const full = one + waiver + replaced
	for _, tt := range []struct{ name, old, new, want string }{
		{"empty", full, "", "releases.toml: format: missing or unknown, has to be 1"},
		{"format zero", "format = 1", "format = 0", "releases.toml:1:1: format: missing or unknown, has to be 1"},
		{"format newer", "format = 1", "format = 2\nshape = 3", "releases.toml:1:1: format: 2 is newer than 1, the newest this build reads"},
		{"format text", "format = 1", "format = \"1\"", "releases.toml:1:1: format: wrong type: wants an integer, not a string"},
		{"no TOML", "format = 1", "format =", "releases.toml:1:9: "},
		{"unknown key", "date =", "day =", "releases.toml:5:1: release[0].day: unknown key, known here: version, commit, package, integrity, dependencies, before, date, fixture, waiver, replaced"},
		{"sealed twice", waiver, fixture + fixture, "releases.toml:9:11: release[0].fixture[1]: family f is sealed already"},
		{"seal of no family", waiver, strings.Replace(fixture, `"f"`, `""`, 1), "releases.toml:7:1: release[0].fixture[0].family: "},
		{"no sha256", waiver, strings.Replace(fixture, sum, sum[1:], 1), "releases.toml:8:1: release[0].fixture[0].sha256: "},
		{"unknown table", "[[release.waiver]]", "[[waiver]]", "releases.toml:6:3: waiver: unknown key"},
		{"version missing", "version = \"v1.0.0\"\n", "", "releases.toml:2:3: release[0].version: missing"},
		{"version without v", `"v1.0.0"`, `"1.0.0"`, `releases.toml:3:1: release[0].version: "1.0.0" is no version`},
		{"version short", `"v1.0.0"`, `"v1.0"`, `releases.toml:3:1: release[0].version: "v1.0" is not how the version is written in full: "v1.0.0" is`},
		{"version with build", `"v1.0.0"`, `"v1.0.0+b1"`, `release[0].version: "v1.0.0+b1" is not how the version is written in full`},
		{"two versions in one", `"v1.0.0"`, `"v1.0.0, v1.0.1"`, `release[0].version: "v1.0.0, v1.0.1" is no version`},
		{"version twice", full, one + strings.TrimPrefix(one, "format = 1\n"), `releases.toml:7:1: release[1].version: "v1.0.0" is release[0] already`},
		{"commit short", commit1, "0123456", `releases.toml:4:1: release[0].commit: "0123456" is no full commit`},
		{"commit upper case", commit1, strings.ToUpper(commit1), `is no full commit: 40 hex digits in lower case`},
		{"no pin", "commit = \"" + commit1 + "\"\n", "", "releases.toml:2:3: release[0]: has neither commit nor package"},
		{"two pins", "date = ", "package = \"p\"\ndate = ", "releases.toml:5:1: release[0].package: a release has a commit or a package, not both"},
		{"commit with integrity", "date = ", "integrity = \"i\"\ndate = ", "releases.toml:5:1: release[0].integrity: only a package has an integrity"},
		{"commit with dependencies", "date = ", "dependencies = \"" + sum + "\"\ndate = ", "releases.toml:5:1: release[0].dependencies: only a package has them"},
		{"commit with a moment", "date = ", "before = \"2026-11-30T12:00:00Z\"\ndate = ", "releases.toml:5:1: release[0].before: only a package has"},
		{"dependencies of no moment", pinned, "package = \"p\"\ndependencies = \"" + sum + "\"", "releases.toml:5:1: release[0].dependencies: does not say of when they are"},
		{"moment of no dependencies", pinned, "package = \"p\"\nbefore = \"2026-11-30T12:00:00Z\"", "releases.toml:5:1: release[0].before: says of when dependencies are"},
		{"dependencies short", pinned, "package = \"p\"\ndependencies = \"ab\"\nbefore = \"2026-11-30T12:00:00Z\"", `releases.toml:5:1: release[0].dependencies: "ab" is no sha256`},
		{"moment of another zone", pinned, "package = \"p\"\ndependencies = \"" + sum + "\"\nbefore = \"2026-11-30T12:00:00+01:00\"", `releases.toml:6:1: release[0].before: "2026-11-30T12:00:00+01:00" is no time`},
		{"moment of the day", pinned, "package = \"p\"\ndependencies = \"" + sum + "\"\nbefore = \"2026-11-30\"", `releases.toml:6:1: release[0].before: "2026-11-30" is no time`},
		{"package with an empty integrity", "commit = \"" + commit1 + "\"", "package = \"p\"\nintegrity = \"\"", "releases.toml:5:1: release[0].integrity: "},
		{"package empty", "commit = \"" + commit1 + "\"", "package = \"\"", "releases.toml:4:1: release[0].package: empty"},
		{"package with space", "commit = \"" + commit1 + "\"", "package = \"a b\"", `release[0].package: "a b" holds white space`},
		{"date missing", "date = \"2026-11-30\"\n", "", "releases.toml:2:3: release[0].date: missing"},
		{"date wrong", "2026-11-30", "2026-11-31", `releases.toml:5:1: release[0].date: "2026-11-31" is no date`},
		{"date with time", "2026-11-30", "2026-11-30T10:00:00Z", `release[0].date: "2026-11-30T10:00:00Z" is no date`},
		{"date unquoted", "\"2026-11-30\"", "2026-11-30", `releases.toml:5:1: release[0].date: wrong type: wants a string, not a date or time without quotes`},
		{"waiver without reason", "reason = \"r\"\n", "", "releases.toml:6:11: release[0].waiver[0].reason: missing"},
		{"waiver with empty reason", "reason = \"r\"", "reason = \" \"", "releases.toml:9:1: release[0].waiver[0].reason: empty"},
		{"waiver without date", "date = \"2026-11-30\"\n[[release.replaced]]", "[[release.replaced]]", "releases.toml:6:11: release[0].waiver[0].date: missing"},
		{"waiver without family", "family = \"f\"\n", "", "releases.toml:6:11: release[0].waiver[0].family: missing"},
		{"waiver of no scenario", "scenario = \"s\"", "scenario = \"\"", "releases.toml:8:1: release[0].waiver[0].scenario: empty"},
		{"waiver twice", replaced, waiver, "releases.toml:11:11: release[0].waiver[1]: f/s is waived already"},
		{"waiver of all and one", replaced, strings.Replace(waiver, "scenario = \"s\"\n", "", 1), "releases.toml:11:11: release[0].waiver[1]: family f is waived already"},
		{"replaced without why", "why = \"w\"\n", "", "releases.toml:11:11: release[0].replaced[0].why: missing"},
		{"replaced without family", "[[release.replaced]]\nfamily = \"f\"\n", "[[release.replaced]]\n", "releases.toml:11:11: release[0].replaced[0].family: missing"},
		{"replaced of no scenario", replaced, strings.Replace(replaced, `"s"`, `"a b"`, 1), `releases.toml:13:1: release[0].replaced[0].scenario: "a b" holds white space`},
		{"replaced without date", "why = \"w\"\ndate = \"2026-11-30\"\n", "why = \"w\"\n", "releases.toml:11:11: release[0].replaced[0].date: missing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.Contains(t, full, tt.old)
			_, err := ledger.Parse([]byte(strings.Replace(full, tt.old, tt.new, 1)))
			var e *tomldoc.Error
			require.ErrorAs(t, err, &e)
			require.ErrorContains(t, err, tt.want)
		})
	}
	_, err := ledger.Parse([]byte(full))
	require.NoError(t, err)
}

func TestLoad(t *testing.T) {
	_, err := ledger.Load(fstest.MapFS{})
	require.ErrorIs(t, err, fs.ErrNotExist)

	l, err := ledger.LoadOrNew(fstest.MapFS{})
	require.NoError(t, err)
	if diff := cmp.Diff(&ledger.Ledger{Format: 1}, l); diff != "" {
		t.Errorf("LoadOrNew (-want +got)\n%s", diff)
	}

	_, err = ledger.LoadOrNew(fstest.MapFS{ledger.Name: {Data: []byte("x")}})
	require.ErrorContains(t, err, "releases.toml:1:")

	l, err = ledger.LoadOrNew(fstest.MapFS{ledger.Name: {Data: []byte(whole)}})
	require.NoError(t, err)
	newest, ok := l.Newest()
	if !ok || newest.Version != "v0.10.0" {
		t.Errorf("Newest() = %q, want v0.10.0: by semver, not by text", newest.Version)
	}
}

func TestAdd(t *testing.T) {
	l := want()
	require.NoError(t, l.Add(ledger.Release{Version: "v0.9.0", Commit: commit2, Date: "2026-11-02"}))
	var versions []string
	for _, r := range l.Releases {
		versions = append(versions, r.Version)
	}
	if diff := cmp.Diff([]string{"v0.2.0", "v0.9.0", "v0.10.0-rc.1", "v0.10.0"}, versions); diff != "" {
		t.Errorf("Add (-want +got)\n%s", diff)
	}
	for _, tt := range []struct {
		r    ledger.Release
		want string
	}{
		{ledger.Release{Version: "v0.9.0", Commit: commit2, Date: "2026-11-02"}, `release "v0.9.0" cannot be added: `},
		{ledger.Release{Version: "v1", Commit: commit2, Date: "2026-11-02"}, `"v1" is not how the version is written in full`},
		{ledger.Release{Version: "v1.0.0", Date: "2026-11-02"}, "has neither commit nor package"},
		{ledger.Release{Version: "v1.0.0", Commit: commit2, Date: "2026-11-02", Replaced: []ledger.Replaced{{Why: "\xff", Date: "2026-11-02"}}}, "cannot be added"},
	} {
		require.ErrorContains(t, l.Add(tt.r), tt.want)
		require.Len(t, l.Releases, 4, "a refused release leaves the ledger as it was")
	}
}

func TestNearest(t *testing.T) {
	l := &ledger.Ledger{}
	for _, v := range []string{"v0.1.2", "v0.2.0", "v0.3.0", "v0.10.0-rc.1", "v0.10.0", "v1.0.0"} {
		l.Releases = append(l.Releases, ledger.Release{Version: v})
	}
	for version, want := range map[string][]string{
		"v0.3.1": {"v0.3.0", "v0.2.0", "v0.1.2"},
		"0.3.0":  {"v0.3.0", "v0.2.0", "v1.0.0"},
		"v0.1.0": {"v0.10.0", "v0.3.0", "v0.2.0"},
		"v0.10":  {"v0.10.0", "v0.3.0", "v0.2.0"},
		"v1.0.1": {"v1.0.0", "v0.10.0", "v0.3.0"},
	} {
		if diff := cmp.Diff(want, l.Nearest(version)); diff != "" {
			t.Errorf("Nearest(%s) (-want +got)\n%s", version, diff)
		}
	}
	_, err := l.Get("v0.3.1")
	require.EqualError(t, err, `release "v0.3.1": not in the ledger, nearest to it: v0.3.0, v0.2.0, v0.1.2`)
	r, err := l.Get("v0.3.0")
	require.NoError(t, err)
	require.Equal(t, "v0.3.0", r.Version)
	_, err = (&ledger.Ledger{}).Get("v0.3.1")
	require.EqualError(t, err, `release "v0.3.1": the ledger has no releases yet`)
}

// FuzzParse holds that nothing makes Parse panic, and that whatever it takes
// comes back from Encode unchanged.
func FuzzParse(f *testing.F) {
	f.Add(whole)
	f.Add("format = 1\nrelease = [{version = \"v1.0.0\", commit = \"" + commit1 + "\", date = \"2026-11-30\"}]\n")
	f.Fuzz(func(t *testing.T, text string) {
		l, err := ledger.Parse([]byte(text))
		if err != nil {
			return
		}
		again, err := ledger.Parse(l.Encode())
		require.NoError(t, err)
		if diff := cmp.Diff(l.Encode(), again.Encode()); diff != "" {
			t.Errorf("Encode after Parse (-want +got)\n%s", diff)
		}
	})
}

// The example of the documentation is a ledger.
func TestDocumentedLedger(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "releases.md"))
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(page), "```toml\n")
	example, _, ok := strings.Cut(rest, "```")
	require.True(t, ok, "docs/releases.md has no example")
	l, err := ledger.Parse([]byte(example))
	require.NoError(t, err)
	require.Len(t, l.Releases, 2)
}
