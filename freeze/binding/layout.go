package binding

import (
	"bytes"
	"path"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// leaf is the smallest addressed piece of a document: a key or a value that is
// a string (without its quotes) or a number, or a line of text.
type leaf struct {
	start, end int
	where      string // key, value, text
	pointer    func() string
}

// layout yields the leaves of a document in order, until yield says no.
type layout func(data []byte, yield func(leaf) bool)

// layoutOf tells what a file is by what it holds, and TOML by its name too. A
// JSON document that does not parse is text: it is bound line by line.
func layoutOf(name string, data []byte) layout {
	trimmed := bytes.TrimLeft(data, " \t\r\n")
	if len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[') {
		switch values, ok := countJSON(data); {
		case ok && (values > 1 || path.Ext(name) == ".jsonl" || path.Ext(name) == ".ndjson"):
			return jsonLines
		case ok:
			return jsonDocument
		}
	}
	if path.Ext(name) == ".toml" && validTOML(data) {
		return tomlDocument
	}
	return textLines
}

func jsonDecoder(data []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

func countJSON(data []byte) (values int, ok bool) {
	dec := jsonDecoder(data)
	for dec.PeekKind() != 0 {
		if err := dec.SkipValue(); err != nil {
			return values, false
		}
		values++
	}
	return values, len(bytes.TrimSpace(data[dec.InputOffset():])) == 0
}

func jsonDocument(data []byte, yield func(leaf) bool) {
	jsonLeaves(data, yield, func(pointer string, _ int) string { return pointer })
}

// jsonLines addresses a value by the line that it begins on.
func jsonLines(data []byte, yield func(leaf) bool) {
	jsonLeaves(data, yield, func(pointer string, line int) string { return "/" + strconv.Itoa(line) + pointer })
}

func jsonLeaves(data []byte, yield func(leaf) bool, address func(pointer string, line int) string) {
	dec := jsonDecoder(data)
	line, counted := 1, 0
	for {
		kind := dec.PeekKind()
		if dec.StackDepth() == 0 { // the next value of the file begins after what PeekKind skipped
			at := int(dec.InputOffset())
			at += len(data[at:]) - len(bytes.TrimLeft(data[at:], " \t\r\n"))
			line, counted = line+bytes.Count(data[counted:at], []byte("\n")), at
		}
		if kind != '"' && kind != '0' {
			if _, err := dec.ReadToken(); err != nil {
				return
			}
			continue
		}
		raw, err := dec.ReadValue()
		if err != nil {
			return
		}
		end := int(dec.InputOffset())
		l := leaf{start: end - len(raw), end: end, where: "value"}
		if kind == '"' {
			l.start, l.end = l.start+1, l.end-1
		}
		if in, n := dec.StackIndex(dec.StackDepth()); in == '{' && n%2 == 1 {
			l.where = "key"
		}
		at := line
		l.pointer = func() string { return address(string(dec.StackPointer()), at) }
		if !yield(l) {
			return
		}
	}
}

func textLines(data []byte, yield func(leaf) bool) {
	for start, line := 0, 1; start < len(data); line++ {
		end := start + lineEnd(data[start:])
		at := line
		if !yield(leaf{start, end, "text", func() string { return "/" + strconv.Itoa(at) }}) {
			return
		}
		start = end + 1
	}
}

// place is where an offset lies in a document.
type place struct{ where, pointer string }

// locate finds the places of offsets, which are in order. A quote belongs to
// what it quotes; what is between two leaves (a bracket, a comment) belongs to
// the document as a whole.
func locate(of layout, data []byte, offsets []int) []place {
	places := make([]place, len(offsets))
	for i := range places {
		places[i].where = "text"
	}
	next := 0
	of(data, func(l leaf) bool {
		for next < len(offsets) && offsets[next] < l.start-1 {
			next++
		}
		pointer := ""
		for next < len(offsets) && offsets[next] <= l.end {
			if pointer == "" {
				pointer = l.pointer()
			}
			places[next] = place{l.where, pointer}
			next++
		}
		return next < len(offsets)
	})
	return places
}
