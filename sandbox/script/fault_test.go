package script_test

import (
	"testing"

	"github.com/freeze-contracts/permafrost/sandbox"
	"github.com/freeze-contracts/permafrost/sandbox/script"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

func TestParseFault(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want sandbox.Fault
	}{
		{[]string{"git", "worktree add", "kill-caller"}, sandbox.Fault{Program: "git", Pattern: "worktree add", Action: sandbox.KillCaller, Count: 1}},
		{[]string{"git", "-stdin", "-stdin", "kill-caller-after", "3"}, sandbox.Fault{Program: "git", Stdin: true, Pattern: "-stdin", Action: sandbox.KillCallerAfter, Count: 3}},
		{[]string{"tmux", ".", "hang", "2"}, sandbox.Fault{Program: "tmux", Pattern: ".", Action: sandbox.Hang, Count: 2}},
		{[]string{"git", ".", "fail", "128"}, sandbox.Fault{Program: "git", Pattern: ".", Action: sandbox.Fail, Code: 128, Count: 1}},
		{[]string{"git", ".", "fail", "1", "disk 7 full"}, sandbox.Fault{Program: "git", Pattern: ".", Action: sandbox.Fail, Code: 1, Message: "disk 7 full", Count: 1}},
		{[]string{"git", ".", "fail", "1", "full", "4"}, sandbox.Fault{Program: "git", Pattern: ".", Action: sandbox.Fail, Code: 1, Message: "full", Count: 4}},
		{[]string{"git", ".", "fail", "1", "4"}, sandbox.Fault{Program: "git", Pattern: ".", Action: sandbox.Fail, Code: 1, Count: 4}},
		{[]string{"git", ".", "fail", "1", "28", "1"}, sandbox.Fault{Program: "git", Pattern: ".", Action: sandbox.Fail, Code: 1, Message: "28", Count: 1}},
	} {
		got, err := script.ParseFault(tt.args)
		require.NoErrorf(t, err, "%q", tt.args)
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("ParseFault(%q) (-want +got)\n%s", tt.args, d)
		}
	}
}

func TestParseFaultRefuses(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{nil, "usage: fault"},
		{[]string{"git", "-stdin", "x"}, "usage: fault"},
		{[]string{"git", "(", "hang"}, "missing closing )"},
		{[]string{"git", ".", "explode"}, `action "explode" is not known`},
		{[]string{"git", ".", "hang", "0"}, `count "0" is not a number from 1 on`},
		{[]string{"git", ".", "hang", "soon"}, `"soon" is one argument too many`},
		{[]string{"git", ".", "fail"}, `"" is not an exit code from 1 to 255`},
		{[]string{"git", ".", "fail", "0"}, `"0" is not an exit code from 1 to 255`},
		{[]string{"git", ".", "fail", "256"}, `"256" is not an exit code from 1 to 255`},
		{[]string{"git", ".", "fail", "1", "a", "b", "2"}, `"b" is one argument too many`},
	} {
		_, err := script.ParseFault(tt.args)
		require.ErrorContains(t, err, tt.want, "%q", tt.args)
	}
}
