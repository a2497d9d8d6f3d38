package contracts_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/freeze-contracts/permafrost/contracts"
)

// A database maps a file into its memory. What it writes there changes no time
// of the file: in memory never, on a disk not until it is written out.
func TestUnchangedSeesWhatIsMapped(t *testing.T) {
	one(t, "add", func(t *testing.T, f *contracts.Fixture) {
		th := f.Thaw(t)
		f.Equal(t, "r9.refused", "no", "no")
		mapped := mapFile(t, th.Path("project/keep.txt"))
		mapped[0] ^= 1
		time.Sleep(50 * time.Millisecond) // more than the clock of a file system stands still
		f.Settle(t)
		require.True(t, f.Unchanged(t))
		mapped[0] ^= 1
		require.False(t, f.Unchanged(&told{TB: t}))
	})
}

// mapFile is a file, as it is in memory until the test ends.
func mapFile(t *testing.T, name string) []byte {
	t.Helper()
	file, err := os.OpenFile(name, os.O_RDWR, 0)
	require.NoError(t, err)
	defer file.Close()
	info, err := file.Stat()
	require.NoError(t, err)
	mapped, err := unix.Mmap(int(file.Fd()), 0, int(info.Size()), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, unix.Munmap(mapped)) })
	return mapped
}
