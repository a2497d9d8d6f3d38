//go:build unix

package tmux_test

import (
	"path/filepath"
	"testing"

	"github.com/freeze-contracts/permafrost/internal/tmux"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// A session's own value, the server's, and none.
func TestVariable(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.Env = append(u.Env, "NAMES=server's")
	_, err := u.Variable(t.Context(), "NAMES")
	require.ErrorIs(t, err, tmux.ErrAbsent)
	for _, n := range []tmux.NewSession{
		{Name: "one", Env: []string{"NAMES=A #{pid} B_2"}},
		{Name: "one-more"},
		{Name: "hidden", Hide: []string{"NAMES"}},
		{Name: "empty", Env: []string{"NAMES="}},
	} {
		n.Dir, n.Argv = filepath.Dir(u.Socket), sleep()
		require.NoError(t, u.NewSession(t.Context(), n))
	}
	got, err := u.Variable(t.Context(), "NAMES")
	require.NoError(t, err)
	if diff := cmp.Diff(map[string]string{"$0": "A #{pid} B_2", "$1": "server's", "$2": "", "$3": ""}, got); diff != "" {
		t.Errorf("Variable (-want +got)\n%s", diff)
	}
}
