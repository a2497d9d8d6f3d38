package cli_test

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/freeze-contracts/permafrost/internal/stint/cli"
	"github.com/stretchr/testify/require"
)

// A turn comes to its end and its work is saved though nobody reads what the
// agent prints, and who reads later gets all of it, or is told how much is lost.
func TestRunUnread(t *testing.T) {
	d := newDesk(t)
	d.must("sh", "-c", told)
	for _, test := range []struct {
		name   string
		prompt string
		want   func(printed string)
	}{
		{"more than a pipe holds", "seq 100000; seq 100000 >&2; echo done >work", func(printed string) {
			require.Equal(t, 200000, strings.Count(printed, "\n"))
			require.Contains(t, printed, "\n99999\n100000\n")
		}},
		{"more than is kept", "head -c 20000000 /dev/zero | tr '\\0' x | fold -w 1000; echo done >work; echo the end", func(printed string) {
			require.Regexp(t, `\nstint: [0-9]+ bytes that the agent printed here are lost: nobody read\n`, printed)
			require.Greater(t, len(printed), 16_000_000)
			require.Less(t, len(printed), 20_000_000)
		}},
	} {
		read, write, err := os.Pipe()
		require.NoError(t, err)
		var out bytes.Buffer
		code := make(chan int, 1)
		go func() {
			code <- cli.Main([]string{"run", "told", test.prompt}, d.env, os.Stdin, &out, write)
			write.Close()
		}()
		require.Eventually(t, func() bool {
			list, _ := d.stint(0, "runs", "list", "--state", "pending")
			return strings.Contains(list, " pending ")
		}, patience, pause, test.name)
		require.Empty(t, code, "it waits for who reads")
		printed, err := io.ReadAll(read)
		require.NoError(t, err)
		require.Zero(t, <-code, test.name)
		require.Contains(t, out.String(), "saved run ")
		test.want(string(printed))
		run := strings.Fields(out.String())[2]
		d.stint(0, "runs", "discard", run)
	}
}
