// Package layout holds the arrows of the module: which package may import
// which. It parses the files itself, since the test cache does not see what a
// child process reads.
package layout

import (
	"bytes"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	module = "github.com/freeze-contracts/permafrost"
	root   = "../.."
)

// arrows lists, for each package or tree ("readers/..."), the packages and
// trees of this module that its code may import.
var arrows = map[string][]string{
	"cmd/freeze": {"sandbox", "freeze/cli", "freeze/read", "freeze/scenario"},
	"cmd/stint":  {"internal/stint/cli"},

	"sandbox":              {"internal/tmux"},
	"sandbox/script":       {"sandbox", "sandbox/script/begin", "internal/tmux"},
	"sandbox/script/begin": nil,

	"freeze/tree":           nil,
	"freeze/binding":        {"freeze/tree"},
	"freeze/fixture":        {"freeze/tree", "freeze/binding"},
	"freeze/diff/sqlite":    nil,
	"freeze/diff":           {"freeze/diff/sqlite", "freeze/tree", "freeze/binding", "freeze/fixture", "internal/plain"},
	"freeze/config":         {"freeze/config/tomldoc", "freeze/tree"},
	"freeze/config/tomldoc": nil,
	"freeze/ledger":         {"freeze/config/tomldoc", "freeze/tree"},
	"freeze/group":          nil,
	"freeze/provider":       {"freeze/config", "freeze/group", "freeze/ledger"},
	"freeze/scenario":       {"sandbox", "sandbox/script", "freeze/tree", "freeze/binding", "freeze/fixture"},
	"freeze/shard":          {"freeze/tree", "internal/whole"},
	"freeze/cut":            {"sandbox", "freeze/config", "freeze/ledger", "freeze/provider", "freeze/scenario", "freeze/shard", "freeze/tree", "freeze/binding", "freeze/fixture", "internal/plain"},
	"freeze/read":           {"sandbox", "sandbox/script", "freeze/config", "freeze/ledger", "freeze/provider", "freeze/scenario", "freeze/shard", "freeze/tree", "freeze/fixture", "freeze/cut", "internal/plain", "internal/whole"},
	"freeze/report":         {"freeze/cut", "freeze/diff", "freeze/fixture", "freeze/ledger", "freeze/mutate", "freeze/read", "freeze/scenario", "internal/plain"},
	"freeze/skeleton":       {"sandbox/script", "freeze/config", "freeze/cut"},
	"freeze/cli":            {"freeze/report", "freeze/skeleton", "freeze/shard", "sandbox", "freeze/config", "freeze/ledger", "freeze/scenario", "freeze/fixture", "freeze/binding", "freeze/diff", "freeze/cut", "freeze/read", "freeze/mutate", "freeze/mutate/regression", "internal/plain", "internal/whole"},

	"freeze/mutate":                 {"freeze/shard", "freeze/mutate/process", "freeze/mutate/regression", "freeze/mutate/source", "freeze/mutate/source/switches", "freeze/mutate/testbin", "internal/dirlock", "internal/plain"},
	"freeze/mutate/process":         {"freeze/group"},
	"freeze/mutate/regression":      nil,
	"freeze/mutate/source":          {"freeze/mutate/process"},
	"freeze/mutate/source/switches": nil,
	"freeze/mutate/testbin":         {"freeze/mutate/process"},

	"internal/tmux":          nil,
	"internal/layout":        nil,
	"internal/plain":         nil,
	"internal/whole":         nil,
	"internal/dirlock":       nil,
	"internal/registry":      nil,
	"internal/clipage":       nil,
	"internal/subjects":      nil,
	"internal/subjects/demo": {"internal/subjects"},

	"readers":              nil,
	"readers/artifact":     {"readers"},
	"readers/project":      {"readers"},
	"readers/session":      {"readers"},
	"readers/conversation": {"readers"},

	"internal/stint/document":     {"readers"},
	"internal/stint/env":          nil,
	"internal/stint/shell":        nil,
	"internal/stint/git":          nil,
	"internal/stint/project":      {"internal/stint/document", "internal/stint/git", "readers/..."},
	"internal/stint/session":      {"internal/stint/document", "internal/tmux", "readers/..."},
	"internal/stint/conversation": {"internal/stint/document", "readers/..."},
	"internal/stint/artifact":     {"internal/stint/document", "internal/stint/git", "readers/..."},
	"internal/stint/runner":       {"internal/stint/artifact", "internal/stint/conversation", "internal/stint/document", "internal/stint/env", "internal/stint/git", "internal/stint/project", "internal/stint/session", "internal/stint/shell", "internal/tmux", "readers/..."},
	"internal/stint/doctor":       {"internal/stint/document", "internal/stint/env", "internal/stint/git", "internal/stint/project", "internal/stint/runner", "internal/stint/session", "internal/stint/shell", "internal/stint/text", "internal/tmux", "readers/..."},
	"internal/stint/text":         {"internal/stint/runner", "internal/stint/session", "readers/..."},
	"internal/stint/tui":          {"internal/stint/document", "internal/stint/env", "internal/stint/runner", "internal/stint/session", "internal/stint/text", "readers/..."},
	"internal/stint/cli":          {"internal/stint/doctor", "internal/stint/document", "internal/stint/project", "internal/stint/runner", "internal/stint/session", "internal/stint/text", "internal/stint/tui", "readers/..."},

	"contracts":           {"freeze/fixture", "freeze/ledger", "freeze/binding", "freeze/tree", "internal/dirlock"},
	"contracts/artifacts": nil,
	"contracts/byhand":    nil,
	"contracts/corpus":    nil,
	"contracts/project":   nil,
	"contracts/runner":    nil,
	"contracts/sessions":  nil,
}

