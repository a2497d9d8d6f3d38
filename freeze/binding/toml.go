package binding

import (
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

func validTOML(data []byte) bool {
	var any map[string]any
	return toml.Unmarshal(data, &any) == nil
}

// tomlDocument addresses TOML as the JSON document with the same content.
func tomlDocument(data []byte, yield func(leaf) bool) {
	w := tomlWalk{yield: yield, tables: map[string]int{}}
	w.parser.Reset(data)
	for w.parser.NextExpression() && !w.done {
		switch e := w.parser.Expression(); e.Kind {
		case unstable.Table:
			w.table = w.resolve(w.keys(e.Key()))
		case unstable.ArrayTable:
			keys := w.keys(e.Key())
			at := w.resolve(keys[:len(keys)-1]) + "/" + keys[len(keys)-1]
			w.tables[at]++
			w.table = w.resolve(keys)
		case unstable.KeyValue:
			w.keyValue(w.table, e)
		}
	}
}

type tomlWalk struct {
	parser unstable.Parser
	yield  func(leaf) bool
	done   bool
	table  string
	tables map[string]int // how many tables an array of tables has so far
}

func (w *tomlWalk) keys(it unstable.Iterator) []string {
	var keys []string
	for it.Next() {
		keys = append(keys, escapeStep(string(it.Node().Data)))
	}
	return keys
}

// resolve is the pointer of a table header: a step that names an array of
// tables means the last one.
func (w *tomlWalk) resolve(keys []string) string {
	at := ""
	for _, k := range keys {
		at += "/" + k
		if n := w.tables[at]; n > 0 {
			at += "/" + strconv.Itoa(n-1)
		}
	}
	return at
}

func (w *tomlWalk) keyValue(at string, kv *unstable.Node) {
	keys := kv.Key()
	at += "/" + strings.Join(w.keys(keys), "/")
	for keys = kv.Key(); keys.Next(); {
		w.emit(keys.Node().Raw, "key", at)
	}
	w.value(at, kv.Value())
}

func (w *tomlWalk) value(at string, v *unstable.Node) {
	switch v.Kind {
	case unstable.Array:
		i := 0
		for it := v.Children(); it.Next(); {
			if it.Node().Kind != unstable.Comment {
				w.value(at+"/"+strconv.Itoa(i), it.Node())
				i++
			}
		}
	case unstable.InlineTable:
		for it := v.Children(); it.Next(); {
			if it.Node().Kind == unstable.KeyValue {
				w.keyValue(at, it.Node())
			}
		}
	case unstable.Bool:
	default:
		w.emit(v.Raw, "value", at)
	}
}

// emit yields a key or value without its quotes.
func (w *tomlWalk) emit(r unstable.Range, where, pointer string) {
	start, end := int(r.Offset), int(r.Offset+r.Length)
	text := string(w.parser.Data()[start:end])
	for _, quote := range []string{`"""`, `'''`, `"`, `'`} {
		if strings.HasPrefix(text, quote) {
			start, end = start+len(quote), end-len(quote)
			break
		}
	}
	w.done = w.done || !w.yield(leaf{start, end, where, func() string { return pointer }})
}

// escapeStep writes a key as a step of a JSON pointer, RFC 6901.
func escapeStep(key string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
}
