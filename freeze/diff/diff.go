// Package diff says what changed in the persisted contract between two
// releases: documents, fields, types, formats, modes, paths and links, with
// all that belongs to the box they were written in set aside.
//
// It compares fixtures, and knows nothing of the program that wrote them.
package diff

import (
	"io"

	"github.com/freeze-contracts/permafrost/freeze/fixture"
)

// Report is what differs between two releases.
type Report struct{}

// Releases compares the families of release a with those of release b.
func Releases(a, b []*fixture.Release) *Report { panic("unbuilt") }

// Empty reports whether nothing differs.
func (r *Report) Empty() bool { panic("unbuilt") }

// Text writes the report for a terminal.
func (r *Report) Text(w io.Writer) error { panic("unbuilt") }

// JSON writes the report as one JSON document.
func (r *Report) JSON(w io.Writer) error { panic("unbuilt") }

// Markdown writes the report for a release note or a pull request.
func (r *Report) Markdown(w io.Writer) error { panic("unbuilt") }
