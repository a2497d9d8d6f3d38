package process

import (
	"bytes"
	"context"
	"errors"
	"os/exec"

	"github.com/freeze-contracts/permafrost/freeze/group"
)

// Output runs a command to its end and returns what it prints on standard
// output. The error of one that ends with another exit status than 0 is an
// *exec.ExitError, which has what it prints on standard error. The command and
// what it has started, such as the compilers of go, end with ctx.
func Output(ctx context.Context, cmd *exec.Cmd) ([]byte, error) {
	g, err := group.New()
	if err != nil {
		return nil, err
	}
	defer g.End()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := g.Start(cmd); err != nil {
		return nil, err
	}
	_, err = wait(ctx, g, cmd, nil)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		exit.Stderr = errs.Bytes()
	}
	return out.Bytes(), err
}
