package tree

import (
	"fmt"
	"io"
	"io/fs"
)

// SizeError says that a file is larger than its reader takes.
type SizeError struct{ Size, Limit int64 } // in bytes

func (e *SizeError) Error() string {
	return fmt.Sprintf("has %d bytes, more than the limit of %d", e.Size, e.Limit)
}

// ReadFile reads a regular file of at most limit bytes. Anything else is an
// error before it is opened: a fifo would block, and a device may never end.
// Larger files are a *SizeError.
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
	return readLimited(f, info.Size(), limit)
}

// readLimited reads a file of which that size is known; it may have grown.
func readLimited(f io.Reader, size, limit int64) ([]byte, error) {
	if size > limit {
		return nil, &SizeError{size, limit}
	}
	data := make([]byte, 0, size+1)
	for {
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case int64(len(data)) > limit:
			return nil, &SizeError{int64(len(data)), limit}
		case err == io.EOF:
			return data, nil
		case err != nil:
			return nil, err
		case len(data) == cap(data):
			data = append(data, 0)[:len(data)]
		}
	}
}
