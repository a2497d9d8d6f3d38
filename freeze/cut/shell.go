package cut

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/freeze-contracts/permafrost/freeze/provider"
	"github.com/freeze-contracts/permafrost/sandbox"
)

// Shell opens an interactive shell in a box with a release's programs on
// PATH. How the shell ends does not matter; that the box could not be proved
// empty afterwards does.
func (p *Project) Shell(ctx context.Context, version string, stdin io.Reader, stdout, stderr io.Writer) (err error) {
	r, err := p.Ledger.Get(version)
	if err != nil {
		return err
	}
	prov, err := provider.New(p.Config, p.env, p.cache, stderr)
	if err != nil {
		return err
	}
	build, err := prov.Obtain(ctx, r)
	if err != nil {
		return err
	}
	cfg := p.box(version, build.Dir, turn{})
	if !slices.Contains(cfg.Tools, "sh") {
		cfg.Tools = append(slices.Clone(cfg.Tools), "sh")
	}
	box, err := sandbox.Start(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, box.Close()) }()
	_, err = box.Run(ctx, sandbox.Cmd{Args: []string{"sh", "-i"}, Terminal: true, Stdin: stdin, Stdout: stdout, Stderr: stderr})
	return err
}
