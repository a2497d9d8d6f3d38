package mutate

import (
	"context"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/freeze-contracts/permafrost/freeze/mutate/source"
	"github.com/freeze-contracts/permafrost/freeze/mutate/testbin"
)

// site is where binaries of a tree are built.
type site struct {
	dir     string
	env     []string
	timeout time.Duration
	scratch *scratch
	tree    *source.Tree

	mu    sync.Mutex
	found map[string][2]string // folder and import path, by pattern
}

// find is Find of the builder, once for each package.
func (s *site) find(ctx context.Context, b testbin.Builder, pkg string) (dir, importPath string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at, ok := s.found[pkg]; ok {
		return at[0], at[1], nil
	}
	if dir, importPath, err = b.Find(ctx, pkg); err != nil {
		return "", "", err
	}
	if s.found == nil {
		s.found = make(map[string][2]string)
	}
	s.found[pkg] = [2]string{dir, importPath}
	return dir, importPath, nil
}

// slot builds the tests of a package in a folder of their own.
func (s *site) slot(ctx context.Context, name string, b testbin.Builder, pkg string) (*slot, error) {
	dir, err := s.scratch.sub(name)
	if err != nil {
		return nil, err
	}
	folder, importPath, err := s.find(ctx, b, pkg)
	if err != nil {
		return nil, err
	}
	b.Link = s.tree.Link(dir)
	binary, err := b.BuildFound(ctx, folder, importPath, dir)
	if err != nil {
		return nil, err
	}
	timeout := s.timeout
	if timeout == 0 {
		timeout = DefaultTimeout
	}
	return &slot{dir: dir, memory: filepath.Join(s.scratch.memory, name), binary: binary, env: b.GoFlags(), timeout: timeout}, nil
}

// alone builds the tests of a package with one change made for good. Marked
// says whether it marks, under number 1, that it is reached.
func (s *site) alone(ctx context.Context, name string, b testbin.Builder, pkg string, c *source.Change) (made *slot, marked bool, err error) {
	overlay, marked, err := c.Alone()
	if err != nil {
		return nil, false, err
	}
	dir, err := s.scratch.sub(name, "overlay")
	if err != nil {
		return nil, false, err
	}
	if b.Overlay, err = overlay.Write(dir); err != nil {
		return nil, false, err
	}
	made, err = s.slot(ctx, name, b, pkg)
	return made, marked, err
}

// jobs is how many processes run at once.
func jobs(asked int) int {
	if asked > 0 {
		return asked
	}
	return runtime.NumCPU()
}
