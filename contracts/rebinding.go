package contracts

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/freeze-contracts/permafrost/freeze/fixture"
	"github.com/freeze-contracts/permafrost/freeze/tree"
)

// rebindingRule thaws each scenario at a shorter and at a longer place than the
// one it was frozen at, and looks for itself at what became of every file:
// neither the manifest's reader nor the code that rebinds is asked again.
func (k *checking) rebindingRule(ctx context.Context, key fixture.Key, r *fixture.Release) error {
	for name, s := range r.Scenarios {
		for _, below := range []string{"", strings.Repeat("long", 12)} {
			top, err := newShortFolder()
			if err != nil {
				return err
			}
			if err := k.rebound(ctx, s, filepath.Join(top.dir, below)); err != nil {
				k.problem(Rebinding, key.String()+"/"+name, "%v", err)
			}
			if err := top.remove(); err != nil {
				return err
			}
		}
	}
	return nil
}

// rebound thaws a scenario at dir and looks at what became of it.
func (k *checking) rebound(ctx context.Context, s *fixture.Scenario, dir string) error {
	thawed, err := s.Thaw(ctx, dir, fixture.ThawOptions{Derive: k.derive})
	if err != nil {
		return err
	}
	return k.sameButMoved(ctx, s, thawed)
}

// sameButMoved holds every file and symlink of a thawed scenario against what
// it was.
func (k *checking) sameButMoved(ctx context.Context, s *fixture.Scenario, thawed *fixture.Thawed) error {
	moves, err := k.moves(ctx, s, thawed.Dir)
	if err != nil {
		return err
	}
	for _, e := range s.Entries {
		if e.Type != tree.File && e.Type != tree.Symlink || !moves.plain(e.Path) {
			continue
		}
		want, err := moves.apply(e)
		if err != nil {
			return err
		}
		got, err := content(thawed, e)
		if err != nil {
			return err
		}
		if !bytes.Equal(want, got) {
			return fmt.Errorf("%q was thawed at %q with other bytes than the recorded ones changed: want %q, got %q",
				e.Path, thawed.Dir, want, got)
		}
	}
	return nil
}

func (k *checking) derive(ctx context.Context, name string, inputs map[string]string) (string, error) {
	if fn := k.Derive[name]; fn != nil {
		return fn(ctx, inputs)
	}
	return "", fmt.Errorf("derivation %q: Corpus.Derive has none of this name", name)
}

// content is what an entry is now: a view's text, a link's target, or bytes,
// those of git's index without what a thaw refreshes in it.
func content(th *fixture.Thawed, e tree.Entry) ([]byte, error) {
	if view, is := strings.CutPrefix(e.Path, viewPrefix); is {
		out := th.Views[path.Dir(view)]
		if path.Base(view) == "exit" {
			return fmt.Appendf(nil, "%d\n", out.Exit), nil
		}
		return out.Stdout, nil
	}
	at := filepath.Join(th.Dir, filepath.FromSlash(th.Paths[e.Path]))
	if e.Type == tree.Symlink {
		target, err := os.Readlink(at)
		return []byte(target), err
	}
	data, err := os.ReadFile(at)
	if err != nil || !isIndex(e.Path, data) {
		return data, err
	}
	data, _, err = tree.SettleIndex(data)
	return data, err
}
