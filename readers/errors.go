package readers

import (
	"errors"
	"fmt"
)

// ErrNewer is matched by the refusal of a document whose schema is newer than
// this build reads. See [NewerError] for the versions.
var ErrNewer = errors.New("written by a newer release")

// ErrTooLarge is matched by the refusal of a document beyond [MaxDocument].
var ErrTooLarge = errors.New("larger than 16 MiB, the most a document may have")

// ErrNotRegular is matched by the refusal of a document that is no regular
// file or that a symlink leads to.
var ErrNotRegular = errors.New("not a regular file")

// NewerError is a document of a schema that this build does not know yet.
type NewerError struct {
	Path   string // of the document, as it was handed to the reader
	Schema int    // that it has
	Newest int    // that this build reads
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("%q: schema %d is newer than %d, the newest this build reads: use a newer stint", e.Path, e.Schema, e.Newest)
}

// Is makes a NewerError match [ErrNewer].
func (e *NewerError) Is(target error) bool { return target == ErrNewer }

// CorruptError is a document that is not what a release of stint wrote: cut
// short, not JSON or TOML, of a wrong type, with a value out of its range.
type CorruptError struct {
	Path    string // of the document, as it was handed to the reader
	Offset  int64  // in bytes, of JSON: the fault is there or behind; 0 if it is the whole document's
	Line    int    // of TOML, from 1 on; 0 if the fault is the whole document's
	Column  int    // in that line, in bytes, from 1 on
	Pointer string // JSON pointer or dotted TOML key of the value; empty if it is the whole document's
	Err     error  // why
}

func (e *CorruptError) Error() string {
	at := ""
	if e.Pointer != "" {
		at = fmt.Sprintf(" at %s", e.Pointer)
	}
	if e.Offset > 0 {
		at += fmt.Sprintf(" near byte %d", e.Offset)
	}
	if e.Line > 0 {
		at += fmt.Sprintf(" in line %d, column %d", e.Line, e.Column)
	}
	return fmt.Sprintf("%q: does not read%s: %v", e.Path, at, e.Err)
}

func (e *CorruptError) Unwrap() error { return e.Err }

// BindingError is a document that decodes and speaks of something else than
// the place it was found in.
type BindingError struct {
	Field string // as messages name it
	Got   string // what the document says
	Want  string // what its place asks for
}

func (e *BindingError) Error() string {
	return fmt.Sprintf("%s is %q, where this project has %q", e.Field, e.Got, e.Want)
}
