package contracts_test

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
)

// Every file of a release, altered, truncated and deleted. As of the suites here,
// make check asks for it.
func TestTamperingIsSeen(t *testing.T) {
	if os.Getenv("PERMAFROST_CHECK") == "" {
		t.Skip("with PERMAFROST_CHECK=1 a whole suite is asked of each file")
	}
	found := contracts.TamperingOf(t, suite(t, "jot", "-test.run=/v1.1.0"))
	seen := make(map[contracts.Verdict]int)
	byFile := make(map[string][]contracts.Verdict)
	for _, f := range found {
		if !strings.HasPrefix(f.File, "notes/v1.1.0/") {
			continue
		}
		seen[f.Seen]++
		byFile[f.File] = append(byFile[f.File], f.Seen)
		if f.Seen == contracts.ByReader && f.Assert == "" && strings.Contains(f.File, "/.git/") {
			t.Errorf("%s %s: the failure has no assertion id", f.File, f.How)
		}
	}
	t.Logf("%d changes to %d files: %v", len(found), len(byFile), seen)
	require.Zero(t, seen[contracts.Unseen], "not even the hash saw it, or it did not name the file")
	require.Zero(t, seen[contracts.ByPanic])
	if diff := cmp.Diff(filesOf(t, "notes/v1.1.0"), slices.Sorted(maps.Keys(byFile))); diff != "" {
		t.Errorf("files that were tried (-want +got)\n%s", diff)
	}
	// What git keeps for itself, and the manifest; anything else is read by
	// somebody.
	var hashOnly, want []string
	for file, verdicts := range byFile {
		if !slices.ContainsFunc(verdicts, func(v contracts.Verdict) bool { return v != contracts.ByHash }) {
			hashOnly = append(hashOnly, file)
		}
		if slices.Contains([]string{"COMMIT_EDITMSG", "exclude", "ORIG_HEAD", "bindings.json"}, path.Base(file)) {
			want = append(want, file)
		}
	}
	slices.Sort(hashOnly)
	slices.Sort(want)
	if diff := cmp.Diff(want, hashOnly); diff != "" {
		t.Errorf("files that nothing but the hash holds (-want +got)\n%s", diff)
	}
}

// filesOf lists the files in a folder of the fixtures of jot, sorted.
func filesOf(t *testing.T, dir string) (files []string) {
	t.Helper()
	require.NoError(t, fs.WalkDir(os.DirFS("testdata/jot/fixtures"), dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, name)
		}
		return err
	}))
	slices.Sort(files)
	return files
}

// Without the tests, all files of the family are still tried.
func TestTamperingByTheHashAlone(t *testing.T) {
	tried := make(map[string]bool)
	for _, f := range contracts.TamperingOf(t, suite(t, "jot", "-test.run=TestNotes", "-test.short")) {
		tried[f.File] = true
		require.Equal(t, contracts.ByHash, f.Seen, "%s %s", f.File, f.How)
	}
	require.Equal(t, filesOf(t, "notes"), slices.Sorted(maps.Keys(tried)))
}

// A suite that reads everything and compares nothing of it is found out: no
// assertion of it ever fails.
func TestTamperingFindsOutASuiteThatCannotFail(t *testing.T) {
	found := contracts.TamperingOf(t, suite(t, "odd", "-test.run=TestNotes/v1.0.0/add"))
	byHash := 0
	for _, f := range found {
		if f.Assert != "" && f.Seen == contracts.ByReader {
			t.Errorf("%s %s was seen by %s", f.File, f.How, f.Assert)
		}
		if f.Seen == contracts.ByHash {
			byHash++
		}
		// What was not played is tried too, and held by the hash.
		if !strings.HasPrefix(f.File, "notes/v1.0.0/add/") && f.Seen != contracts.ByHash {
			t.Errorf("%s %s: seen by %s, which did not play it", f.File, f.How, f.Seen)
		}
	}
	require.Greater(t, byHash, len(found)/2)
}

func TestTamperingOfATestThatIsParallel(t *testing.T) {
	cmd := suite(t, "odd", "-test.run=TestNotes/v1.0.0/add")
	cmd.Env = append(cmd.Env, "ODD=is parallel")
	for _, f := range contracts.TamperingOf(t, cmd) {
		require.NotEqual(t, contracts.ByPanic, f.Seen, "%s %s", f.File, f.How)
	}
}

// A test that fails anyway would see everything.
func TestTamperingWantsASuiteThatPasses(t *testing.T) {
	cmd := suite(t, "odd", "-test.run=TestNotes/v1.0.0/add")
	cmd.Env = append(cmd.Env, "ODD=compares with anything")
	heard := &told{TB: t}
	require.PanicsWithError(t, errStopped.Error(), func() { contracts.TamperingOf(heard, cmd) })
	require.Contains(t, heard.said[0], `these fail: ["TestNotes/v1.0.0/add"]`)
	require.NotContains(t, heard.said[0], "no such file", "of a file that nobody has to know of")
}

// A mutation run, which runs each test alone, would ask each test for each file,
// for each mutant.
func TestTamperingIsNotAskedUnderAMutant(t *testing.T) {
	t.Setenv(contracts.ThawEnv, t.TempDir())
	skipped := false
	t.Run("tampering", func(t *testing.T) {
		defer func() { skipped = t.Skipped() }()
		contracts.Tampering(t, "^TestNone$")
	})
	require.True(t, skipped)
}
