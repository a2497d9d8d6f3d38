package readers

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Schema is the format of a JSON document, which carries it as the number
// "schema". One beyond newest is a [*NewerError]; a document that does not
// parse, or has no schema, is a [*CorruptError].
func Schema(name string, doc []byte, newest int) (int, error) {
	if len(bytes.TrimSpace(doc)) == 0 {
		return 0, &CorruptError{Path: name, Err: errors.New("it is empty")}
	}
	var head struct {
		Schema *int `json:"schema"`
	}
	if err := Decode(name, doc, &head); err != nil {
		return 0, err
	}
	switch {
	case head.Schema == nil:
		return 0, Invalid(name, "/schema", "it is missing")
	case *head.Schema > newest:
		return 0, &NewerError{Path: name, Schema: *head.Schema, Newest: newest}
	case *head.Schema < 1:
		return 0, Invalid(name, "/schema", "%d is no schema", *head.Schema)
	}
	return *head.Schema, nil
}

// Decode decodes a JSON document into the struct that v points to. Anything
// that does not fit is a [*CorruptError]: duplicate names, names in another
// case and bytes that are not UTF-8 are among it. Ask for the [Schema] first,
// since a newer one may have given a field another type.
func Decode(name string, doc []byte, v any) error {
	if err := json.Unmarshal(doc, v); err != nil {
		return corrupt(name, err)
	}
	return nil
}

// Encode is how every document is written: indented, with a newline at the
// end, the known fields in the order of the struct and the unknown ones after
// them.
func Encode(v any) ([]byte, error) {
	b, err := json.Marshal(v, jsontext.WithIndent("  "))
	if err != nil {
		return nil, err
	}
	return append(b, '\n'), nil
}

// Unclaimed refuses fields that an old schema does not know and today's gives a
// meaning: a rewrite would make something of them. They are decoded into today,
// a document, which leaves in rest what is unknown still.
func Unclaimed(name string, fields jsontext.Value, today any, rest *jsontext.Value) error {
	if len(fields) == 0 {
		return nil
	}
	var all, left map[string]jsontext.Value
	err := errors.Join(Decode(name, fields, &all), Decode(name, fields, today))
	if err == nil && *rest != nil {
		err = Decode(name, *rest, &left)
	}
	if err != nil {
		return err
	}
	for _, field := range slices.Sorted(maps.Keys(all)) {
		if _, ok := left[field]; !ok {
			return Invalid(name, "/"+field, "a document of an older schema has no such field")
		}
	}
	return nil
}

// Invalid is the [*CorruptError] for a value that decodes and means nothing.
func Invalid(name, pointer, format string, args ...any) error {
	return &CorruptError{Path: name, Pointer: pointer, Err: fmt.Errorf(format, args...)}
}

func corrupt(name string, err error) error {
	e := &CorruptError{Path: name, Err: err}
	var syntax *jsontext.SyntacticError
	var semantic *json.SemanticError
	var time notTime
	switch {
	case errors.As(err, &syntax):
		e.Offset, e.Pointer = syntax.ByteOffset, string(syntax.JSONPointer)
		e.Err = syntax.Err
	case errors.As(err, &semantic):
		e.Offset, e.Pointer = semantic.ByteOffset, string(semantic.JSONPointer)
		e.Err = fmt.Errorf("a JSON %s does not fit here", semantic.JSONKind)
		if errors.As(semantic.Err, &time) {
			e.Err = time
		}
	}
	return e
}
