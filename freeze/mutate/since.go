package mutate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/freeze-contracts/permafrost/freeze/mutate/regression"
	"github.com/freeze-contracts/permafrost/freeze/mutate/source"
)

// Changes are the lines that differ from a commit, committed or not.
type Changes struct {
	dir   string
	lines map[string][]span // by file, from dir; nil for all of it
}

type span struct{ from, to int }

// hunk is the place that a hunk of a diff has in the new file.
var hunk = regexp.MustCompile(`^@@ -\S+ \+(\d+)(?:,(\d+))? @@`)

// Since returns what changed below a folder since a revision of its repository.
func Since(ctx context.Context, dir string, env []string, rev string) (*Changes, error) {
	c := &Changes{dir: dir, lines: make(map[string][]span)}
	git := func(args ...string) ([]byte, error) {
		cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.quotePath=false"}, args...)...)
		cmd.Dir, cmd.Env = dir, env
		out, err := cmd.Output()
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			return nil, fmt.Errorf("git %s: %s", args[0], bytes.TrimSpace(exit.Stderr))
		}
		return out, err
	}
	commit, err := git("rev-parse", "--verify", "--end-of-options", rev+"^{commit}")
	if err != nil {
		return nil, err
	}
	// No prefix and no renames: a file that is new under its name is new. No
	// program that the user's settings name.
	diff, err := git("diff", "--relative", "--no-renames", "--no-prefix", "--no-ext-diff", "--no-textconv", "--no-color", "-U0", strings.TrimSpace(string(commit)), "--", ".")
	if err != nil {
		return nil, err
	}
	file := ""
	for line := range strings.Lines(string(diff)) {
		if name, ok := strings.CutPrefix(line, "+++ "); ok {
			file = strings.TrimSuffix(strings.TrimSuffix(name, "\n"), "\t")
		}
		if m := hunk.FindStringSubmatch(line); m != nil {
			c.add(file, m[1], m[2])
		}
	}
	untracked, err := git("ls-files", "-z", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitAfterSeq(string(untracked), "\x00") {
		if name, ok := strings.CutSuffix(name, "\x00"); ok {
			c.lines[name] = nil
		}
	}
	return c, nil
}

func (c *Changes) add(file, from, count string) {
	first, _ := strconv.Atoi(from)
	n := 1
	if count != "" {
		n, _ = strconv.Atoi(count)
	}
	// Where lines were only taken away, the one before stands for them.
	c.lines[file] = append(c.lines[file], span{first, first + max(n, 1) - 1})
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
