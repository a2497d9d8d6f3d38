package read

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/freeze-contracts/permafrost/freeze/fixture"
	"github.com/freeze-contracts/permafrost/sandbox"
	"github.com/freeze-contracts/permafrost/sandbox/script"
)

// limit is how long a script may take.
const limit = 2 * time.Minute

// viewsDir is the folder of the box that holds the release's views: none that
// a program has to do with.
const viewsDir = "views"

// playCell plays one cell in a box of its own. The box is proved empty and
// removed also when the script fails.
func (r *run) playCell(ctx context.Context, c cell) (steps []Step, err error) {
	cfg := r.Box(c.reader, r.builds[c.reader].Dir)
	box, err := sandbox.Start(ctx, cfg)
	if err != nil {
		return nil, err
	}
	// The proof is owed also where ctx has ended.
	defer func() { err = errors.Join(err, box.Close()) }()
	thawed, err := c.fixture.ThawInto(ctx, box.Root(), fixture.ThawOptions{Derive: r.Derive(c.key.Version)})
	if err != nil {
		return nil, err
	}
	if err := layViews(filepath.Join(box.Root(), viewsDir), thawed.Views); err != nil {
		return nil, err
	}
	in, err := json.Marshal(r.orders(c, thawed))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	played, err := script.Run(ctx, box, roleName, c.script.File, txtar.Format(c.script.Archive), string(in))
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(played.Record, &steps); err != nil {
		return nil, fmt.Errorf("%s: the runner's record: %w", c.script.File, err)
	}
	if len(steps) == 0 {
		return nil, fmt.Errorf("%s: compared nothing with a view of the release: it needs a line read NAME COMMAND that is played", c.script.File)
	}
	return steps, nil
}

// orders are what the runner inside of the box is told.
type orders struct {
	where
	Family   string            `json:"family"`
	Scenario string            `json:"scenario"`
	Roots    []string          `json:"roots"`
	Programs map[string]string `json:"programs"`
}

func (r *run) orders(c cell, thawed *fixture.Thawed) orders {
	o := orders{
		where:  where{Reader: c.reader, Release: c.key.Version, Tmux: r.Config.Box.Tmux},
		Family: c.key.Family, Scenario: c.fixture.Name,
		Roots: r.Roots(c.key.Family), Programs: r.programs(),
	}
	for name := range thawed.Views {
		o.Views = append(o.Views, name)
	}
	return o
}

// layViews writes what the release said, as NAME/stdout and NAME/exit.
func layViews(dir string, views map[string]fixture.Output) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	for name, v := range views {
		if err := layView(filepath.Join(dir, name), v); err != nil {
			return err
		}
	}
	return nil
}

func layView(dir string, v fixture.Output) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(dir, "stdout"), v.Stdout, 0o644),
		os.WriteFile(filepath.Join(dir, "exit"), []byte(strconv.Itoa(v.Exit)+"\n"), 0o644),
	)
}
