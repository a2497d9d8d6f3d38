// Package tui is the project on a screen: its sessions and runs, as they stand
// now, and what can be done with them, by keys.
//
// It reads the documents that the commands read, through the same stores, acts
// by the runner's functions alone, and writes what both have to say by package
// text. Nothing on the screen is told by a colour only.
package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	tea "charm.land/bubbletea/v2"
	"github.com/freeze-contracts/permafrost/internal/stint/runner"
)

// Run shows a project on a terminal until the user leaves. What was begun is
// over when it returns.
func Run(ctx context.Context, r *runner.Runner, terminal *os.File, out io.Writer) error {
	m := newModel(ctx, r)
	p := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(terminal), tea.WithOutput(out),
		tea.WithEnvironment(r.Env), tea.WithoutSignalHandler())
	_, err := p.Run()
	m.acting.Lock()
	defer m.acting.Unlock()
	if errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil {
		return errors.New("stint tui: it was told to end, and everything that it had begun is over")
	}
	if err != nil {
		return fmt.Errorf("screen: %w", err)
	}
	return nil
}
