package shell_test

import (
	"os/exec"
	"testing"

	"github.com/freeze-contracts/permafrost/internal/stint/shell"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// What a shell makes of a word is what it stands for. zsh would look for a
// program at a word that begins with =. What no terminal shows can be pasted all
// the same, but for newlines at the end, which a shell takes from what it reads.
func TestWord(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"/tmp/a b", `'/tmp/a b'`},
		{"/run/user/0/tmux", "/run/user/0/tmux"},
		{"=stint-1", `'=stint-1'`},
		{"it's", `'it'\''s'`},
		{"~/x", `'~/x'`},
		{"$HOME*", `'$HOME*'`},
		{"", "''"},
		{"a~", "'a~'"},
		{"a$(id)b", "'a$(id)b'"},
		{"a\u00a0b", `"$(printf 'a\302\240b')"`},
		{"it's 100%\\!\n\n2", `"$(printf 'it'\''s 100%%\\\041\012\0122')"`},
		{"\x1b[31m\xff", `"$(printf '\033[31m\377')"`},
		{"é\u200dü", `"$(printf 'é\342\200\215ü')"`},
		{"a\n", "'a\n'"},
	} {
		got := shell.Word(test.in)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("Word(%q) (-want +got)\n%s", test.in, diff)
		}
		out, err := exec.Command("sh", "-c", "printf %s "+got).Output()
		require.NoError(t, err)
		require.Equal(t, test.in, string(out))
	}
	require.Equal(t, "./-x", shell.Word("-x"), "no option")
	require.Equal(t, `"$(printf './-\011')"`, shell.Word("-\t"), "no option")
}
