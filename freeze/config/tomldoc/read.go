package tomldoc

import (
	"fmt"
	"io"
	"io/fs"
)

// Largest is how many bytes a file written by hand may have.
const Largest = 16 << 20

// ReadFile reads a regular file of at most limit bytes. Anything else is an
// error before it is opened: a fifo would block, and a device may never end.
func ReadFile(fsys fs.FS, name string, limit int64) ([]byte, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("is no regular file but %s", info.Mode().Type())
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		return nil, fmt.Errorf("has %d bytes, more than the limit of %d", max(info.Size(), limit+1), limit)
	}
	return data, err
}
