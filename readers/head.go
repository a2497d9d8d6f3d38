package readers

import (
	"io/fs"
	"strconv"
)

// Head is what every document of a project begins with.
type Head struct {
	Schema    int    `json:"schema"`
	ID        string `json:"id"`
	ProjectID string `json:"project_id"`
	Revision  int64  `json:"revision"` // 1 at first, and one more with each write
	CreatedAt Time   `json:"created_at"`
	UpdatedAt Time   `json:"updated_at"` // of this revision
}

// Header is the head itself, for what handles documents of every kind.
func (h *Head) Header() *Head { return h }

// Fields are those of the head, to be checked with the rest of a document.
func (h *Head) Fields() []Field {
	return []Field{
		Is("/id", h.ID, ID(h.ID), "an id"),
		Is("/project_id", h.ProjectID, ID(h.ProjectID), "an id"),
		Is("/revision", strconv.FormatInt(h.Revision, 10), h.Revision >= 1, "1 or more"),
		Is("/created_at", h.CreatedAt.String(), !h.CreatedAt.IsZero(), "a time"),
		Is("/updated_at", h.UpdatedAt.String(), !h.UpdatedAt.IsZero(), "a time"),
	}
}

// Field is one value of a document, and whether it is what it is to be.
type Field struct {
	pointer, value, want string
	ok                   bool
}

// Is says of the value at a JSON pointer whether it is ok, which is to be what
// want says, as in "an id".
func Is(pointer, value string, ok bool, want string) Field {
	return Field{pointer, value, want, ok}
}

// Check returns the [*CorruptError] of the first field that is not what it is
// to be. The name is for the message.
func Check(name string, fields []Field) error {
	for _, f := range fields {
		if !f.ok {
			return Invalid(name, f.pointer, "%q is not %s", f.value, f.want)
		}
	}
	return nil
}

// Read reads the document name of fsys, which is to be that of id.
func Read[D interface{ Header() *Head }](fsys fs.FS, name, id string, parse func(name string, b []byte) (D, error)) (D, error) {
	var none D
	if !ID(id) {
		return none, &fs.PathError{Op: "read", Path: id, Err: fs.ErrInvalid}
	}
	b, err := File(fsys, name)
	if err != nil {
		return none, err
	}
	d, err := parse(name, b)
	if err != nil {
		return none, err
	}
	if is := d.Header().ID; is != id {
		return none, Invalid(name, "/id", "%q, in the place of %q", is, id)
	}
	return d, nil
}
