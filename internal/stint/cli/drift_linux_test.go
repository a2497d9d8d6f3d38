package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// driftLine is what status says of the env file's values.
func (d rotation) driftLine() string {
	d.Helper()
	out, said := d.stint(0, "status")
	require.Empty(d, said)
	return regexp.MustCompile(`(?m)^.*retired values.*$`).FindString(out)
}

// driftOf is what status --json says of them.
func (d rotation) driftOf() []map[string]any {
	d.Helper()
	var v struct{ Drift []map[string]any }
	out, _ := d.stint(0, "status", "--json")
	require.NoError(d, json.Unmarshal([]byte(out), &v))
	return v.Drift
}

func TestStatusDrift(t *testing.T) {
	d := newRotation(t, "TOKEN=first\n")
	d.outcomes()
	require.Empty(t, d.driftOf(), "nothing runs")
	mute, again, title := d.open("sleep", "mute"), d.open("sleep", "again"), d.open("title title tit", "title")
	ended := d.open("sleep", "again")
	d.kill(ended)
	require.Empty(t, d.driftLine())
	d.rotate("TOKEN=first\nMORE=1\n")
	d.stint(1, "session", "restart", again, title)
	d.rotate("TOKEN=second\nMORE=1\n")
	require.Equal(t, "on retired values: 2 of 3 running sessions, of MORE, TOKEN: stint session restart --all", d.driftLine())
	want := []map[string]any{
		{"id": mute, "drift": "stale", "differs": []any{"MORE", "TOKEN"}},
		{"id": again, "drift": "stale", "differs": []any{"TOKEN"}},
		{"id": title, "drift": "unverified", "reason": fmt.Sprintf("process %d: it has overwritten its environment", d.pane(title).pid)},
	}
	if diff := cmp.Diff(want, d.driftOf()); diff != "" {
		t.Errorf("drift (-want +got)\n%s", diff)
	}
	d.stint(1, "session", "restart", "--all", "--fresh")
	require.Empty(t, d.driftLine())
	require.Equal(t, "fresh", d.driftOf()[0]["drift"])

	// Whatever is wrong with the file, it is told and nothing fails.
	require.NoError(t, os.Remove(filepath.Join(d.dir, "secrets.env")))
	require.Equal(t, fmt.Sprintf("not known what runs on retired values: env file %q: no such file; mend that, or change env.file in stint.toml", filepath.Join(d.dir, "secrets.env")), d.driftLine())
	require.Empty(t, d.driftOf())
	d.configure(d.socket)
	require.Empty(t, d.driftLine())
}
