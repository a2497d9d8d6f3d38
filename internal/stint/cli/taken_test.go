package cli_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Where there is no socket tmux removes what it finds, and makes its own.
func TestSocketTaken(t *testing.T) {
	d := newDesk(t)
	file, link, nowhere := filepath.Join(d.dir, "file"), filepath.Join(d.dir, "link"), filepath.Join(d.dir, "nowhere")
	require.NoError(t, os.WriteFile(file, []byte("mine"), 0o600))
	require.NoError(t, os.Symlink(file, link))
	require.NoError(t, os.Symlink("not there", nowhere))
	for _, socket := range []string{file, link, nowhere, d.dir} {
		d.end(socket)
		d.configure(socket)
		_, said := d.stint(1, "session", "open", "--no-attach")
		require.Equal(t, "stint: tmux socket \""+socket+"\": what is there is no socket, and tmux would remove it: move it away, or change tmux.socket in stint.toml\n", said)
	}
	b, err := os.ReadFile(link)
	require.NoError(t, err)
	require.Equal(t, "mine", string(b))
	to, err := os.Readlink(nowhere)
	require.NoError(t, err)
	require.Equal(t, "not there", to)
}
