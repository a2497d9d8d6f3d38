package diff

import (
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	"gopkg.in/ini.v1"

	"github.com/freeze-contracts/permafrost/freeze/diff/sqlite"
	"github.com/freeze-contracts/permafrost/freeze/fixture"
	"github.com/freeze-contracts/permafrost/freeze/tree"
)

// Kinds of document that are taken apart here alone. Bindings and witnesses see
// the lines of a text, or bytes: how they count must not change for what is
// frozen.
const (
	kindYAML   = "yaml"
	kindINI    = "ini"
	kindSQLite = "sqlite"
	// kindPart is a file that is read with the database beside it.
	kindPart = "sqlite part"
)

// parts end the names of the files that lie beside a database.
var parts = []string{"-wal", "-shm", "-journal"}

// files are the files of a scenario, by path. Each database is read once.
type files struct {
	entries   map[string]tree.Entry
	databases map[string]readDatabase
}

type readDatabase struct {
	tree any
	err  error
}

func (f *files) database(name string) (any, error) {
	if db, ok := f.databases[name]; ok {
		return db.tree, db.err
	}
	var read readDatabase
	db, err := sqlite.Read(f.entries[name].Data, f.entries[name+"-wal"].Data, f.entries[name+"-journal"].Data)
	if read.err = err; err == nil {
		read.tree = databaseTree(db)
	}
	f.databases[name] = read
	return read.tree, read.err
}

// placed is a value of which the bindings were set aside already: its type, and
// what it was, if that was nothing but bound.
type placed struct{ typ, form, value string }

// members are an object of whose keys the bindings were set aside already, so
// that several may be one.
type members []member

type member struct {
	key   string
	value any
}

// tagged is a value with a tag of YAML that is no standard one.
type tagged struct {
	tag   string
	value any
}

// formOf says what a file is taken for here, if anything.
func formOf(e tree.Entry, doc fixture.Document, all *files) string {
	switch ext := strings.ToLower(path.Ext(e.Path)); {
	case sqlite.Is(e.Data):
		return kindSQLite
	case doc.Kind == fixture.Text && (ext == ".yaml" || ext == ".yml"):
		return kindYAML
	case doc.Kind == fixture.Text && (ext == ".ini" || ext == ".cfg"):
		return kindINI
	}
	for _, part := range parts {
		of, ok := strings.CutSuffix(e.Path, part)
		if !ok || !sqlite.Is(all.entries[of].Data) {
			continue
		}
		// Beside a database that cannot be read, it is read with nothing.
		if _, err := all.database(of); err == nil {
			return kindPart
		}
	}
	return ""
}

// parseForm reads a file as what formOf says that it is.
func parseForm(kind string, e tree.Entry, b bound, all *files) (any, error) {
	switch kind {
	case kindYAML:
		return parseYAML(e.Data, b)
	case kindINI:
		return parseINI(e.Data, b)
	}
	return all.database(e.Path)
}

// databaseTree is the schema of a database and how many rows its tables have.
func databaseTree(db *sqlite.Database) any {
	number := func(n int64) fixture.Number { return fixture.Number(strconv.FormatInt(n, 10)) }
	root := map[string]any{
		"user_version":   number(int64(db.UserVersion)),
		"application_id": number(int64(db.ApplicationID)),
		"encoding":       db.Encoding,
	}
	for _, o := range db.Objects {
		kind := o.Type + "s"
		if o.Type == "index" {
			kind = "indexes"
		}
		if root[kind] == nil {
			root[kind] = map[string]any{}
		}
		object := map[string]any{"sql": o.SQL}
		if o.Rows >= 0 {
			object["rows"] = number(o.Rows)
		}
		if o.Type != "table" {
			object["table"] = o.Table
		}
		root[kind].(map[string]any)[o.Name] = object
	}
	return root
}

// mostNodes is what a YAML document may come to when its aliases are followed:
// a small one could stand for more than any memory holds.
const mostNodes = 1 << 18

// parseYAML is a tree of the documents of a file, of the only one itself.
func parseYAML(data []byte, b bound) (any, error) {
	y := yamlReader{b: b}
	documents := []any{}
	for dec := yaml.NewDecoder(strings.NewReader(string(data))); ; {
		var node yaml.Node
		err := dec.Decode(&node)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
		}
		value, err := y.value(&node, 0)
		if err != nil {
			return nil, err
		}
		documents = append(documents, value)
	}
	if len(documents) == 1 {
		return documents[0], nil
	}
	return documents, nil
}

type yamlReader struct {
	b     bound
	nodes int
}

