package scenario_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/freeze-contracts/permafrost/sandbox"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// A release may leave whatever it likes: it is ended, and the run stands.
func TestHostileDaemonsAreEnded(t *testing.T) {
	s := makeSubject(t, "hostile")
	res := run(t, s.spec(t, "daemons", "v1.0.0"))
	require.Equal(t, "four\n", string(entry(t, res, "home/.local/state/pest/daemons").Data))
}

func TestTripwire(t *testing.T) {
	s := makeSubject(t, "hostile")
	res := run(t, s.spec(t, "tmux", "v1.0.0"))
	require.Len(t, res.Tripwires, 1)
	require.Contains(t, strings.Join(res.Notes, "\n"), "the machine's tmux was called around the box's own")
	require.Empty(t, run(t, s.spec(t, "pid", "v1.0.0")).Tripwires)
}

func TestCrumbsAreNoted(t *testing.T) {
	s := makeSubject(t, "hostile")
	outside := t.TempDir()
	spec := s.spec(t, "outside", "v1.0.0")
	spec.Box.Env = map[string]string{"PEST_OUTSIDE": outside}
	res := run(t, spec)
	want := []string{
		"home/.cache: was written, and is outside of what is frozen",
		"tmp/crumbs: was written, and is outside of what is frozen",
	}
	if d := cmp.Diff(want, res.Notes); d != "" {
		t.Errorf("notes (-want +got)\n%s", d)
	}
	// What leaves the box altogether is not seen: no box can look everywhere.
	require.FileExists(t, filepath.Join(outside, "crumbs"))
	require.Equal(t, []string{"dir home/.local/state/pest", "file home/.local/state/pest/outside"}, paths(res, ""))
}

// Two boxes that number their processes alike make a pid look like a constant.
func TestPIDsNotApartAreNoted(t *testing.T) {
	box, err := sandbox.Start(t.Context(), sandbox.Config{})
	require.NoError(t, err)
	require.NoError(t, box.Close())
	if box.Namespace() == "" {
		t.Skip("this machine gives no namespace: pids are its own, and no two boxes have the same")
	}
	s := makeSubject(t, "hostile")
	spec := s.spec(t, "pid", "v1.0.0")
	spec.Box.FirstPID = 3000
	apart := run(t, spec)
	require.Empty(t, apart.Notes)
	spec = s.spec(t, "pid", "v1.0.0")
	spec.Box.FirstPID = 1 << 30 // more than any kernel has
	want := []string{"pids: this machine numbers the processes of every box alike, so that one that is persisted passes for a constant"}
	if d := cmp.Diff(want, run(t, spec).Notes); d != "" {
		t.Errorf("notes (-want +got)\n%s", d)
	}
}

func TestIdleHasNoEffect(t *testing.T) {
	s := makeSubject(t, "hostile")
	require.ErrorContains(t, runFails(t, t.Context(), s.spec(t, "idle", "v1.0.0")), "has no effect")
}
