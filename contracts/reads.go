package contracts

import (
	"maps"
	"slices"
	"sync"
)

// reads collects, over all subtests of a process, which files of the fixtures
// folder were read and then compared.
type reads struct {
	mu    sync.Mutex
	files map[string]bool
}

func (r *reads) add(files []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, name := range files {
		r.files[name] = true
	}
}

func (r *reads) all() map[string]bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.files)
}

// read notes that entries of the box were read. It does not count yet.
func (f *Fixture) read(boxPaths ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range boxPaths {
		f.pending[p] = true
	}
}

// knows says whether the reading of an entry counts already, or is about to.
func (f *Fixture) knows(box string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.counted[box] || f.pending[box]
}

// compared makes what was read so far count.
func (f *Fixture) compared(id string) {
	current.visits.add(f, id)
	f.mu.Lock()
	defer f.mu.Unlock()
	maps.Copy(f.counted, f.pending)
	clear(f.pending)
	f.last = id
}

// held lists the stored files whose reading counts.
func (f *Fixture) held() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.stored(maps.Keys(f.counted))
}

// touched lists the stored files that were read, compared or not.
func (f *Fixture) touched() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := maps.Clone(f.counted)
	maps.Copy(all, f.pending)
	return f.stored(maps.Keys(all))
}

func (f *Fixture) stored(boxPaths func(func(string) bool)) []string {
	var files []string
	for p := range boxPaths {
		if file, ok := f.files[p]; ok {
			files = append(files, file)
		}
	}
	slices.Sort(files)
	return files
}
