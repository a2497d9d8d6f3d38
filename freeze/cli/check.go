package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/freeze-contracts/permafrost/freeze/cut"
	"github.com/freeze-contracts/permafrost/freeze/fixture"
	"github.com/freeze-contracts/permafrost/freeze/ledger"
	"github.com/freeze-contracts/permafrost/internal/plain"
)

func (a *app) checkCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "hold the fixtures against their manifests and the ledger, offline",
		Long: `check builds nothing and starts nothing. It looks at every fixture's bytes,
names and witnesses, at the ledger against the folders in both directions, for
values that look like secrets, and for files that git would ignore or rewrite.`,
		Example: `  freeze check
  freeze check --json`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return a.check(context.Background()) },
	}
}

// checkReport is the shape of freeze check --json.
type checkReport struct {
	Releases  int               `json:"releases"`
	Scenarios int               `json:"scenarios"`
	Files     int               `json:"files"`
	Bytes     int64             `json:"bytes"`
	ElapsedMS int64             `json:"elapsed_ms"`
	Ledger    []ledger.Problem  `json:"ledger"`
	Fixtures  []fixture.Problem `json:"fixtures"`
}

func (a *app) check(ctx context.Context) error {
	p, err := a.project()
	if err != nil {
		return err
	}
	began := time.Now()
	r, err := checkProject(ctx, p)
	if err != nil {
		return err
	}
	r.ElapsedMS = time.Since(began).Milliseconds()
	bad := len(r.Ledger) + len(r.Fixtures)
	switch {
	case a.json:
		if err := writeJSON(a.stdout, r); err != nil {
			return err
		}
	case bad > 0:
		for _, problem := range r.Ledger {
			complain(a.stderr, problem.String())
		}
		for _, problem := range r.Fixtures {
			complain(a.stderr, problem.String())
		}
	default:
		fmt.Fprintf(a.stdout, "%s, %s, %s, %d bytes: all as frozen\n",
			plain.Count(r.Releases, "release"), plain.Count(r.Scenarios, "scenario"), plain.Count(r.Files, "file"), r.Bytes)
	}
	if bad > 0 {
		return fmt.Errorf("%w: %s", errSaid, plain.Count(bad, "problem"))
	}
	return nil
}

func checkProject(ctx context.Context, p *cut.Project) (*checkReport, error) {
	problems, sum, err := fixture.Check(ctx, p.Fixtures, p.CheckOptions())
	none := len(p.Ledger.Releases) == 0 && sum.Releases == 0 && len(problems) == 0
	if none && (err == nil || errors.Is(err, fs.ErrNotExist)) {
		return nil, errors.New("nothing is frozen here yet, so there is nothing to check; freeze VERSION cuts the first release")
	}
	if err != nil {
		return nil, err
	}
	disagree, err := p.Ledger.Check(os.DirFS(p.Fixtures), p.Want)
	if err != nil && len(problems) == 0 { // what it could not read is among them
		return nil, err
	}
	// Both look for strays; one complaint is enough.
	disagree = slices.DeleteFunc(disagree, func(d ledger.Problem) bool {
		return slices.ContainsFunc(problems, func(f fixture.Problem) bool { return f.File == d.Path })
	})
	return &checkReport{
		Releases: sum.Releases, Scenarios: sum.Scenarios, Files: sum.Files, Bytes: sum.Bytes,
		Ledger: disagree, Fixtures: problems,
	}, nil
}
