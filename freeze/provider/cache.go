package provider

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"
	"github.com/rogpeppe/go-internal/lockedfile"
)

// cache keeps builds by their inputs:
//
//	builds/KEY/bin/...      the programs
//	builds/KEY/build.json   the inputs, and the sha256 of each program
//	work/KEY/...            a build that is being made
//	lock/KEY                held by whoever makes it; never removed, since a
//	                        second one could lock a new file of that name
//
// A build appears by one rename, and is checked whenever it is used.
type cache struct{ dir string }

func (c cache) path(part string, in inputs) string { return filepath.Join(c.dir, part, in.key()) }

func (c cache) has(in inputs) bool {
	_, err := os.Lstat(c.path("builds", in))
	return err == nil
}

// failed says what to do when the cache cannot be written.
func (c cache) failed(err error) error {
	return fmt.Errorf("build cache %q: %w; make room or make it writable, or name another folder, as with XDG_CACHE_HOME", c.dir, err)
}

// lock waits for the lock of a build. If ctx ends first, the lock is given
// back as soon as it comes.
func (c cache) lock(ctx context.Context, in inputs) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Join(c.dir, "lock"), 0o755); err != nil {
		return nil, c.failed(err)
	}
	type locked struct {
		unlock func()
		err    error
	}
	got := make(chan locked, 1)
	go func() {
		unlock, err := lockedfile.MutexAt(c.path("lock", in)).Lock()
		got <- locked{unlock, err}
	}()
	select {
	case l := <-got:
		if l.err != nil {
			return nil, c.failed(l.err)
		}
		return l.unlock, nil
	case <-ctx.Done():
		go func() {
			if l := <-got; l.err == nil {
				l.unlock()
			}
		}()
		return nil, context.Cause(ctx)
	}
}

// scratch makes the folder that a build whose lock is held is made in, and
// removes what a killed one has left.
func (c cache) scratch(in inputs) (string, error) {
	if err := c.clear(in); err != nil {
		return "", c.failed(err)
	}
	dir := filepath.Join(c.path("work", in), "scratch")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", c.failed(err)
	}
	return dir, nil
}

func (c cache) clear(in inputs) error { return removeAll(c.path("work", in)) }

// removeAll removes folders too that a build has made read-only, as go does
// with those of its modules.
func removeAll(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			return os.Chmod(path, 0o700)
		}
		return err
	})
	return os.RemoveAll(dir)
}

// lookup returns a build that is there and whole.
func (c cache) lookup(in inputs) (*Build, error) {
	dir := c.path("builds", in)
	data, err := os.ReadFile(filepath.Join(dir, "build.json"))
	if err != nil {
		return nil, err
	}
	var rec record
	if err := json.Unmarshal(data, &rec, json.RejectUnknownMembers(true)); err != nil {
		return nil, err
	}
	if string(rec.Inputs.json()) != string(in.json()) {
		return nil, errors.New("build.json is of another build")
	}
	found, err := sums(filepath.Join(dir, "bin"))
	if err != nil {
		return nil, err
	}
	if err := rec.same(found); err != nil {
		return nil, err
	}
	b := rec.build(dir)
	b.Cached = true
	return b, nil
}

// store puts what a build left in bin, a folder of scratch, into the cache.
// Once scratch is gone the folder around it is the build: one rename moves it
// to its place, and a kill before that leaves nothing there.
func (c cache) store(in inputs, bin, scratch string) (*Build, error) {
	programs, err := check(bin, in.Subject)
	if err != nil {
		return nil, err
	}
	work, dir := filepath.Dir(scratch), c.path("builds", in)
	rec := record{in, programs}
	for _, step := range []func() error{
		func() error { return copyPrograms(bin, filepath.Join(work, "bin"), programs) },
		func() error { return rec.write(filepath.Join(work, "build.json")) },
		func() error { return removeAll(scratch) },
		func() error { return removeAll(dir) },
		func() error { return os.MkdirAll(filepath.Dir(dir), 0o755) },
		func() error { return os.Rename(work, dir) },
	} {
		if err := step(); err != nil {
			return nil, c.failed(err)
		}
	}
	return rec.build(dir), nil
}
