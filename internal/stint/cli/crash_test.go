package cli_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/freeze-contracts/permafrost/sandbox"
	"github.com/stretchr/testify/require"
)

// counting stands before git and tmux on the PATH, counts their calls, and
// ends whoever made call number $AT, before the call or when it is done.
const counting = `#!/bin/sh
n=$(($(cat "$COUNT") + 1))
echo $n >"$COUNT"
if [ $n = "$AT" ] && [ "$WHEN" = before ]; then
	kill -KILL $PPID
	exit 1
fi
"$REAL/$(basename "$0")" "$@"
code=$?
if [ $n = "$AT" ] && [ "$WHEN" = after ]; then
	kill -KILL $PPID
fi
exit $code
`

// crash is a box in which stint can be killed at any call that it makes.
type crash struct {
	*testing.T
	box *sandbox.Box
}

func newCrash(t *testing.T) crash {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		if os.Getenv("PERMAFROST_CHECK") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	box, err := sandbox.Start(t.Context(), sandbox.Config{CLI: build(t), Tools: tools, Tmux: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, box.Close()) })
	for _, name := range []string{"git", "tmux"} {
		name = filepath.Join(box.Project(), "counting", name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(counting), 0o755))
	}
	c := crash{t, box}
	c.must("git init -q repo; cd repo; stint init --harness sh; echo a >a.txt; git add .; git commit -qm one")
	return c
}

// sh runs a script in the repository, or beside it as long as there is none.
func (c crash) sh(script string, env ...string) (code int, out string) {
	c.Helper()
	var all bytes.Buffer
	code, err := c.box.Run(c.Context(), sandbox.Cmd{
		Args: []string{"sh", "-c", "if [ -d repo ]; then cd repo; fi; set -e; " + script}, Env: env, Stdout: &all, Stderr: &all,
	})
	require.NoError(c, err)
	return code, strings.TrimSpace(all.String())
}

func (c crash) must(script string) string {
	c.Helper()
	code, out := c.sh(script)
	require.Zero(c, code, "%s\n%s", script, out)
	return out
}

// killed runs stint until call n, and tells whether there was such a call.
func (c crash) killed(n int, when, command string) bool {
	c.Helper()
	count := filepath.Join(c.box.Project(), "count")
	require.NoError(c, os.WriteFile(count, []byte("0\n"), 0o600))
	code, out := c.sh("exec stint "+command, "AT="+strconv.Itoa(n), "WHEN="+when, "COUNT="+count, "REAL="+c.box.Bin(),
		"PATH="+filepath.Join(c.box.Project(), "counting")+":"+c.box.Bin())
	if code == 0 {
		calls, err := os.ReadFile(count)
		require.NoError(c, err)
		made, err := strconv.Atoi(strings.TrimSpace(string(calls)))
		require.NoError(c, err)
		require.Less(c, made, n, "call %d was made, and its caller lives", n)
		require.Greater(c, made, 10, "calls in all")
		return false
	}
	require.Equal(c, 128+9, code, "%s\n%s", command, out)
	return true
}

var every = flag.Bool("every-call", false, "kill commands at every call that they make, and not at every fourth")

// everyCall kills a command at each call that it makes, before and after it,
// until there is none of that number; without -every-call at a sample of them.
// Begin returns what to do for one.
func everyCall(t *testing.T, begin func(c crash, when string) func(n int) (more bool)) {
	for first, when := range map[int]string{1: "before", 3: "after"} {
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			step := 4
			if *every {
				first, step = 1, 1
			}
			try := begin(newCrash(t), when)
			for n := first; try(n); n += step {
			}
		})
	}
}

// closeAll closes what list shows as not closed, as a user would who finds a
// session that was interrupted.
const closeAll = `
	for id in $(stint session list --all | sed -n 's/^\([a-z0-9]*\)  *\(creating\|open\|closing\|recovery-required\) .*/\1/p'); do
		stint session close $id >/dev/null
	done
	if stint session list --all | grep -E 'unreadable| (creating|open|closing|recovery-required) '; then exit 1; fi
`