// testArrows lists what the tests of a package may import beside what its
// code may, and itself.
var testArrows = map[string][]string{
	"freeze/provider":       {"internal/registry"},
	"freeze/scenario":       {"internal/subjects"},
	"freeze/cut":            {"internal/subjects"},
	"freeze/cli":            {"internal/clipage", "internal/registry", "internal/subjects"},
	"freeze/read":           {"internal/subjects", "freeze/scenario"},
	"freeze/mutate":         {"internal/subjects"},
	"freeze/mutate/testbin": {"freeze/mutate/source"},
	"internal/stint/cli":    {"internal/clipage", "internal/stint/env", "sandbox", "sandbox/script"},
	"internal/stint/env":    {"internal/tmux"},
	"internal/stint/tui":    {"internal/stint/git", "internal/stint/project"},
	"contracts/artifacts":   {"contracts", "contracts/byhand", "internal/stint/artifact", "internal/stint/cli", "internal/stint/document", "internal/stint/git", "internal/stint/project", "internal/stint/runner", "internal/tmux", "readers/..."},
	"contracts/corpus":      {"contracts", "contracts/byhand", "freeze/config", "freeze/diff", "freeze/fixture", "freeze/ledger", "freeze/read"},
	"contracts/project":     {"contracts", "internal/stint/project", "readers/..."},
	"contracts/runner":      {"contracts", "contracts/byhand", "internal/stint/cli", "internal/stint/document", "sandbox"},
	"contracts/sessions":    {"contracts", "contracts/byhand", "internal/stint/...", "internal/tmux", "readers/..."},
	"readers":               {"readers/..."},
}

// readersMayUse are the modules of others that a reader may import.
var readersMayUse = []string{"github.com/pelletier/go-toml/v2", "github.com/go-json-experiment/json"}

// readersBan are standard packages by which a reader could do I/O of its own.
var readersBan = []string{"os", "os/exec", "net", "syscall"}

type file struct {
	name, pkg string
	test      bool
	imports   []string
}

