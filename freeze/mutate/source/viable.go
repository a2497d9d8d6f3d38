package source

import (
	"errors"
	"go/ast"
	"go/types"
	"regexp"
	"runtime"
	"strconv"
)

// Form is how a change can be tried.
type Form int

const (
	None   Form = iota // it does not compile
	Switch             // by its switch
	Alone              // by a build of its own
)

// Forms renders the packages with a switch for each change, as Switches does,
// and checks all of them at once: of many changes nobody wants to know why one
// does not compile. A switch leaves the imports of a file used that the change
// alone might not.
func (t *Tree) Forms(changes []*Change) (*Overlay, []Form, error) {
	forms := make([]Form, len(changes))
	switches := make([]string, len(changes))
	for i, c := range changes {
		var err error
		switch switches[i], err = c.switchOf(i+1, runtimeName(c.File.Text)); {
		case err == nil:
			forms[i] = Switch
		case c.Check() == nil:
			forms[i] = Alone
		}
	}
	for {
		o := t.overlay(changes, forms, switches)
		wrong, err := t.wrong(o)
		if err != nil || len(wrong) == 0 {
			return o, forms, err
		}
		for _, number := range wrong {
			forms[number-1] = None
		}
	}
}

func (t *Tree) overlay(changes []*Change, forms []Form, switches []string) *Overlay {
	insertions := make(map[*File][]insertion)
	for i, c := range changes {
		if forms[i] == Switch {
			insertions[c.File] = append(insertions[c.File], insertion{t.offset(c.fn.Body.Lbrace) + 1, switches[i]})
		}
	}
	o := &Overlay{tree: t, files: make(map[string][]byte)}
	for _, p := range t.Packages() {
		for _, f := range p.Files {
			if text := f.render(insertions[f], runtimeName(f.Text)); text != nil {
				o.files[f.Name] = text
			}
		}
	}
	return o
}

// switchNumber finds the beginning of a switch.
var switchNumber = regexp.MustCompile(`\bswitches_+\.On\((\d+)\)`)

// wrong are the numbers of the switches that do not compile.
func (t *Tree) wrong(o *Overlay) ([]int, error) {
	var numbers []int
	for _, p := range t.Packages() {
		files := make([]*ast.File, len(p.Files))
		for i, f := range p.Files {
			files[i] = f.ast
			if text := o.files[f.Name]; text != nil {
				parsed, err := t.parse(f.Name, text)
				if err != nil {
					return nil, err
				}
				files[i] = parsed
			}
		}
		found, err := p.wrong(o, files)
		if err != nil {
			return nil, err
		}
		numbers = append(numbers, found...)
	}
	return numbers, nil
}

func (p *Package) wrong(o *Overlay, files []*ast.File) (numbers []int, err error) {
	t := p.tree
	conf := p.config()
	conf.Error = func(e error) {
		at := t.fset.PositionFor(e.(types.Error).Pos, false)
		all := switchNumber.FindAllSubmatch(o.files[at.Filename][:min(at.Offset, len(o.files[at.Filename]))], -1)
		if len(all) == 0 {
			err = errors.Join(err, e)
			return
		}
		number, atoiErr := strconv.Atoi(string(all[len(all)-1][1]))
		err = errors.Join(err, atoiErr)
		numbers = append(numbers, number)
	}
	_, checkErr := conf.Check(p.Path, t.fset, files, nil)
	if len(numbers) == 0 && err == nil {
		err = checkErr
	}
	return numbers, err
}

func (p *Package) config() types.Config {
	conf := types.Config{Importer: p.tree.importer, Sizes: types.SizesFor("gc", runtime.GOARCH)}
	if v := p.tree.module.GoVersion; v != "" {
		conf.GoVersion = "go" + v
	}
	return conf
}

// withSwitches imports the package of the switches, which was never compiled,
// beside what a tree imports.
type withSwitches struct {
	types.Importer
	tree *Tree
}

func (w withSwitches) Import(path string) (*types.Package, error) {
	if path == w.tree.switchesPath() {
		return w.tree.switchesPackage(), nil
	}
	return w.Importer.Import(path)
}

// switchesPackage declares what rendered files call.
func (t *Tree) switchesPackage() *types.Package {
	p := types.NewPackage(t.switchesPath(), "switches")
	number := types.NewParam(0, p, "mutant", types.Typ[types.Int])
	for name, sig := range map[string]*types.Signature{
		"On":      types.NewSignatureType(nil, nil, nil, types.NewTuple(number), types.NewTuple(types.NewParam(0, p, "", types.Typ[types.Bool])), false),
		"Reached": types.NewSignatureType(nil, nil, nil, types.NewTuple(number), nil, false),
		"Tick":    types.NewSignatureType(nil, nil, nil, nil, nil, false),
	} {
		p.Scope().Insert(types.NewFunc(0, p, name, sig))
	}
	p.MarkComplete()
	return p
}
