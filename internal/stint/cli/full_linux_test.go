package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// onFull opens a session whose state is on a small disk, fills that, and tells
// what close and checkpoint say then, and what close says of a disk with room.
const onFull = `
exec 2>&1
mount -t tmpfs -o size=4m small "$STINT_STATE_DIR" || exit 9
id=$(stint session open agent --no-attach | sed -n 's/^opened session \([a-z0-9]*\):.*/\1/p')
cd "$STINT_STATE_DIR"/projects/*/workspaces/$id/worktree || exit 8
tree=$PWD
dd if=/dev/urandom of=work bs=1M count=8 status=none
cd - >/dev/null
echo close; stint session close $id
echo checkpoint; stint session checkpoint $id
echo small >"$tree"/work
stint session checkpoint $id >/dev/null && stint session close $id --discard=run >/dev/null && echo closed
`

// Why no checkpoint can hold work is told, and not only that none can.
func TestCloseOnFullDisk(t *testing.T) {
	program := build(t)
	d := newRotation(t, "TOKEN=first\n")
	state := filepath.Join(d.dir, "small")
	require.NoError(t, os.Mkdir(state, 0o700))
	argv := []string{"unshare", "--mount"}
	if os.Getuid() != 0 {
		argv = append(argv, "--user", "--map-root-user")
	}
	cmd := exec.Command(argv[0], append(argv[1:], "sh", "-c", onFull)...)
	cmd.Env = append(d.env, "STINT_STATE_DIR="+state, "PATH="+program+":"+os.Getenv("PATH"))
	out, err := cmd.Output()
	if cmd.ProcessState.ExitCode() != 0 && len(out) == 0 || cmd.ProcessState.ExitCode() == 9 {
		if os.Getenv("PERMAFROST_CHECK") == "1" {
			t.Fatalf("no disk can be mounted: %s", out)
		}
		t.Skipf("no disk can be mounted: %s", out)
	}
	require.NoError(t, err, "%s", out)
	const full = `(?i:no space left on device)`
	require.Regexp(t, `(?m)^close\nstint: session "\w+": its workspace holds what is nowhere else: untracked \("work"\), run \(.*\); untracked: commit it \(no checkpoint can hold it: .*`+full+`.*\); run: move it away, or give it up with --discard=untracked,run$`, string(out))
	require.Regexp(t, `(?m)^checkpoint\nstint: session "\w+": .*`+full, string(out))
	require.Regexp(t, `(?m)^closed$`, string(out))
}
