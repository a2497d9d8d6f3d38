package source

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// The package of the switches, as it goes into the module that is mutated.
//
//go:embed switches/*.go
var switchesFS embed.FS

// switchesDir is its folder at the top of that module, which is on no disk.
const switchesDir = "zz_freeze_switches"

// Overlay is a tree with changes: files that stand in for those on disk.
type Overlay struct {
	tree  *Tree
	files map[string][]byte
}

// Switches renders the packages with a switch for each change, numbered from 1
// in their order. An error of one change, at the same index, means that it
// cannot be a switch, and has to be built alone; the overlay is without it.
func (t *Tree) Switches(changes []*Change) (*Overlay, []error) {
	o := &Overlay{tree: t, files: make(map[string][]byte)}
	errs := make([]error, len(changes))
	for _, p := range t.Packages() {
		for _, f := range p.Files {
			name := runtimeName(f.Text)
			var all []insertion
			for i, c := range changes {
				if c.File != f {
					continue
				}
				var text string
				if text, errs[i] = c.switchOf(i+1, name); errs[i] != nil {
					continue
				}
				one := insertion{t.offset(c.fn.Body.Lbrace) + 1, text}
				if errs[i] = f.compiles(one, name); errs[i] == nil {
					all = append(all, one)
				}
			}
			if text := f.render(all, name); text != nil {
				o.files[f.Name] = text
			}
		}
	}
	return o, errs
}

// render is the file with insertions and with its loops counted, or nil if
// there is nothing of either.
func (f *File) render(all []insertion, name string) []byte {
	t := f.pkg.tree
	all = append(all, t.ticks(f.ast, name)...)
	if len(all) == 0 {
		return nil
	}
	return insert(f.Text, append(all, t.importing(f.ast, name)))
}

// compiles checks a switch by itself.
func (f *File) compiles(one insertion, name string) error {
	t := f.pkg.tree
	text := insert(f.Text, []insertion{one, t.importing(f.ast, name)})
	parsed, err := t.parse(f.Name, text)
	if err == nil {
		_, err = f.pkg.check(parsed, nil)
	}
	return err
}

// Alone is a tree with one change, without a switch: what cannot be one, such
// as the tag of a field, is changed for good. Marked says whether the overlay
// marks, under number 1, that the change is reached.
func (c *Change) Alone() (o *Overlay, marked bool, err error) {
	t := c.File.pkg.tree
	o, _ = t.Switches(nil)
	text, marked, err := c.changed(1, runtimeName(c.text()))
	o.files[c.File.Name] = text
	return o, marked, err
}

// Write puts the overlay into a folder, and returns the name of the file that
// -overlay takes.
func (o *Overlay) Write(dir string) (string, error) {
	if err := o.addSwitches(); err != nil {
		return "", err
	}
	replace := make(map[string]string)
	for name, text := range o.files {
		// The name is of no matter, but messages are easier to read with it.
		to := filepath.Join(dir, strconv.Itoa(len(replace)), filepath.Base(name))
		replace[name] = to
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(to, text, 0o644); err != nil {
			return "", err
		}
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "overlay.json")
	return file, os.WriteFile(file, data, 0o644)
}

func (o *Overlay) addSwitches() error {
	names, err := fs.Glob(switchesFS, "switches/*.go")
	if err != nil {
		return err
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := switchesFS.ReadFile(name)
		if err != nil {
			return err
		}
		o.files[filepath.Join(o.tree.module.Dir, switchesDir, filepath.Base(name))] = text
	}
	return nil
}

// serving is the file that lets the tests of a package be run again and again.
const serving = "zz_freeze_test.go"

// Serve lets the tests of a package that has no TestMain be served, as one of
// the switches package: the folder and the name of the package are given.
func (o *Overlay) Serve(dir, name string) {
	o.files[filepath.Join(dir, serving)] = fmt.Appendf(nil, `package %s_test

import (
	"testing"

	switches %q
)

func TestMain(m *testing.M) { switches.Serve(m.Run) }
`, name, o.tree.switchesPath())
}

// Holds reports whether a module of that folder is the one that is changed.
func (t *Tree) Holds(module string) bool { return t.module.Dir == module }

// Link is the flag of the linker that tells a binary in which folder the state
// of its switches is.
func (t *Tree) Link(dir string) string {
	return fmt.Sprintf("-X '%s.dir=%s'", t.switchesPath(), dir)
}
