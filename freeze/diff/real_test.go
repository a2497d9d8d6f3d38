//go:build linux

package diff_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/binding"
	"github.com/freeze-contracts/permafrost/freeze/diff"
	"github.com/freeze-contracts/permafrost/freeze/fixture"
	"github.com/freeze-contracts/permafrost/freeze/tree"
)

// program is what a release does; it is given what the next one does otherwise.
const program = `
set -e
mkdir -p home/state/sessions project
id=$(cat /proc/sys/kernel/random/uuid)
STAMP
printf '{"id":"%s","project":"%s","started":%s}\n' "$id" "$PWD/project" "$stamp" >home/state/sessions/$id.json
printf 'opened %s in %s\n' "$id" "$PWD" >home/state/log
printf '%s' "$PWD/project" | sha256sum | cut -c1-64 >home/state/digest
ln -s "$PWD/project" home/state/current
`

const (
	rfc3339 = `stamp=\"$(date -u +%Y-%m-%dT%H:%M:%SZ)\"`
	unix    = `stamp=$(date +%s)`
)

func runIn(t *testing.T, root, script string) *binding.Run {
	t.Helper()
	require.NoError(t, os.RemoveAll(root))
	require.NoError(t, os.MkdirAll(root, 0o755))
	run := &binding.Run{Root: root, From: time.Now()}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", script)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	run.To = time.Now()
	run.Entries, err = tree.Walk(root, []string{"home", "project"})
	require.NoError(t, err)
	return run
}

// freeze runs the release in three boxes, as a cut does.
func freeze(t *testing.T, version, word, stamp string) []*fixture.Release {
	t.Helper()
	base, err := os.MkdirTemp("/tmp", "df")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(base)) })
	script := strings.Replace(program, "STAMP", stamp, 1)
	a := runIn(t, filepath.Join(base, word), script)
	b := runIn(t, filepath.Join(base, "znpxgwvr"), script)
	bs, diffs := binding.Find(a, b, runIn(t, a.Root, script), nil)
	require.Empty(t, diffs)
	return side(version, a.Root, a.Entries, bs...)
}

// Two releases never share a root, an id or a moment: that is no change.
func TestRealReleases(t *testing.T) {
	first := freeze(t, "v1.0.0", "kqzrmtwp", rfc3339)
	same := freeze(t, "v1.0.1", "hvlnxsgjkk", rfc3339)
	require.Empty(t, changes(diff.Releases(first, same)))
	next := freeze(t, "v1.1.0", "hvlnxsgjkk", unix)
	document := "json | home/state/sessions/{id uuid v4}.json | /started | "
	want := []string{
		document + "format | {time RFC 3339 s UTC} -> {time unix s}",
		document + "type | string -> number",
	}
	if d := cmp.Diff(want, changes(diff.Releases(first, next))); d != "" {
		t.Errorf("Releases (-want +got)\n%s", d)
	}
}
