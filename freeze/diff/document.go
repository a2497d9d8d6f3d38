package diff

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/freeze-contracts/permafrost/freeze/binding"
	"github.com/freeze-contracts/permafrost/freeze/fixture"
	"github.com/freeze-contracts/permafrost/freeze/tree"
)

// document is one or more entries whose paths differ in bound values only.
type document struct {
	path    string
	count   int
	kinds   set // json, text, dir, symlink
	modes   set
	targets set
	fields  map[string]*field // by pointer, array elements merged as /*
	lines   []string          // of text
	bytes   set               // of a binary: size and hash
	unread  set               // why it could not be taken apart
}

// sameRoot is where both sides are bound to, so that no path of a box is left.
const sameRoot = "/box"

// documents is a scenario with all that belongs to its box set aside.
func documents(s *fixture.Scenario) map[string]*document {
	docs, paths := make(map[string]*document), make(names)
	entries := atSameRoot(s)
	all, read := boundIn(s.Bindings), &files{make(map[string]tree.Entry), make(map[string]readDatabase)}
	for _, e := range entries {
		read.entries[e.Path] = e
	}
	for i, e := range s.Entries {
		if strings.HasPrefix(e.Path, "view/") {
			continue // what a release says about its state is not its state
		}
		b := all[e.Path]
		name := paths.add(e.Path, entries[i].Path, b)
		d := docs[name]
		if d == nil {
			d = &document{path: name, fields: make(map[string]*field)}
			docs[name] = d
		}
		d.add(entries[i], b, read)
	}
	return docs
}

// atSameRoot binds the scenario's entries to sameRoot. Declared derivations
// would take the subject's own command: they are left, and so are entries that
// cannot be bound.
func atSameRoot(s *fixture.Scenario) []tree.Entry {
	bs := slices.DeleteFunc(slices.Clone(s.Bindings), func(b binding.Binding) bool { return b.Derive != "" })
	entries, err := binding.Rebind(context.Background(), s.Entries, bs, sameRoot, nil)
	if err != nil {
		return s.Entries
	}
	return entries
}

var gitObject = regexp.MustCompile(`(?:^|/)\.git/(?:.*/)?objects/.`)

// names are the paths of entries, by that in the fixture: what is bound in the
// name of a folder stands in those of all that is below.
type names map[string]struct{ now, document string }

// add names an entry whose path is now at the same root. What is above it has
// been added.
func (ns names) add(frozen, now string, b bound) string {
	dir := path.Dir(frozen)
	for dir != "." && ns[dir].now == "" {
		dir = path.Dir(dir)
	}
	above := ns[dir]
	rest := strings.TrimPrefix(now[len(above.now):], "/")
	document := path.Join(above.document, b.set(rest, anywhere, "name"))
	if gitObject.MatchString(frozen) {
		document = strings.TrimSuffix(above.document, "/{object}") + "/{object}"
	}
	ns[frozen] = struct{ now, document string }{now, document}
	return document
}

func (d *document) add(e tree.Entry, b bound, all *files) {
	d.count++
	if e.Type != tree.File {
		d.kinds.add(string(e.Type))
		if e.Type == tree.Symlink {
			d.targets.add(b.set(e.Target, anywhere, "target"))
		} else {
			d.modes.add(octal(e.Mode))
		}
		return
	}
	d.modes.add(octal(e.Mode))
	inGit := strings.Contains("/"+e.Path, "/.git/")
	doc := fixture.ParseDocument(e.Path, e.Data)
	if form := b.whole(e.Data); form != "" {
		d.kinds.add(string(doc.Kind))
		d.bytes.add(form)
		return
	}
	if kind := formOf(e, doc, all); kind != "" && !inGit {
		if kind == kindPart {
			d.kinds.add(kind)
			return
		}
		root, err := parseForm(kind, e, b, all)
		if err == nil {
			d.kinds.add(kind)
			d.flatten(root, "", "", b, false)
			return
		}
		d.unread.add(fmt.Sprintf("is no sound %s, and was compared by its bytes: %v", kind, err))
	}
	d.kinds.add(string(doc.Kind))
	switch doc.Kind {
	case fixture.Binary:
		if !inGit {
			sum := sha256.Sum256(e.Data)
			d.bytes.add(fmt.Sprintf("%d bytes, sha256 %s", len(e.Data), hex.EncodeToString(sum[:])))
		}
	case fixture.Text:
		d.addLines(doc.Root.([]any), b, inGit)
		if n := len(e.Data); n > 0 && e.Data[n-1] != '\n' {
			d.lines = append(d.lines, `\ no newline at the end`)
		}
	default:
		d.flatten(doc.Root, "", "", b, doc.Kind == fixture.JSONLines)
	}
}

func octal(m fs.FileMode) string {
	special := map[bool]int{true: 1}
	return fmt.Sprintf("%d%03o", special[m&fs.ModeSetuid != 0]*4+special[m&fs.ModeSetgid != 0]*2+special[m&fs.ModeSticky != 0], m.Perm())
}

var objectName = regexp.MustCompile(`\b[0-9a-f]{40}\b`)

// addLines takes lines for what they are to another box. Names of git's
// objects follow from what was committed.
func (d *document) addLines(lines []any, b bound, inGit bool) {
	for i, line := range lines {
		text := b.set(line.(string), "/"+strconv.Itoa(i+1), "text", "value", "key")
		if inGit {
			text = objectName.ReplaceAllString(text, "{object}")
		}
		d.lines = append(d.lines, text)
	}
}

// kind is what the document is, for grouping.
func (d *document) kind() string { return cmp.Or(d.kinds.text(), "file") }
