package cut

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/freeze-contracts/permafrost/freeze/binding"
	"github.com/freeze-contracts/permafrost/freeze/config"
)

// deriveLimit is how long a derivation may take.
const deriveLimit = 30 * time.Second

// Derive runs the derivations that freeze.toml declares, as the release of
// that version computes them: the command gets the inputs as one JSON object
// on its standard input and prints the value.
func (p *Project) Derive(version string) binding.Derive {
	return func(ctx context.Context, name string, inputs map[string]string) (string, error) {
		d, ok := p.Config.Derive[name]
		if !ok {
			return "", fmt.Errorf("freeze.toml has no [derive.%s]", name)
		}
		stdin, err := json.Marshal(inputs, json.Deterministic(true))
		if err != nil {
			return "", err
		}
		ctx, cancel := context.WithTimeoutCause(ctx, deriveLimit, fmt.Errorf("it took longer than %v", deriveLimit))
		defer cancel()
		places := config.Places{Version: strings.TrimPrefix(version, "v")}
		args := places.ExpandAll(d.Command)
		var stdout, stderr bytes.Buffer
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		cmd.Dir, cmd.Env = p.Config.Dir, p.env
		cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), &stdout, &stderr
		cmd.WaitDelay = time.Second
		err = cmd.Run()
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return "", fmt.Errorf("derivation %s, %q: %w%s", name, strings.Join(args, " "), err, said(stderr.String()))
		}
		return strings.TrimSuffix(stdout.String(), "\n"), nil
	}
}