func TestArrows(t *testing.T) {
	seen := make(map[string]bool)
	for _, f := range parse(t) {
		key, ok := lookup(arrows, f.pkg)
		if !ok {
			t.Errorf("%s: package %s has no place among the arrows; give it one", f.name, f.pkg)
			continue
		}
		seen[key] = true
		allowed := slices.Clone(arrows[key])
		if f.test {
			allowed = append(allowed, f.pkg)
			allowed = append(allowed, testArrows[key]...)
		}
		for _, imp := range f.imports {
			to, inside := strings.CutPrefix(imp, module+"/")
			if inside && !covers(allowed, to) {
				t.Errorf("%s imports %s; %s may import %q", f.name, to, key, allowed)
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(arrows)) {
		if !seen[key] {
			t.Errorf("the arrows list %s, which has no Go file", key)
		}
	}
}

func TestReadersDoNoIO(t *testing.T) {
	for _, f := range parse(t) {
		if !strings.HasPrefix(f.pkg+"/", "readers/") || f.test {
			continue
		}
		for _, imp := range f.imports {
			if slices.ContainsFunc(readersBan, func(ban string) bool { return imp == ban || strings.HasPrefix(imp, ban+"/") }) {
				t.Errorf("%s imports %s: a reader is handed bytes or an fs.FS", f.name, imp)
			}
			other := strings.Contains(imp, ".") && !strings.HasPrefix(imp, module)
			if other && !slices.ContainsFunc(readersMayUse, func(m string) bool { return imp == m || strings.HasPrefix(imp, m+"/") }) {
				t.Errorf("%s imports %s: readers may use only %q", f.name, imp, readersMayUse)
			}
		}
	}
}

// subject is the program that this repository freezes, as a word of its own.
var subject = regexp.MustCompile(`(?i)\bstint`)

// The toolkit is general: it does not know that program.
func TestToolkitNamesNoSubject(t *testing.T) {
	for _, f := range parse(t) {
		if !strings.HasPrefix(f.pkg, "freeze/") && !strings.HasPrefix(f.pkg, "sandbox") {
			continue
		}
		src, err := os.ReadFile(filepath.Join(root, f.name))
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range bytes.Split(src, []byte("\n")) {
			if subject.Match(line) {
				t.Errorf("%s:%d names a subject: %s", f.name, i+1, bytes.TrimSpace(line))
			}
		}
	}
}

func TestMainsAreShort(t *testing.T) {
	mains, err := filepath.Glob(filepath.Join(root, "cmd", "*", "main.go"))
	if err != nil || len(mains) == 0 {
		t.Fatalf("no main.go under cmd (%v)", err)
	}
	for _, name := range mains {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(src, []byte("\n")); n > 25 {
			t.Errorf("%s has %d lines, more than 25", name, n)
		}
	}
}

// lookup finds the entry for a package: its own, or that of a tree it is in.
func lookup(m map[string][]string, pkg string) (string, bool) {
	if _, ok := m[pkg]; ok {
		return pkg, true
	}
	for dir := pkg; dir != "."; dir = path.Dir(dir) {
		if _, ok := m[dir+"/..."]; ok {
			return dir + "/...", true
		}
	}
	return "", false
}

func covers(allowed []string, pkg string) bool {
	return slices.ContainsFunc(allowed, func(a string) bool {
		tree, isTree := strings.CutSuffix(a, "/...")
		return a == pkg || isTree && strings.HasPrefix(pkg+"/", tree+"/")
	})
}

// parse reads every Go file of the module outside of test data and fixtures.
func parse(t *testing.T) []file {
	t.Helper()
	var files []file
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := filepath.ToSlash(strings.TrimPrefix(name, root+string(filepath.Separator)))
		if d.IsDir() && name != root {
			if d.Name()[0] == '.' || d.Name() == "testdata" || rel == "fixtures" || rel == "bin" {
				return fs.SkipDir
			}
			if _, err := os.Stat(filepath.Join(name, "go.mod")); err == nil {
				return fs.SkipDir // a module of its own
			}
			return nil
		}
		if path.Ext(rel) != ".go" {
			return nil
		}
		f, err := parseFile(name, rel)
		files = append(files, f)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func parseFile(name, rel string) (file, error) {
	f := file{name: rel, pkg: path.Dir(rel), test: strings.HasSuffix(rel, "_test.go")}
	src, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
	if err != nil {
		return f, err
	}
	for _, spec := range src.Imports {
		imp, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return f, err
		}
		f.imports = append(f.imports, imp)
	}
	return f, nil
}
