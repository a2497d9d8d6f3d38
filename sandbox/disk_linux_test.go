package sandbox_test

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"testing"

	"github.com/freeze-contracts/permafrost/sandbox"
	"github.com/stretchr/testify/require"
)

// A disk that fills up while a box is made is one clear error, and nothing of
// the box stays.
func TestFullDisk(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root mounts a small disk")
	}
	dir, err := os.MkdirTemp("/tmp", "d")
	require.NoError(t, err)
	t.Cleanup(func() { os.Remove(dir) })
	_, said := player(t, &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}, "full-disk", dir)
	require.Regexp(t, `^copying this program into box "`+dir+`/fz.full": .*no space left on device; left: 0$`, said)
}

func startOnFullDisk(args []string) int {
	dir := args[0]
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		fmt.Println(err)
		return 1
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		fmt.Println(err)
		return 1
	}
	_, err := sandbox.Start(context.Background(), sandbox.Config{Root: dir + "/fz.full"})
	left, _ := os.ReadDir(dir)
	fmt.Printf("%v; left: %d\n", err, len(left))
	return 0
}
