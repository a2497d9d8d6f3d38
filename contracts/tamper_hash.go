package contracts

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing/fstest"

	"github.com/freeze-contracts/permafrost/freeze/fixture"
)

// hashes tries every change to every file of the families that were played,
// also to those that no test read: what Each does before a test is called must
// refuse it and name the file.
func (tp *tampers) hashes(c *corpus) error {
	keys, _, err := fixture.List(c.fsys)
	if err != nil {
		return err
	}
	for _, key := range keys {
		if !tp.families[key.Family] {
			continue
		}
		memory, err := inMemory(c.fsys, key.String())
		if err != nil {
			return err
		}
		tp.manifest(c, key, memory)
		r, err := c.load(key)
		if err != nil {
			return err
		}
		tp.stored(c, key, r, memory)
	}
	return nil
}

// manifest tries the changes to a release's manifest, which the ledger seals.
func (tp *tampers) manifest(c *corpus, key fixture.Key, memory fstest.MapFS) {
	name := manifestOf(key)
	for _, ch := range changesOf(memory[name].Data) {
		tp.add(hashed(name, ch, c.sealed(ch.over(memory, name), key)))
	}
}

// stored tries the changes to a release's files, which the manifest seals: each
// kind to all of them at once, since they are judged one by one and all named.
func (tp *tampers) stored(c *corpus, key fixture.Key, r *fixture.Release, memory fstest.MapFS) {
	spoiled := make(map[string]fstest.MapFS) // by how
	files := make(map[string][]string)
	for scenario := range r.Scenarios {
		for _, file := range c.files(r, scenario) {
			for _, ch := range changesOf(memory[file].Data) {
				if spoiled[ch.how] == nil {
					spoiled[ch.how] = maps.Clone(memory)
				}
				ch.put(spoiled[ch.how], file)
				files[ch.how] = append(files[ch.how], file)
			}
		}
	}
	for how, over := range spoiled {
		_, err := fixture.Load(over, key.Family, key.Version)
		for _, got := range hashedAll(files[how], how, err) {
			tp.add(got)
		}
	}
}

// hashedAll judges an error by which of the files it names. Where it names one
// more, it says nothing of any.
func hashedAll(files []string, how string, err error) (all []Tampered) {
	var named []string
	if wrong, ok := errors.AsType[*fixture.FilesError](err); ok {
		named = wrong.Files
	}
	if slices.ContainsFunc(named, func(file string) bool { return !slices.Contains(files, file) }) {
		named = nil
	}
	for _, file := range files {
		got := Tampered{File: file, How: how, Seen: Unseen}
		if slices.Contains(named, file) {
			got.Seen = ByHash
		}
		all = append(all, got)
	}
	return all
}

func hashed(file string, ch change, err error) Tampered {
	if err != nil && strings.Contains(err.Error(), file) {
		return Tampered{File: file, How: ch.how, Seen: ByHash}
	}
	return Tampered{File: file, How: ch.how, Seen: Unseen}
}

// over is memory with the change in one file.
func (ch change) over(memory fstest.MapFS, file string) fstest.MapFS {
	over := maps.Clone(memory)
	ch.put(over, file)
	return over
}

func (ch change) put(memory fstest.MapFS, file string) {
	if ch.data == nil {
		delete(memory, file)
	} else {
		memory[file] = &fstest.MapFile{Data: ch.data, Mode: 0o444}
	}
}

// inMemory is the folder dir of fsys, under the same names.
func inMemory(fsys fs.FS, dir string) (fstest.MapFS, error) {
	memory := make(fstest.MapFS)
	err := fs.WalkDir(fsys, dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(fsys, name)
		memory[name] = &fstest.MapFile{Data: data, Mode: 0o444}
		return err
	})
	return memory, err
}
