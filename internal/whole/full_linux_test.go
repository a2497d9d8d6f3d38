package whole_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/internal/whole"
)

// onFull names a file that this binary writes on a full disk.
const onFull = "WHOLE_TEST_ON_FULL"

func TestMain(m *testing.M) {
	if file := os.Getenv(onFull); file != "" {
		if err := whole.Write(file, make([]byte, 1<<20)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// On a full disk the old file stays, and nothing is beside it.
func TestWriteFullDisk(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs to be root, to mount a small disk")
	}
	self, err := os.Executable()
	require.NoError(t, err)
	dir := t.TempDir()
	cmd := exec.Command("sh", "-c", `mount -t tmpfs -o size=64k small . && cd "$PWD" && echo old >page && ! "$SELF" && ls -A && cat page`)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "SELF="+self, onFull+"="+filepath.Join(dir, "page"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Regexp(t, `^write .*: no space left on device\npage\nold\n$`, string(out))
}