// nothingLeft looks that there is neither tmux session nor worktree nor
// workspace, and that the main work tree is as it was.
const nothingLeft = `
	if tmux list-sessions 2>&1 | grep stint; then exit 1; fi
	if git worktree list | grep workspaces; then exit 1; fi
	if ls "$XDG_STATE_HOME"/stint/projects/*/workspaces 2>/dev/null | grep .; then exit 1; fi
	if find "$XDG_STATE_HOME" "$TMPDIR" -name '*.new' -o -name 'stint-*' -o -name scratch | grep .; then exit 1; fi
	git status --porcelain --untracked-files=all
	git fsck --no-progress
`

func TestOpenKilledAtEveryCall(t *testing.T) {
	everyCall(t, func(c crash, when string) func(int) bool {
		return func(n int) bool {
			more := c.killed(n, when, "session open sh --no-attach")
			at := fmt.Sprintf("killed %s call %d", when, n)
			// A branch is only left by a session that came to be open.
			open := c.must("stint session list --json 2>/dev/null | sed -n 's/.*\"branch\": \"\\(.*\\)\",/\\1/p'")
			require.Empty(c, c.must(closeAll+nothingLeft), at)
			require.Equal(c, open, c.must("git for-each-ref --format='%(refname:short)' refs/heads/stint"), at)
			// The next session is not held up by it.
			c.must("stint session open sh --no-attach")
			require.Empty(c, c.must(closeAll+nothingLeft), at)
			c.must("git for-each-ref --format='delete %(refname)' refs/heads/stint | git update-ref --stdin")
			return more
		}
	})
}

// work leaves all that a session can have: a commit, changes that a checkpoint
// holds, and a file that is ignored and given up.
const work = `
	id=$(stint session open sh --no-attach | sed -n 's/opened session \(.*\): .*/\1/p')
	cd "$XDG_STATE_HOME"/stint/projects/*/workspaces/$id/worktree
	echo committed >c; git add c; git commit -qm c
	echo changed >a.txt; echo new >u; echo x >.stint-log
	cd - >/dev/null
	stint session checkpoint $id >/dev/null
	echo $id
`

// state is all that a close can have changed so far.
const state = `
	cat "$XDG_STATE_HOME"/stint/projects/*/sessions/$1/session.json
	find "$XDG_STATE_HOME"/stint/projects/*/workspaces/$1 -maxdepth 2 | sort
	tmux list-panes -a -F '#{session_name} #{pane_pid}' || true
	git worktree list --porcelain
`

func TestCloseKilledAtEveryCall(t *testing.T) {
	everyCall(t, func(c crash, when string) func(int) bool {
		id, before, first := "", "", 0
		return func(n int) bool {
			if id == "" {
				id = c.must(work)
				before = c.must("set " + id + state)
			}
			more := c.killed(n, when, "session close "+id)
			if first == 0 {
				first = n
			}
			if more && n > first && c.must("set "+id+state) == before {
				return more // It only asked so far: the first call stands for all of these.
			}
			at := fmt.Sprintf("killed %s call %d", when, n)
			require.Empty(c, c.must("stint session list --all | grep unreadable || true"), at)
			c.must("stint session close " + id)
			require.Empty(c, c.must(closeAll+nothingLeft), at)
			// The commit is on the branch, and the rest in the artifact.
			require.Equal(c, "committed", c.must("git show stint/"+id+":c"), at)
			run := c.must("stint runs list --session " + id + " | sed -n 's/^\\([a-z0-9]*\\)  *pending .*/\\1/p'")
			c.must("stint runs apply " + run)
			require.Equal(c, "changed\ncommitted\nnew\n.stint-log is x", c.must("cat a.txt c u; echo .stint-log is $(cat .stint-log)"), at)
			c.must("git checkout -q a.txt; rm c u .stint-log")
			id = ""
			return more // and with it, opens again
		}
	})
}
