package cli

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/freeze-contracts/permafrost/freeze/config"
	"github.com/freeze-contracts/permafrost/freeze/shard"
)

// mutateShard is a shard of mutation checks under way.
type mutateShard struct {
	shardOptions
	app   *app
	state shard.State
	tools map[string]string
	plan  []string // names of what all shards judge
}

// mutatePart finds what a part of mutation checks is held by, before anything
// is run. For the whole there is nothing to find.
func (a *app) mutatePart(ctx context.Context, cfg *config.Config, opts mutateOptions) (*mutateShard, error) {
	s := &mutateShard{shardOptions: opts.part, app: a}
	if s.Whole() {
		return s, nil
	}
	var err error
	if s.state, err = a.state(ctx, cfg); err != nil {
		return nil, err
	}
	if s.state.Commit == "" {
		return nil, errors.New("--shard of mutate needs a git repository with a commit: what is mutated is told by it")
	}
	cmd := exec.CommandContext(ctx, "go", "version")
	cmd.Dir, cmd.Env = cfg.Dir, a.env
	version, err := cmd.Output()
	switch {
	case err == nil:
		s.tools = map[string]string{"toolchain": strings.TrimSpace(string(version))}
	case !errors.Is(err, exec.ErrNotFound): // what is mutated need not be Go
		return nil, fmt.Errorf("go version: %w", err)
	}
	return s, nil
}

// write writes the part, if it is one.
func (s *mutateShard) write(command string, done any) error {
	if s.Whole() {
		return nil
	}
	return s.app.write(s.shardOptions, command, s.state, s.tools, s.plan, done)
}
