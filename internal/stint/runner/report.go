package runner

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/freeze-contracts/permafrost/readers"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// reporter hands on what an agent prints, and looks in it for the name by which
// the agent knows the conversation: a member of an object that is a line, or
// of the one value that is all of it.
type reporter struct {
	out    io.Writer
	member string       // empty: there is nothing to look for
	found  func(string) // called once, with the first that is found

	done      bool
	line, all bytes.Buffer
}

// Write never fails: that nobody listens any more is no reason to end an agent.
func (r *reporter) Write(b []byte) (int, error) {
	r.out.Write(b)
	for rest := b; r.looks() && len(rest) > 0; {
		line, more, whole := bytes.Cut(rest, []byte("\n"))
		keep(&r.line, line)
		if whole {
			r.look(r.line.Bytes())
			r.line.Reset()
		}
		rest = more
	}
	if r.looks() {
		keep(&r.all, b)
	}
	return len(b), nil
}

// Close looks at what no newline ended, and at all of it as one value.
func (r *reporter) Close() {
	r.look(r.line.Bytes())
	r.look(r.all.Bytes())
}

func (r *reporter) looks() bool { return r.member != "" && !r.done }

// keep adds to what is held, which never is more than a document may have. One
// that is cut does not parse.
func keep(held *bytes.Buffer, b []byte) {
	held.Write(b[:min(len(b), readers.MaxDocument-held.Len())])
}

func (r *reporter) look(value []byte) {
	// An agent may print millions of lines that are no objects.
	if !r.looks() || !bytes.HasPrefix(bytes.TrimLeft(value, " \t\r\n"), []byte("{")) {
		return
	}
	object := make(map[string]jsontext.Value)
	if json.Unmarshal(value, &object, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil {
		return
	}
	var name string
	if json.Unmarshal(object[r.member], &name) == nil && nameable(name) {
		r.done = true
		r.found(name)
	}
}

// nameable refuses what could not be handed back to the agent as what it is.
func nameable(name string) bool {
	const most = 1 << 10
	return name != "" && len(name) <= most && name[0] != '-' && utf8.ValidString(name) && !strings.ContainsFunc(name, func(c rune) bool { return c < ' ' || c == 0x7f })
}
