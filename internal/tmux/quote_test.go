//go:build linux

package tmux_test

import (
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/freeze-contracts/permafrost/internal/tmux"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// awkward values are those that some way of quoting was seen to break.
func awkward() []string {
	all := make([]byte, 0, 255)
	for b := 1; b <= 255; b++ {
		all = append(all, byte(b))
	}
	values := []string{
		"", "plain", "a b", " \t ", "it's", `"dq"`, "$HOME ${HOME}", "a;b", "end;", `end\;`, ";", "line1\nline2", "\nlead", "trail\n",
		"x\n%if 1\ny", "#{pid} #(id) #c", "~", "~/x", "~root", `back\slash\n`, `\`, "tab\there", "{ }", "{", "}", "\xff\xfe\x80", "café",
		"%H%M", "-k", "=", "A=B", "\r\nX", "\x1b[31m", "\xc3", "#comment", "x #y", "`id`", "!x", `\u0041\101`, string(all),
		strings.Repeat("x", 100_000),
	}
	random := rand.New(rand.NewPCG(1, 2))
	const letters = "'\"$;\\\n #{}~%ab\xc3\xa9\xff\t\r"
	for range 60 {
		b := make([]byte, 1+random.IntN(40))
		for i := range b {
			b[i] = letters[random.IntN(len(letters))]
		}
		values = append(values, string(b))
	}
	return values
}

// Each value reaches a program in the running tmux byte for byte.
func TestQuote(t *testing.T) {
	t.Parallel()
	s, pane := serve(t, "one")
	_, err := s.Run(t.Context(), "set-option", "-w", "-t", pane.ID, "remain-on-exit", "on")
	require.NoError(t, err)
	for i, value := range awkward() {
		quoted, err := tmux.Quote("K=" + value)
		require.NoError(t, err)
		_, err = s.Source(t.Context(), "respawn-pane -k -t "+pane.ID+" -e "+quoted+" -e N="+strconv.Itoa(i)+` "exec sleep 1000"`)
		require.NoError(t, err, "%q", value)
		if diff := cmp.Diff(value, environmentOf(t, s, i)["K"]); diff != "" {
			t.Errorf("%.60q (-want +got)\n%s", value, diff)
		}
	}
}

// environmentOf waits for the i-th program of the pane and reads what it got.
func environmentOf(t *testing.T, s tmux.Server, i int) map[string]string {
	t.Helper()
	env := map[string]string{}
	require.Eventually(t, func() bool {
		panes, err := s.ListPanes(t.Context())
		if err != nil || len(panes) != 1 || panes[0].Command != "sleep" {
			return false
		}
		b, err := os.ReadFile("/proc/" + strconv.Itoa(panes[0].PID) + "/environ")
		for _, entry := range strings.Split(string(b), "\x00") {
			name, value, _ := strings.Cut(entry, "=")
			env[name] = value
		}
		return err == nil && env["N"] == strconv.Itoa(i)
	}, 10*time.Second, 2*time.Millisecond)
	return env
}

func TestQuoteRefusesNUL(t *testing.T) {
	_, err := tmux.Quote("a\x00b")
	require.EqualError(t, err, "value of 3 bytes: NUL at offset 1 cannot be passed to tmux")
}

// A batch that is cut short on its way does nothing at all. The cut is made
// here by a command that never ends its braces.
func TestSourceIsWhole(t *testing.T) {
	t.Parallel()
	s, _ := serve(t, "one")
	_, err := s.Source(t.Context(), "set-option -g @first 1", "if-shell -F 1 {")
	require.Error(t, err)
	out, err := s.Run(t.Context(), "show-options", "-gqv", "@first")
	require.NoError(t, err)
	require.Empty(t, out)
	_, err = s.Source(t.Context(), "set-option -g @first 1", "set-option -g @second 2")
	require.NoError(t, err)
	out, err = s.Run(t.Context(), "show-options", "-gqv", "@second")
	require.NoError(t, err)
	require.Equal(t, "2\n", out)
}
