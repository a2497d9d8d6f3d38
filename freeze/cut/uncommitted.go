package cut

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/freeze-contracts/permafrost/freeze/provider"
	"github.com/freeze-contracts/permafrost/freeze/scenario"
	"github.com/freeze-contracts/permafrost/internal/plain"
)

// SayUncommitted says which changes the program of HEAD is built without.
func (p *Project) SayUncommitted(ctx context.Context, show func(Event)) error {
	prov, err := provider.New(p.Config, p.env, p.cache, io.Discard)
	if err != nil {
		return err
	}
	const most = 3
	files := prov.Uncommitted(ctx)
	if len(files) == 0 {
		return nil
	}
	text := fmt.Sprintf("built without what is not committed in %s: %s", plain.Count(len(files), "file"), strings.Join(files[:min(most, len(files))], ", "))
	if len(files) > most {
		text += ", ..."
	}
	show(Event{Kind: Said, Version: scenario.Head, Text: plain.Line(text)})
	return nil
}
