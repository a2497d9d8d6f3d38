package provider

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/freeze-contracts/permafrost/freeze/config"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// inputs is all that a build depends on.
type inputs struct {
	Format    int         `json:"format"`
	Kind      config.Kind `json:"kind"`
	Dir       string      `json:"dir,omitzero"`
	Version   string      `json:"version"`
	Commit    string      `json:"commit,omitzero"`
	Package   string      `json:"package,omitzero"`
	Integrity string      `json:"integrity,omitzero"`

	Dependencies string `json:"dependencies,omitzero"`
	Before       string `json:"before,omitzero"`

	Subject   string            `json:"subject"`
	Build     []string          `json:"build"`
	Commands  []string          `json:"commands,omitempty"`
	Scripts   bool              `json:"scripts,omitzero"`
	Date      string            `json:"date,omitzero"`
	Env       map[string]string `json:"env"`
	Toolchain string            `json:"toolchain"`
	GOOS      string            `json:"goos"`
	GOARCH    string            `json:"goarch"`
}

// record is build.json.
type record struct {
	Inputs   inputs             `json:"inputs"`
	Programs map[string]program `json:"programs"`
}

type program struct {
	SHA256     string `json:"sha256"`
	Executable bool   `json:"executable,omitzero"`
	Link       string `json:"link,omitzero"` // where it leads, for a link to a file in the same {bin}
}

func (in inputs) json() []byte {
	data, err := json.Marshal(in, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err) // only strings, and any string is allowed
	}
	return data
}

func (in inputs) key() string {
	sum := sha256.Sum256(in.json())
	return hex.EncodeToString(sum[:16])
}

func (r record) same(found map[string]program) error {
	for name, want := range r.Programs {
		if got, ok := found[name]; !ok || got != want {
			return fmt.Errorf("%q is not as it was built", name)
		}
	}
	for name := range found {
		if _, ok := r.Programs[name]; !ok {
			return fmt.Errorf("%q was not built", name)
		}
	}
	return nil
}

func (r record) build(dir string) *Build {
	b := &Build{
		Dir:       filepath.Join(dir, "bin"),
		Programs:  map[string]string{},
		Commit:    r.Inputs.Commit,
		Package:   r.Inputs.Package,
		Integrity: r.Inputs.Integrity,
		Toolchain: r.Inputs.Toolchain,
		GOOS:      r.Inputs.GOOS, GOARCH: r.Inputs.GOARCH,
	}
	modules := map[string]hash.Hash{}
	for _, name := range slices.Sorted(maps.Keys(r.Programs)) {
		p := r.Programs[name]
		folder, ok := modulesOf(name)
		if !ok {
			b.Programs[name] = p.SHA256
			continue
		}
		if modules[folder] == nil {
			modules[folder] = sha256.New()
		}
		fmt.Fprintf(modules[folder], "%s %t %q %q\n", p.SHA256, p.Executable, p.Link, name[len(folder):])
	}
	for folder, sum := range modules {
		b.Programs[folder] = hex.EncodeToString(sum.Sum(nil))
	}
	return b
}

// modulesOf returns the folder of node's modules that a file lies in. There may
// be thousands below it, and a manifest names each program.
func modulesOf(name string) (folder string, ok bool) {
	if strings.HasPrefix(name, npmModules+"/") {
		return npmModules, true
	}
	above, _, ok := strings.Cut(name, "/"+npmModules+"/")
	return above + "/" + npmModules, ok
}

func (r record) write(path string) error {
	data, err := json.Marshal(r, json.Deterministic(true), jsontext.AllowInvalidUTF8(true), jsontext.Multiline(true))
	if err != nil {
		return err
	}
	return writeSynced(path, append(data, '\n'))
}