func (y *yamlReader) value(n *yaml.Node, depth int) (any, error) {
	value, err := y.untagged(n, depth)
	// What stands behind two marks, and one alone, is YAML's own.
	if tag := n.ShortTag(); err == nil && n.Kind != yaml.AliasNode && n.Kind != yaml.DocumentNode && tag != "!" && !strings.HasPrefix(tag, "!!") {
		return tagged{tag, value}, nil
	}
	return value, err
}

func (y *yamlReader) untagged(n *yaml.Node, depth int) (any, error) {
	if y.nodes++; y.nodes > mostNodes || depth > 1000 {
		return nil, fmt.Errorf("line %d: its aliases make more of it than can be compared", n.Line)
	}
	switch n.Kind {
	case yaml.DocumentNode:
		return y.value(n.Content[0], depth+1)
	case yaml.AliasNode:
		return y.value(n.Alias, depth+1)
	case yaml.SequenceNode:
		array := []any{}
		for _, child := range n.Content {
			value, err := y.value(child, depth+1)
			if err != nil {
				return nil, err
			}
			array = append(array, value)
		}
		return array, nil
	case yaml.MappingNode:
		return y.object(n, depth)
	}
	return y.scalar(n), nil
}

func (y *yamlReader) object(n *yaml.Node, depth int) (any, error) {
	all := members{}
	seen := map[string]bool{}
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode {
			return nil, fmt.Errorf("line %d: a key is no plain value", key.Line)
		}
		if seen[key.Value] {
			return nil, fmt.Errorf("line %d: the key %q stands twice", key.Line, key.Value)
		}
		seen[key.Value] = true
		value, err := y.value(n.Content[i+1], depth+1)
		if err != nil {
			return nil, err
		}
		all = append(all, member{y.set(key), value})
	}
	return all, nil
}

func (y *yamlReader) scalar(n *yaml.Node) any {
	p := placed{typ: "string", value: strconv.Quote(y.set(n))}
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!bool":
		p.typ, p.value = "boolean", y.set(n)
	case "!!int", "!!float":
		p.typ, p.value = "number", y.set(n)
	case "!!timestamp":
		p.typ, p.value = "datetime", y.set(n)
	}
	for _, o := range y.b {
		if o.Pointer == line(n.Line) && o.value == n.Value {
			p.form = o.form
		}
	}
	return p
}

// set sets aside what is bound in a scalar. Where one goes over several lines,
// anything that is bound in the file is.
func (y *yamlReader) set(n *yaml.Node) string {
	pointer := line(n.Line)
	if strings.Contains(n.Value, "\n") || n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		pointer = anywhere
	}
	return y.b.set(n.Value, pointer, inText...)
}

// line is a line of a text as bindings point at it.
func line(n int) string { return "/" + strconv.Itoa(n) }

// inText are the places of a text that a binding can be in.
var inText = []string{"text", "value", "key"}

// parseINI is a tree of the sections of a file, and of the values above them.
func parseINI(data []byte, b bound) (any, error) {
	var text strings.Builder
	n := 0
	for l := range strings.Lines(string(data)) {
		n++
		text.WriteString(b.set(l, line(n), inText...))
	}
	file, err := ini.LoadSources(ini.LoadOptions{
		AllowShadows: true, AllowDuplicateShadowValues: true, PreserveEmptyShadowValues: true,
		AllowPythonMultilineValues: true, IgnoreContinuation: true, PreserveSurroundedQuote: true,
		// What one program takes for a comment is part of the value to another.
		IgnoreInlineComment: true,
	}, []byte(text.String()))
	if err != nil {
		return nil, errors.New(strings.TrimSpace(err.Error()))
	}
	root := map[string]any{}
	for _, section := range file.Sections() {
		into := root
		if section.Name() != ini.DefaultSection {
			into = map[string]any{}
			if _, ok := root[section.Name()]; ok {
				return nil, fmt.Errorf("%q is a section and a value above all sections", section.Name())
			}
			root[section.Name()] = into
		}
		for _, key := range section.Keys() {
			into[key.Name()] = iniValue(key.ValueWithShadows(), b)
		}
	}
	return root, nil
}

// iniValue is a value, or the array of those of a key that stands several times.
func iniValue(values []string, b bound) any {
	array := []any{}
	for _, v := range values {
		p := placed{typ: "string", value: strconv.Quote(v)}
		if slices.ContainsFunc(b, func(o at) bool { return o.form == v }) {
			p.form = v
		}
		array = append(array, p)
	}
	if len(array) == 1 {
		return array[0]
	}
	return array
}
