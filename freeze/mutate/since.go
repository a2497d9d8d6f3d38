package mutate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/freeze-contracts/permafrost/freeze/mutate/process"
	"github.com/freeze-contracts/permafrost/freeze/mutate/regression"
	"github.com/freeze-contracts/permafrost/freeze/mutate/source"
)

// Changes are the lines that differ from a commit, committed or not.
type Changes struct {
	dir   string
	lines map[string][]span // by file, from dir; nil for all of it
}

type span struct{ from, to int }

// hunk is how many lines a hunk of a diff takes from the old file, and its
// place in the new one.
var hunk = regexp.MustCompile(`^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@`)

// Since returns what changed below a folder since a revision of its repository.
func Since(ctx context.Context, dir string, env []string, rev string) (*Changes, error) {
	c := &Changes{dir: dir, lines: make(map[string][]span)}
	git := func(args ...string) ([]byte, error) {
		cmd := exec.Command("git", append([]string{"-c", "core.quotePath=false"}, args...)...)
		cmd.Dir, cmd.Env = dir, env
		out, err := process.Output(ctx, cmd)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			return nil, fmt.Errorf("git %s: %s", args[0], bytes.TrimSpace(exit.Stderr))
		}
		return out, err
	}
	commit, err := git("rev-parse", "--verify", "--end-of-options", rev+"^{commit}")
	if err != nil {
		return nil, err
	}
	// No renames: a file that is new under its name is new.
	differ := func(how ...string) ([]byte, error) {
		return git(append(append([]string{"diff", "--relative", "--no-renames"}, how...), strings.TrimSpace(string(commit)), "--", ".")...)
	}
	names, err := differ("--name-only", "-z")
	if err != nil {
		return nil, err
	}
	for name := range ended(names) {
		c.lines[name] = []span{} // also of a file that is gone
	}
	// No prefix, and no program that the user's settings name.
	diff, err := differ("--no-prefix", "--no-ext-diff", "--no-textconv", "--no-color", "-U0", "--inter-hunk-context=0")
	if err != nil {
		return nil, err
	}
	c.hunks(string(diff))
	untracked, err := git("ls-files", "-z", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	for name := range ended(untracked) {
		c.lines[name] = nil
	}
	return c, nil
}

// ended are the names in a list in which each ends with a zero byte.
func ended(list []byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		for name := range strings.SplitAfterSeq(string(list), "\x00") {
			if name, ok := strings.CutSuffix(name, "\x00"); ok && !yield(name) {
				return
			}
		}
	}
}

// hunks takes the lines of a diff without context.
func (c *Changes) hunks(diff string) {
	file, left := "", 0
	for line := range strings.Lines(diff) {
		if left > 0 && (line[0] == '+' || line[0] == '-') {
			left-- // whatever it looks like
			continue
		}
		if name, ok := strings.CutPrefix(line, "+++ "); ok {
			file = strings.TrimSuffix(strings.TrimSuffix(name, "\n"), "\t")
		}
		if m := hunk.FindStringSubmatch(line); m != nil {
			first, _ := strconv.Atoi(m[2])
			n := counted(m[3])
			left = counted(m[1]) + n
			// Where lines were only taken away, the one before stands for them.
			c.lines[file] = append(c.lines[file], span{first, first + max(n, 1) - 1})
		}
	}
}

// counted is a count in a hunk, which is left out where it is 1.
func counted(count string) int {
	if count == "" {
		return 1
	}
	n, _ := strconv.Atoi(count)
	return n
}

// Mutant reports whether a mutant changes a line that changed.
func (c *Changes) Mutant(m *source.Mutant) bool {
	name, err := filepath.Rel(c.dir, m.File.Name)
	if err != nil {
		return false
	}
	spans, ok := c.lines[filepath.ToSlash(name)]
	if !ok || spans == nil {
		return ok
	}
	first, last := m.Line(), m.Line()+bytes.Count(m.File.Text[m.Start:m.End], []byte("\n"))
	for _, s := range spans {
		if s.from <= last && first <= s.to {
			return true
		}
	}
	return false
}

// Regression reports whether a regression, the file that it edits or the
// package of its test changed; of a command anything, since nobody knows what
// it reads. Folder is that of the regressions.
func (c *Changes) Regression(folder string, r *regression.Regression) bool {
	if r.Run != "" {
		return len(c.lines) > 0
	}
	for name := range c.lines {
		if name == r.File || name == path.Join(folder, r.Name+regression.Ext) || path.Dir(name) == path.Clean(r.Test.Package) {
			return true
		}
	}
	return false
}
