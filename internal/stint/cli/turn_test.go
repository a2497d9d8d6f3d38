package cli_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// told is an agent that does what it is told, and says outside of its worktree
// that it began.
const told = `
cat >>stint.toml <<'X'
[harness.told]
command = ["sh"]
run = ["-c", "{prompt}"]
continue = ["-c", "{prompt}", "{conversation}"]
report = "name"
X
git commit -qam told
`

// rescued brings order as a user would, and then tells what became of the turn.
const rescued = `
	stint runs recover >/dev/null
	if stint runs list | grep -E 'unreadable| running '; then exit 1; fi
	stint runs list | sed -n 's/^\([a-z0-9]*\)  *\(pending\|interrupted\)  *run  *-  *[1-9].*/\1/p'
`

// Whenever stint is killed, work that an agent has done is in an artifact after
// recover, and nothing else is left.
func TestRunKilledAtEveryCall(t *testing.T) {
	everyCall(t, func(c crash, when string) func(int) bool {
		c.must(told)
		return func(n int) bool {
			c.must("rm -f ../began")
			more := c.killed(n, when, `run told 'echo done >work; echo changed >a.txt; echo >"${STINT_CONFIG%/repo/stint.toml}/began"'`)
			at := fmt.Sprintf("killed %s call %d", when, n)
			run := c.must(rescued)
			if c.must("if [ -e ../began ]; then echo yes; fi") == "yes" {
				c.must("stint runs apply " + run)
				require.Equal(c, "changed\ndone", c.must("cat a.txt work"), at)
				c.must("git checkout -q a.txt; rm work; stint runs prune --applied >/dev/null")
			} else {
				require.Empty(c, run, at)
			}
			require.Empty(c, c.must("stint runs prune >/dev/null; "+nothingLeft), at)
			require.Equal(c, "no runs", c.must("stint runs list"), at)
			return more
		}
	})
}

// A turn that was to go on from another one's work leaves that as it is when it
// is cut off, and can be made again.
func TestContinueKilledAtEveryCall(t *testing.T) {
	everyCall(t, func(c crash, when string) func(int) bool {
		c.must(told)
		const hold = `sed -n 's/^saved run \([a-z0-9]*\) .*/\1/p'`
		first := c.must(`stint run told 'echo "{\"name\": \"n\"}"; echo one >one' 2>/dev/null | ` + hold)
		return func(n int) bool {
			more := c.killed(n, when, "continue "+first+" 'cat one && echo two >two'")
			at := fmt.Sprintf("killed %s call %d", when, n)
			c.must(rescued)
			require.Empty(c, c.must(nothingLeft), at)
			next := c.must("stint continue " + first + " 'cat one && echo three >three' 2>/dev/null | " + hold)
			c.must("stint runs apply " + next)
			require.Equal(c, "one\nthree", c.must("cat one three"), at)
			c.must(`rm -f one two three
				stint runs list | sed -n 's/^\([a-z0-9]*\)  *\(pending\|interrupted\)  *run  *-  *[1-9].*/\1/p' >../left
				for run in $(cat ../left); do if [ $run != ` + first + ` ]; then stint runs discard $run; fi; done
				stint runs prune --applied`)
			return more
		}
	})
}
