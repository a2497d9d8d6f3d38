package diff

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/freeze-contracts/permafrost/freeze/binding"
	"github.com/freeze-contracts/permafrost/freeze/fixture"
)

// field is what stands at one pointer, in all elements of an array and all
// documents that are one.
type field struct{ types, values, forms set }

// set is a set of strings; text is how it is shown.
type set map[string]bool

func (s *set) add(v string) {
	if *s == nil {
		*s = make(set)
	}
	(*s)[v] = true
}

func (s set) text() string { return strings.Join(slices.Sorted(maps.Keys(s)), ", ") }

// flatten notes the fields of a tree. exact is the pointer as the bindings
// spell it, merged the one under which elements and bound keys are one.
func (d *document) flatten(node any, exact, merged string, b bound, lines bool) {
	f := d.fields[merged]
	if f == nil {
		f = &field{}
		d.fields[merged] = f
	}
	f.types.add(typeOf(node))
	if t, ok := node.(tagged); ok {
		node = t.value
	}
	switch node := node.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(node)) {
			token := fixture.PointerToken(key)
			d.flatten(node[key], exact+"/"+token, merged+"/"+b.set(token, anywhere, "key"), b, false)
		}
	case members:
		for _, m := range node {
			d.flatten(m.value, "", merged+"/"+fixture.PointerToken(m.key), b, false)
		}
	case []any:
		for i, child := range node {
			if lines {
				i++ // lines are counted from 1
			}
			d.flatten(child, exact+"/"+strconv.Itoa(i), merged+"/*", b, false)
		}
	default:
		f.add(node, exact, b)
	}
}

// add notes a value: one that is nothing but bound has a form, not a value.
func (f *field) add(node any, exact string, b bound) {
	if p, ok := node.(placed); ok {
		if p.form != "" {
			f.forms.add(p.form)
		} else {
			f.values.add(p.value)
		}
		return
	}
	text := fmt.Sprint(node)
	for _, o := range b {
		if o.Pointer == exact && (o.value == text || o.kind == binding.Time && typeOf(node) == "datetime") {
			f.forms.add(o.form)
			return
		}
	}
	if s, ok := node.(string); ok {
		f.values.add(strconv.Quote(b.set(s, exact, "value", "text")))
		return
	}
	if node == nil {
		text = "null"
	}
	f.values.add(text)
}

func typeOf(node any) string {
	switch node := node.(type) {
	case placed:
		return node.typ
	case tagged:
		return typeOf(node.value) + " " + node.tag
	case nil:
		return "null"
	case bool:
		return "boolean"
	case fixture.Number:
		return "number"
	case fixture.Datetime:
		return "datetime"
	case string:
		return "string"
	case []any:
		return "array"
	default:
		return "object"
	}
}
