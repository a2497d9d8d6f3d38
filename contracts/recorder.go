package contracts

import (
	"errors"
	"io"
	"io/fs"
	"path"
	"path/filepath"
)

// recorder is a file system over a thawed fixture that notes what is read. A
// file counts once all of its bytes were read, an empty one as soon as anybody
// saw that it is there.
type recorder struct {
	fsys fs.FS
	base string // below the thawed folder
	th   *Thawed
}

func (r recorder) Open(name string) (fs.File, error) {
	file, err := r.fsys.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	if dir, is := file.(fs.ReadDirFile); is && info.IsDir() {
		return recordedDir{dir, r, name}, nil
	}
	r.saw(name, info)
	return &recordedFile{File: file, left: info.Size(), all: func() { r.read(name) }}, nil
}

func (r recorder) ReadFile(name string) ([]byte, error) {
	data, err := fs.ReadFile(r.fsys, name)
	if err == nil {
		r.read(name)
	}
	return data, err
}

func (r recorder) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(r.fsys, name)
	r.listed(name, entries)
	return entries, err
}

func (r recorder) Stat(name string) (fs.FileInfo, error) {
	info, err := fs.Stat(r.fsys, name)
	if err == nil {
		r.saw(name, info)
	}
	return info, err
}

func (r recorder) Lstat(name string) (fs.FileInfo, error) {
	info, err := fs.Lstat(r.fsys, name)
	if err == nil {
		r.saw(name, info)
	}
	return info, err
}

func (r recorder) ReadLink(name string) (string, error) { return fs.ReadLink(r.fsys, name) }

func (r recorder) Sub(dir string) (fs.FS, error) {
	if !fs.ValidPath(dir) {
		return nil, &fs.PathError{Op: "sub", Path: dir, Err: fs.ErrInvalid}
	}
	sub, err := fs.Sub(r.fsys, dir)
	return recorder{fsys: sub, base: path.Join(r.base, dir), th: r.th}, err
}

// listed notes the empty files among the entries of a folder.
func (r recorder) listed(dir string, entries []fs.DirEntry) {
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			r.saw(path.Join(dir, e.Name()), info)
		}
	}
}

func (r recorder) saw(name string, info fs.FileInfo) {
	if info.Mode().IsRegular() && info.Size() == 0 {
		r.read(name)
	}
}

// read notes the file at name, or the one that symlinks lead to from there.
func (r recorder) read(name string) {
	file := path.Join(r.base, name)
	if r.th.f.knows(r.th.frozen[file]) {
		return
	}
	if real, err := filepath.EvalSymlinks(filepath.Join(r.th.Dir, filepath.FromSlash(file))); err == nil {
		if rel, err := filepath.Rel(r.th.Dir, real); err == nil {
			file = filepath.ToSlash(rel)
		}
	}
	if frozen, ok := r.th.frozen[file]; ok {
		r.th.f.read(frozen)
	}
}

type recordedFile struct {
	fs.File
	left int64
	all  func()
}

func (f *recordedFile) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	f.left -= int64(n)
	if n > 0 && f.left <= 0 || errors.Is(err, io.EOF) {
		f.all()
	}
	return n, err
}

type recordedDir struct {
	fs.ReadDirFile
	r    recorder
	name string
}

func (d recordedDir) ReadDir(n int) ([]fs.DirEntry, error) {
	entries, err := d.ReadDirFile.ReadDir(n)
	d.r.listed(d.name, entries)
	return entries, err
}
