package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"time"
)

// call runs stint. It is done, or refused for a reason that is known.
func (h *hammer) call(ctx context.Context, args ...string) (out string, done bool, err error) {
	ctx, stop := context.WithTimeout(ctx, 90*time.Second)
	defer stop()
	cmd := exec.CommandContext(ctx, h.program, args...)
	cmd.Env = h.env
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	outcome, said := "done", stderr.String()
	if err != nil {
		outcome = refusal(said)
	}
	if code := cmd.ProcessState.ExitCode(); code != 0 && code != 1 || outcome == "" {
		return "", false, fmt.Errorf("%w: %s: %s%s", err, args, &stdout, said)
	}
	h.count(strings.TrimPrefix(args[0]+" "+args[1], "session ") + ": " + outcome)
	return stdout.String(), err == nil, nil
}

func (h *hammer) count(what string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calls[what]++
}

// refusal names that of one line, if it is one that has to be reckoned with.
func refusal(said string) string {
	for name, line := range map[string]string{
		"another is open for it":     `(work item|standing session) ".*": session "\w+" is (open for it: run|for it and is (creating|closing): run) .*`,
		"another is at work on it":   `.*another stint is at work on it \(it holds ".*"\); try again when it is done`,
		"it is closed":               `session "\w+": it is closed, and its worktree is gone: .*`,
		"no work":                    `session "\w+": there is nothing to save: the worktree is as its base`,
		"unsaved work":               `session "\w+": its workspace holds what is nowhere else: .*`,
		"unsaved work at the end":    `session "\w+": its program was ended and it stays closing, since its workspace now holds what is nowhere else: .*`,
		"not on the declared values": `not on what the env file declares, or not known to be: \d+ sessions?: .*`,
		"no session for it":          `work item ".*": no session is for it that is not closed: .*`,
		"it is applied":              `run "\w+": it is applied, and only a pending one, .*`,
		"it has another base":        `run "\w+": it was made on commit \w+, and ".*" is at \w+: .*`,
		"not recovered":              `not recovered: \d+ sessions?: .*`,
	} {
		if regexp.MustCompile(`^stint: ` + line + "\n$").MatchString(said) {
			return name
		}
	}
	return ""
}
