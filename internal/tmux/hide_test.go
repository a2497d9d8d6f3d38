package tmux_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/freeze-contracts/permafrost/internal/tmux"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// What is to be hidden is the server's, and reaches neither the first program
// of the session nor a later one.
func TestNewSessionHides(t *testing.T) {
	u := newUser(t)
	u.Env = append(u.Env, "GONE=server's", "KEPT=server's")
	dir := filepath.Dir(u.Socket)
	show := func(name string) []string {
		return []string{"sh", "-c", `echo "${GONE-none} ${ALSO-none} $KEPT" >` + name + `.new; mv ` + name + `.new ` + name + `; exec sleep 1000`}
	}
	require.NoError(t, u.NewSession(t.Context(), tmux.NewSession{Name: "one", Dir: dir, Hide: []string{"GONE", "ALSO"}, Argv: show("first")}))
	_, err := u.Run(t.Context(), append([]string{"new-window", "-d", "-t", "=one:", "-c", dir}, show("second")...)...)
	require.NoError(t, err)
	for _, name := range []string{"first", "second"} {
		var got []byte
		require.Eventually(t, func() bool {
			var err error
			got, err = os.ReadFile(filepath.Join(dir, name))
			return err == nil
		}, 10*time.Second, 10*time.Millisecond)
		if diff := cmp.Diff("none none server's\n", string(got)); diff != "" {
			t.Errorf("what the %s program has (-want +got)\n%s", name, diff)
		}
	}
	global, err := u.Run(t.Context(), "show-environment", "-g", "GONE")
	require.NoError(t, err)
	require.Equal(t, "GONE=server's\n", global, "the server's own")
}
