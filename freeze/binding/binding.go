// Package binding finds the values in a capture that belong to the box it was
// written in (paths, times, ids, digests over paths, and what freeze.toml
// declares), refuses every other difference between two boxes, and carries a
// capture over to another root.
//
// It knows nothing of releases, fixtures on disk, or the program that wrote
// the bytes: it sees names, bytes and rules. It promises that a value is bound
// only for a reason that it records, with its exact occurrences, and that
// rebinding changes nothing else.
package binding

import (
	"context"
	"time"

	"github.com/freeze-contracts/permafrost/freeze/tree"
)

// Kind says why a value belongs to its box.
type Kind string

// The kinds that are recognised.
const (
	Path    Kind = "path"    // the box's root, in one of its spellings
	Time    Kind = "time"    // RFC 3339 or unix s, ms, us, ns, inside of the run
	ID      Kind = "id"      // uuid, ulid, hex of at least 8 digits
	Derived Kind = "derived" // a digest of a bound path, or a declared derivation
)

// The kinds that hold only where a Rule declares them.
const (
	Decimal Kind = "decimal" // a number such as a pid
	Host    Kind = "host"
	User    Kind = "user"
	UID     Kind = "uid"
	Version Kind = "version" // of a program that the box knows, such as tmux or git
	Prefix  Kind = "prefix"  // the first characters of a bound id
	Opaque  Kind = "opaque"  // bytes random by design: size and pattern are compared
	Date    Kind = "date"    // a moment of the run in a form of the program's own
)

// Rule declares what stands at one place: a [[binding]] of freeze.toml.
type Rule struct {
	// Family limits the rule to one family. The caller hands in the rules of
	// the family at hand: this package does not look at it.
	Family string
	// File is a glob over the box-relative path: * and ? stay within a
	// component, ** spans any number of them.
	File string
	// Pointer is a JSON pointer into a JSON or TOML file. In JSON Lines and in
	// text its first step is the line, counted from 1 (/3/pid; /3). A step *
	// stands for any one step. "#name" is the last component of the file's
	// name, "#target" a symlink's target, and "" is the whole content.
	Pointer string
	Kind    Kind
	// Derive names the derivation of a Derived value, Inputs what it takes:
	// "{root}", "{home}", "{project}" with or without a path below them stand
	// for that absolute path, anything else is the box-relative path of an
	// entry, such as view/head/stdout, and stands for its content. None means
	// "{project}".
	Derive string
	Inputs []string
	// Pattern is a regexp that an Opaque or Derived value matches as a whole. A
	// value in the place of a Derived one that does not is a constant.
	Pattern string
	// Layout is the form of a Date, as package time has it: year, month and day
	// are in it. A value in its place that has another form is a constant.
	Layout string
}

// Run is one capture, and what is known of the box it comes from.
type Run struct {
	Root     string
	From, To time.Time // when the box's programs ran
	Entries  []tree.Entry
	// Known are the values of the kinds Host, User and UID under the names
	// "host", "user" and "uid"; every other name is a Version ("tmux", "git").
	Known map[string]string
}

// Binding is one value that belongs to its box, and everywhere it stands.
type Binding struct {
	// ID is unique in a scenario: root, or the kind and a number. Numbers of a
	// kind follow the birth of the entries that first show the values, which
	// is how Again tells names apart that nothing else does.
	ID     string
	Kind   Kind
	Value  string
	Derive string
	Inputs []string
	At     []Occurrence
}

// Occurrence says how often a value stands at one place of one entry.
type Occurrence struct {
	Path     string `json:"path"`
	Where    string `json:"where"` // value, key, text, name, target
	Pointer  string `json:"pointer,omitempty"`
	Spelling string `json:"spelling,omitempty"`
	Count    int    `json:"count"`
}

// Derive computes a declared derivation. The inputs are named as in the rule.
type Derive func(ctx context.Context, name string, inputs map[string]string) (string, error)
