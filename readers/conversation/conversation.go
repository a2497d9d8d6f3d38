// Package conversation reads conversations: which turns an agent had, and by
// which name it knows them together, conversations/ID.json in a project's state
// folder.
package conversation

import (
	"io/fs"
	"path"
	"slices"
	"strconv"

	"github.com/freeze-contracts/permafrost/readers"
	"github.com/go-json-experiment/json/jsontext"
)

// Schema is the newest schema this build reads, and the one it writes.
const Schema = 1

// State is where a conversation stands.
type State string

const (
	Open   State = "open"   // can be continued
	Closed State = "closed" // is over
)

// Document is a conversation as it is persisted.
type Document struct {
	readers.Head
	State           State          `json:"state"`
	Harness         string         `json:"harness"`                    // as it was named
	Session         string         `json:"session,omitempty"`          // id of the session it is held in; none for turns
	ProviderSession string         `json:"provider_session,omitempty"` // the agent's own name of it, by which it is resumed; none: it is not known
	Runs            []string       `json:"runs"`                       // ids of its runs, the oldest first
	ClosedAt        readers.Time   `json:"closed_at,omitzero"`         // zero: it is open
	Unknown         jsontext.Value `json:",embed"`                     // fields of other releases, kept by a rewrite
}

// Encode returns the document's bytes, in this build's schema.
func (d *Document) Encode() ([]byte, error) {
	today := *d
	today.Schema = Schema
	return readers.Encode(&today)
}

// File is the place of the document of conversation id in a project's state
// folder.
func File(id string) string { return path.Join("conversations", id+".json") }

// Read reads the document of conversation id from a project's state folder.
func Read(fsys fs.FS, id string) (*Document, error) {
	return readers.Read(fsys, File(id), id, Parse)
}

// Parse decodes a document. The name is for messages.
func Parse(name string, b []byte) (*Document, error) {
	if _, err := readers.Schema(name, b, Schema); err != nil {
		return nil, err
	}
	d := new(Document)
	if err := readers.Decode(name, b, d); err != nil {
		return nil, err
	}
	if err := readers.Check(name, slices.Concat(d.Head.Fields(), d.fields())); err != nil {
		return nil, err
	}
	return d, nil
}

func (d *Document) fields() []readers.Field {
	fields := []readers.Field{
		readers.Is("/state", string(d.State), d.State == Open || d.State == Closed, "a state this build knows"),
		readers.Is("/harness", d.Harness, d.Harness != "", "a harness"),
		readers.Is("/session", d.Session, d.Session == "" || readers.ID(d.Session), "an id"),
		readers.Is("/closed_at", d.ClosedAt.String(), d.ClosedAt.IsZero() != (d.State == Closed), "there exactly if it is closed"),
	}
	for i, run := range d.Runs {
		fields = append(fields, readers.Is("/runs/"+strconv.Itoa(i), run, readers.ID(run), "an id"))
	}
	return fields
}
