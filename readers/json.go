package readers

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Decode decodes a JSON document that carries its format as the number
// "schema" into the struct that v points to. A schema beyond newest is a
// [*NewerError], anything that does not fit a [*CorruptError]. Duplicate
// names, names in another case and bytes that are not UTF-8 do not fit.
func Decode(name string, doc []byte, newest int, v any) error {
	if len(strings.TrimSpace(string(doc))) == 0 {
		return &CorruptError{Path: name, Err: errors.New("it is empty")}
	}
	// The schema first, since a newer one may have given a field another type.
	var head struct {
		Schema *int `json:"schema"`
	}
	if err := json.Unmarshal(doc, &head); err != nil {
		return corrupt(name, err)
	}
	switch {
	case head.Schema == nil:
		return Invalid(name, "/schema", "it is missing")
	case *head.Schema > newest:
		return &NewerError{Path: name, Schema: *head.Schema, Newest: newest}
	case *head.Schema < 1:
		return Invalid(name, "/schema", "%d is no schema", *head.Schema)
	}
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

// Invalid is the [*CorruptError] for a value that decodes and means nothing.
func Invalid(name, pointer, format string, args ...any) error {
	return &CorruptError{Path: name, Pointer: pointer, Err: fmt.Errorf(format, args...)}
}

func corrupt(name string, err error) error {
	e := &CorruptError{Path: name, Err: err}
	var syntax *jsontext.SyntacticError
	var semantic *json.SemanticError
	switch {
	case errors.As(err, &syntax):
		e.Offset, e.Pointer = syntax.ByteOffset, string(syntax.JSONPointer)
		e.Err = syntax.Err
	case errors.As(err, &semantic):
		e.Offset, e.Pointer = semantic.ByteOffset, string(semantic.JSONPointer)
		e.Err = fmt.Errorf("a JSON %s does not fit here", semantic.JSONKind)
	}
	return e
}
