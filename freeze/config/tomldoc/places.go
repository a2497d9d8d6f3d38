package tomldoc

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// Join appends one part to a dotted key, quoted where TOML asks for it.
func Join(key, part string) string {
	if part == "" || strings.Trim(part, bare) != "" {
		part = strconv.Quote(part)
	}
	if key == "" {
		return part
	}
	return key + "." + part
}

const bare = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"

// At appends an index, counted from 0, to the key of an array.
func At(key string, i int) string { return fmt.Sprintf("%s[%d]", key, i) }

// places finds every key of a file that is known to be TOML.
func places(data []byte) map[string]int {
	f := finder{places: map[string]int{}, tables: map[string]int{}}
	var p unstable.Parser
	p.Reset(data)
	table := ""
	for p.NextExpression() {
		switch node := p.Expression(); node.Kind {
		case unstable.Table:
			table = f.key("", node)
		case unstable.ArrayTable:
			table = f.element(node)
		default:
			f.keyValue(table, node)
		}
	}
	return f.places
}

type finder struct {
	places map[string]int
	tables map[string]int // how many elements each array of tables has so far
}

// key notes the place of each part of a node's key. A part that names an
// array of tables means its last element.
func (f *finder) key(key string, node *unstable.Node) string {
	for parts := node.Key(); parts.Next(); {
		key = f.note(Join(key, string(parts.Node().Data)), parts.Node())
		if n := f.tables[key]; n > 0 && (node.Kind != unstable.ArrayTable || !parts.IsLast()) {
			key = At(key, n-1)
		}
	}
	return key
}

func (f *finder) element(node *unstable.Node) string {
	key := f.key("", node)
	f.tables[key]++
	var last unstable.Node
	for parts := node.Key(); parts.Next(); {
		last = *parts.Node()
	}
	return f.note(At(key, f.tables[key]-1), &last)
}

func (f *finder) keyValue(table string, node *unstable.Node) {
	f.value(f.key(table, node), node.Value())
}

func (f *finder) value(key string, node *unstable.Node) {
	children := node.Children()
	for i := 0; children.Next(); i++ {
		switch child := children.Node(); node.Kind {
		case unstable.InlineTable:
			f.keyValue(key, child)
		case unstable.Array:
			f.value(f.note(At(key, i), child), child)
		}
	}
}

func (f *finder) note(key string, node *unstable.Node) string {
	if _, ok := f.places[key]; !ok {
		f.places[key] = int(node.Raw.Offset)
	}
	return key
}
