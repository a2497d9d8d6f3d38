package runner

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/freeze-contracts/permafrost/readers/project"
)

// maxPrompt is what surely fits into one command of tmux, in bytes.
const maxPrompt = 8 << 10

var harnessName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.+-]*$`)

// known is how stint starts the agents it knows by itself.
func known(name string) project.Harness {
	switch name {
	case "codex", "claude":
		return project.Harness{Prompt: []string{"--", "{prompt}"}}
	}
	return project.Harness{}
}

// HarnessName refuses what can name no harness.
func HarnessName(name string) error {
	if !harnessName.MatchString(name) {
		return fmt.Errorf("harness %q: a name has letters, digits and _.+- only; describe a program that is elsewhere under [harness.NAME] in %s", name, project.ConfigFile)
	}
	return nil
}

// command is the whole command line of a harness: as the configuration
// describes it, else as stint knows it. The program is the one of that name
// unless another is described.
func (r *Runner) command(name, prompt string) ([]string, error) {
	if err := HarnessName(name); err != nil {
		return nil, err
	}
	h, ok := r.Project.Config.Harness[name]
	if !ok {
		h = known(name)
	}
	argv := slices.Clone(h.Command)
	if len(argv) == 0 {
		argv = []string{name}
	}
	if prompt != "" {
		args, err := promptArgs(name, h, prompt)
		if err != nil {
			return nil, err
		}
		argv = append(argv, args...)
	}
	program, err := r.program(argv[0])
	if err != nil {
		return nil, fmt.Errorf("harness %q: %w; install it, or describe the harness under [harness.%s] in %s", name, err, name, project.ConfigFile)
	}
	argv[0] = program
	return argv, nil
}

func promptArgs(name string, h project.Harness, prompt string) ([]string, error) {
	switch {
	case len(h.Prompt) == 0:
		return nil, fmt.Errorf("harness %q: it is not known how to hand it a prompt: say so by prompt = [\"{prompt}\"] under [harness.%s] in %s", name, name, project.ConfigFile)
	case len(prompt) > maxPrompt:
		return nil, fmt.Errorf("prompt: it has %d bytes, and tmux takes %d: put it into a file and name the file in the prompt", len(prompt), maxPrompt)
	case strings.ContainsRune(prompt, 0):
		return nil, fmt.Errorf("prompt: it holds a NUL, which no argument can")
	}
	args := slices.Clone(h.Prompt)
	for i, arg := range args {
		args[i] = strings.ReplaceAll(arg, "{prompt}", prompt)
	}
	return args, nil
}

// program finds a program: tmux would start a pane for a missing one and say
// nothing. A relative path is relative to the main work tree.
func (r *Runner) program(name string) (string, error) {
	if strings.Contains(name, "/") && !filepath.IsAbs(name) {
		name = filepath.Join(r.Project.Tree.Dir, name)
	}
	path, err := exec.LookPath(name)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("program %q is not on PATH", name)
	case err != nil:
		return "", fmt.Errorf("program %q cannot be run: %w", name, err)
	}
	return filepath.Abs(path)
}
