package contracts

import (
	"io/fs"
	"maps"
	"strings"
	"testing/fstest"

	"github.com/go-json-experiment/json"

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
		for name := range r.Scenarios {
			if err := tp.stored(c, key, r, name, memory); err != nil {
				return err
			}
		}
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

// stored tries the changes to a scenario's files, which the manifest seals.
func (tp *tampers) stored(c *corpus, key fixture.Key, r *fixture.Release, scenario string, memory fstest.MapFS) error {
	alone, err := only(memory, key, scenario)
	if err != nil {
		return err
	}
	for _, file := range c.files(r, scenario) {
		for _, ch := range changesOf(memory[file].Data) {
			_, err := fixture.Load(ch.over(alone, file), key.Family, key.Version)
			tp.add(hashed(file, ch, err))
		}
	}
	return nil
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
	if ch.data == nil {
		delete(over, file)
	} else {
		over[file] = &fstest.MapFile{Data: ch.data, Mode: 0o444}
	}
	return over
}

// only is a release whose manifest says nothing of the entries of the other
// scenarios: reading them all again for each change takes minutes.
func only(memory fstest.MapFS, key fixture.Key, scenario string) (fstest.MapFS, error) {
	var manifest struct {
		Scenarios map[string]map[string]any `json:"scenarios"`
		Rest      map[string]any            `json:",embed"`
	}
	name := manifestOf(key)
	if err := json.Unmarshal(memory[name].Data, &manifest); err != nil {
		return nil, err
	}
	for other, s := range manifest.Scenarios {
		if other != scenario {
			s["entries"], s["bindings"], s["witnesses"], s["views"] = nil, nil, nil, nil
		}
	}
	data, err := json.Marshal(manifest)
	return change{data: data}.over(memory, name), err
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
