package contracts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/freeze-contracts/permafrost/freeze/fixture"
	"github.com/freeze-contracts/permafrost/freeze/ledger"
)

// Rule is one of the rules that a corpus as a whole keeps.
type Rule string

const (
	Ledger    Rule = "ledger"    // ledger and folders agree in both directions, every waiver is needed
	Bytes     Rule = "bytes"     // names, bytes, counts and witnesses are those of the manifests, and git keeps them
	Producers Rule = "producers" // a fixture was written by the commit or package that the ledger names
	Rebinding Rule = "rebinding" // a thaw changes exactly what is recorded
	Owners    Rule = "owners"    // each family has one suite whose TestMain is Main
)

// Problem is one place where a corpus breaks a rule.
type Problem struct {
	Rule   Rule
	File   string // in the fixtures folder, or under the suites for Owners
	Reason string
}

func (p Problem) String() string { return p.File + ": " + p.Reason }

// Corpus is what Check holds against the rules.
type Corpus struct {
	Fixtures string // the folder, as Find gives it
	Suites   string // the folder below which the suites lie, each a package of its own
	// SecretOK are the values that look like secrets and are meant.
	SecretOK []fixture.SecretOK
	// Derive are the derivations that only the subject's own code can compute.
	Derive map[string]func(ctx context.Context, inputs map[string]string) (string, error)
}

// Check returns where the corpus breaks the rules, in the order of the rules
// and files. An error means that it could not look.
func (c Corpus) Check(ctx context.Context) ([]Problem, error) {
	k := &checking{Corpus: c}
	opened, err := openCorpus(c.Fixtures)
	if err != nil {
		// A ledger or a header that does not parse breaks the rule; what cannot
		// be read at all cannot be judged.
		if Absent(err) {
			return nil, err
		}
		return []Problem{{Ledger, ledger.Name, err.Error()}}, nil
	}
	k.corpus = opened
	for _, rule := range []func(context.Context) error{k.ledgerRule, k.bytesRule, k.releases, k.ownersRule} {
		if err := rule(ctx); err != nil {
			return nil, err
		}
	}
	order := []Rule{Ledger, Bytes, Producers, Rebinding, Owners}
	slices.SortStableFunc(k.problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Rule), slices.Index(order, b.Rule)), strings.Compare(a.File, b.File))
	})
	return k.problems, nil
}

// Test fails with every problem, one subtest for each rule.
func (c Corpus) Test(t *testing.T) {
	t.Helper()
	problems, err := c.Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range []Rule{Ledger, Bytes, Producers, Rebinding, Owners} {
		t.Run(string(rule), func(t *testing.T) {
			for _, p := range problems {
				if p.Rule == rule {
					t.Error(p)
				}
			}
		})
	}
}

// checking is one run of Check.
type checking struct {
	Corpus
	corpus   *corpus
	problems []Problem
}

func (k *checking) problem(rule Rule, file, format string, args ...any) {
	k.problems = append(k.problems, Problem{rule, file, fmt.Sprintf(format, args...)})
}

func (k *checking) ledgerRule(context.Context) error {
	want := func(version string) map[string][]string {
		families := make(map[string][]string)
		for family, m := range k.corpus.meant {
			if names := m.during(version); len(names) > 0 {
				families[family] = names
			}
		}
		return families
	}
	problems, err := k.corpus.ledger.Check(k.corpus.fsys, want)
	for _, p := range problems {
		k.problem(Ledger, p.Path, "%s", p.Msg)
	}
	return err
}

func (k *checking) bytesRule(ctx context.Context) error {
	problems, _, err := fixture.Check(ctx, k.Fixtures, fixture.CheckOptions{SecretOK: k.SecretOK})
	for _, p := range problems {
		k.problem(Bytes, p.File, "%s", p.Reason)
	}
	return err
}

// releases holds the rules that need a release's fixtures. One that does not
// load is a problem of its bytes already.
func (k *checking) releases(ctx context.Context) error {
	keys, _, err := fixture.List(k.corpus.fsys)
	if err != nil {
		return err
	}
	for _, key := range keys {
		r, err := k.corpus.load(key)
		if err != nil {
			if !slices.ContainsFunc(k.problems, func(p Problem) bool { return strings.HasPrefix(p.File, key.String()) }) {
				k.problem(Bytes, key.String(), "%v", err)
			}
			continue
		}
		k.producerRule(key, r)
		if err := k.rebindingRule(ctx, key, r); err != nil {
			return err
		}
	}
	return nil
}

// producerRule: the ledger says what a release is, the manifest what ran.
func (k *checking) producerRule(key fixture.Key, r *fixture.Release) {
	manifest := manifestOf(key)
	k.producer(manifest, key.Version, r.Producer)
	for _, s := range r.Scenarios {
		for version, p := range s.Producers {
			k.producer(manifest, version, p)
		}
	}
}

func (k *checking) producer(manifest, version string, p fixture.Producer) {
	l, ok := k.corpus.ledger.Find(version)
	if !ok {
		return
	}
	if p.Version != version || p.Commit != l.Commit || p.Package != l.Package || l.Integrity != "" && p.Integrity != l.Integrity {
		k.problem(Producers, manifest, "was written by %s, commit %q, package %q %q; the ledger says %s, commit %q, package %q %q",
			p.Version, p.Commit, p.Package, p.Integrity, version, l.Commit, l.Package, l.Integrity)
	}
}

// Absent says whether err of Find or Check means that nothing is frozen yet.
func Absent(err error) bool { return errors.Is(err, fs.ErrNotExist) }
