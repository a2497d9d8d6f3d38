//go:build linux

package tmux_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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

// Each value reaches the program of a pane byte for byte, on both of the ways
// that there are; and what is put into its command line does, too.
func TestValuesAreExact(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := filepath.Dir(u.Socket)
	want := map[string]string{}
	var given []string
	for i, value := range awkward() {
		name := fmt.Sprintf("N_%d", i)
		want[name] = value
		given = append(given, name+"="+value)
	}
	require.NoError(t, u.NewSession(t.Context(), tmux.NewSession{Name: "one", Dir: dir, Env: append(given, "TURN=1"), Argv: sleep()}))
	pane := onlyPane(t, u)
	if diff := cmp.Diff(want, numbered(environOf(t, u, "TURN=1"))); diff != "" {
		t.Errorf("NewSession (-want +got)\n%s", diff)
	}
	for name := range want {
		want[name] += "x"
	}
	for i := range given {
		given[i] += "x"
	}
	end(t, u)
	words := slices.DeleteFunc(awkward(), func(s string) bool { return len(s) > 1000 })
	require.NoError(t, u.Respawn(t.Context(), tmux.Respawn{
		Pane: pane.ID, Session: pane.SessionID, Dir: dir, Env: append(given, "TURN=2"),
		Argv: append([]string{"sh", "-c", "exec sleep 1000; exit", "sh"}, words...),
	}))
	if diff := cmp.Diff(want, numbered(environOf(t, u, "TURN=2"))); diff != "" {
		t.Errorf("Respawn (-want +got)\n%s", diff)
	}
}

func numbered(environ map[string]string) map[string]string {
	maps.DeleteFunc(environ, func(name, _ string) bool { return !strings.HasPrefix(name, "N_") })
	return environ
}

func TestNUL(t *testing.T) {
	u := newUser(t)
	err := u.NewSession(t.Context(), tmux.NewSession{Name: "one", Dir: "/", Env: []string{"A=b\x00c"}, Argv: sleep()})
	require.EqualError(t, err, fmt.Sprintf("tmux new-session on %q: value of 5 bytes: NUL at offset 3 cannot be passed to tmux", u.Socket))
}
