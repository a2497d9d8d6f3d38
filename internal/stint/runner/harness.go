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

// known is how stint starts the agents it knows by itself. codex makes up the
// name of a conversation itself, and tells it in a turn only.
func known(name string) project.Harness {
	switch name {
	case "claude":
		return project.Harness{
			Prompt:   []string{"--", "{prompt}"},
			Begin:    []string{"--session-id", "{conversation}"},
			Resume:   []string{"--resume", "{conversation}"},
			Run:      []string{"--print", "--permission-mode", "acceptEdits", "--output-format", "json", "--", "{prompt}"},
			Continue: []string{"--print", "--permission-mode", "acceptEdits", "--output-format", "json", "--resume", "{conversation}", "--", "{prompt}"},
			Report:   "session_id",
		}
	case "codex":
		return project.Harness{
			Prompt:   []string{"--", "{prompt}"},
			Resume:   []string{"resume", "{conversation}"},
			Run:      []string{"exec", "--json", "--sandbox", "workspace-write", "--", "{prompt}"},
			Continue: []string{"exec", "--json", "--sandbox", "workspace-write", "resume", "{conversation}", "--", "{prompt}"},
			Report:   "thread_id",
		}
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

// harness is how a harness is started: as the configuration describes it, else
// as stint knows it. Its command begins with the absolute path of a program.
func (r *Runner) harness(name string) (project.Harness, error) {
	if err := HarnessName(name); err != nil {
		return project.Harness{}, err
	}
	h, ok := r.Project.Config.Harness[name]
	if !ok {
		h = known(name)
	}
	if len(h.Command) == 0 {
		h.Command = []string{name}
	}
	program, err := r.program(h.Command[0])
	if err != nil {
		return h, fmt.Errorf("harness %q: %w; install it, or describe the harness under [harness.%s] in %s", name, err, name, project.ConfigFile)
	}
	h.Command = append([]string{program}, h.Command[1:]...)
	return h, nil
}

// interactive is the command line that starts a harness in a terminal, to begin
// the conversation of that name where it can be told one.
func interactive(name string, h project.Harness, conversation, prompt string) ([]string, error) {
	argv := slices.Concat(h.Command, fill(h.Begin, conversation, ""))
	switch {
	case prompt == "":
		return argv, nil
	case len(h.Prompt) == 0:
		return nil, fmt.Errorf("harness %q: it is not known how to hand it a prompt: say so by prompt = [\"{prompt}\"] under [harness.%s] in %s", name, name, project.ConfigFile)
	case len(prompt) > maxPrompt:
		return nil, fmt.Errorf("prompt: it has %d bytes, and tmux takes %d: put it into a file and name the file in the prompt", len(prompt), maxPrompt)
	case strings.ContainsRune(prompt, 0):
		return nil, errors.New("prompt: it holds a NUL, which no argument can")
	}
	return append(argv, fill(h.Prompt, conversation, prompt)...), nil
}

// fill puts what they stand for in the places of {conversation} and {prompt}.
func fill(args []string, conversation, prompt string) []string {
	places := strings.NewReplacer("{conversation}", conversation, "{prompt}", prompt)
	filled := make([]string, len(args))
	for i, arg := range args {
		filled[i] = places.Replace(arg)
	}
	return filled
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
