// Package tomldoc decodes TOML files that people write, so strictly that
// every complaint names its place: file, key, line and column. It knows no
// particular file.
//
// Keys are matched exactly, where go-toml would take Kind for kind.
package tomldoc

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
)

// Largest is how many bytes a file written by hand may have.
const Largest = 16 << 20

// Error is one complaint about a file.
type Error struct {
	File string // as it was given
	Key  string // the dotted key, as far as one is known: provider.kind, binding[1].family
	// Line and Column begin at 1; columns count characters. Both are 0 where
	// the file as a whole is meant.
	Line, Column int
	Msg          string
}

func (e *Error) Error() string {
	parts := []string{e.File}
	if e.Line > 0 {
		parts[0] = fmt.Sprintf("%s:%d:%d", e.File, e.Line, e.Column)
	}
	if e.Key != "" {
		parts = append(parts, e.Key)
	}
	return strings.Join(append(parts, e.Msg), ": ")
}

// Doc is a file that is known to be TOML, and where its keys stand.
type Doc struct {
	file   string
	data   []byte
	tree   map[string]any
	places map[string]int // dotted key to byte offset
}

// Parse reads a file. What is no TOML is an *Error.
func Parse(file string, data []byte) (*Doc, error) {
	d := &Doc{file: file, data: data}
	if err := toml.Unmarshal(data, &d.tree); err != nil {
		return nil, d.syntax(err)
	}
	d.places = places(data)
	return d, nil
}

// Decode fills v, a pointer to a struct whose fields carry toml tags. A key
// without a field, and a value of another type than its field, is an *Error.
func (d *Doc) Decode(v any) error {
	return d.fill("", d.tree, reflect.ValueOf(v).Elem())
}

// Int returns the integer that stands at the top of the file under key.
func (d *Doc) Int(key string) (n int64, ok bool) {
	n, ok = d.tree[key].(int64)
	return n, ok
}

// Has reports whether the file holds key.
func (d *Doc) Has(key string) bool {
	_, ok := d.places[key]
	return ok
}

// Errorf complains about key. A key that the file lacks is placed at the
// nearest table around it, if that is there.
func (d *Doc) Errorf(key, format string, args ...any) error {
	e := &Error{File: d.file, Key: key, Msg: fmt.Sprintf(format, args...)}
	for at := key; at != ""; at = parent(at) {
		if offset, ok := d.places[at]; ok {
			e.Line, e.Column = d.position(offset)
			break
		}
	}
	return e
}

func parent(key string) string {
	return key[:max(strings.LastIndexAny(key, ".["), 0)]
}

func (d *Doc) syntax(err error) error {
	e := &Error{File: d.file, Msg: strings.TrimPrefix(err.Error(), "toml: ")}
	var at *toml.DecodeError
	if errors.As(err, &at) {
		row, column := at.Position()
		e.Line, e.Column = d.position(offsetOf(d.data, row, column))
		for _, part := range at.Key() {
			e.Key = Join(e.Key, part)
		}
	}
	return e
}

// offsetOf undoes go-toml's positions, whose columns count bytes.
func offsetOf(data []byte, row, column int) int {
	offset := 0
	for ; row > 1; row-- {
		offset += strings.IndexByte(string(data[offset:]), '\n') + 1
	}
	return min(offset+column-1, len(data))
}

func (d *Doc) position(offset int) (line, column int) {
	before := string(d.data[:offset])
	start := strings.LastIndexByte(before, '\n') + 1
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[start:]) + 1
}
