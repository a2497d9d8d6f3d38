package ledger

import (
	"regexp"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/freeze-contracts/permafrost/freeze/config/tomldoc"
	"golang.org/x/mod/semver"
)

// Parse reads a ledger. What is wrong with it is a *tomldoc.Error. Releases
// may stand in any order.
func Parse(data []byte) (*Ledger, error) {
	doc, err := tomldoc.Parse(Name, data)
	if err != nil {
		return nil, err
	}
	// Before anything else, since what else is new in it would be misunderstood.
	if n, ok := doc.Int("format"); ok && n > Format {
		return nil, doc.Errorf("format", "%d is newer than %d, the newest this build reads", n, Format)
	}
	l := &Ledger{}
	if err := doc.Decode(l); err != nil {
		return nil, err
	}
	if err := (checker{doc}).ledger(l); err != nil {
		return nil, err
	}
	l.sort()
	return l, nil
}

type checker struct{ doc *tomldoc.Doc }

func (c checker) ledger(l *Ledger) error {
	if l.Format != Format {
		return c.doc.Errorf("format", "missing or unknown, has to be %d", Format)
	}
	first := map[string]string{}
	for i, r := range l.Releases {
		key := tomldoc.At("release", i)
		if err := c.release(key, r); err != nil {
			return err
		}
		if other, ok := first[r.Version]; ok {
			return c.doc.Errorf(key+".version", "%q is %s already", r.Version, other)
		}
		first[r.Version] = key
	}
	return nil
}

func (c checker) release(key string, r Release) error {
	if err := c.version(key+".version", r.Version); err != nil {
		return err
	}
	if err := c.pin(key, r); err != nil {
		return err
	}
	if err := c.date(key+".date", r.Date); err != nil {
		return err
	}
	for i, f := range r.Fixtures {
		if err := c.fixture(tomldoc.At(key+".fixture", i), f, r.Fixtures[:i]); err != nil {
			return err
		}
	}
	for i, w := range r.Waivers {
		if err := c.waiver(tomldoc.At(key+".waiver", i), w, r.Waivers[:i]); err != nil {
			return err
		}
	}
	for i, p := range r.Replaced {
		if err := c.replaced(tomldoc.At(key+".replaced", i), p); err != nil {
			return err
		}
	}
	return nil
}

func (c checker) version(key, version string) error {
	switch {
	case !c.doc.Has(key):
		return c.doc.Errorf(key, "missing")
	case !semver.IsValid(version):
		return c.doc.Errorf(key, "%q is no version: it reads v1.2.3 or v1.2.3-rc.1", version)
	case semver.Canonical(version) != version:
		return c.doc.Errorf(key, "%q is not how the version is written in full: %q is", version, semver.Canonical(version))
	}
	return nil
}

func (c checker) pin(key string, r Release) error {
	commit, pkg := c.doc.Has(key+".commit"), c.doc.Has(key+".package")
	switch {
	case commit && pkg:
		return c.doc.Errorf(key+".package", "a release has a commit or a package, not both")
	case commit && c.doc.Has(key+".integrity"):
		return c.doc.Errorf(key+".integrity", "only a package has an integrity, a commit is its own")
	case commit && c.doc.Has(key+".dependencies"):
		return c.doc.Errorf(key+".dependencies", "only a package has them")
	case commit && c.doc.Has(key+".before"):
		return c.doc.Errorf(key+".before", "only a package has dependencies that it could be of")
	case commit && !regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`).MatchString(r.Commit):
		return c.doc.Errorf(key+".commit", "%q is no full commit: 40 hex digits in lower case, or 64 in a repository of format sha256", r.Commit)
	case commit:
		return nil
	case !pkg:
		return c.doc.Errorf(key, "has neither commit nor package")
	}
	if err := c.word(key+".package", r.Package); err != nil {
		return err
	}
	// What a command obtains has none unless its maintainer says one.
	if c.doc.Has(key + ".integrity") {
		if err := c.word(key+".integrity", r.Integrity); err != nil {
			return err
		}
	}
	return c.dependencies(key, r)
}

func (c checker) dependencies(key string, r Release) error {
	has, dated := c.doc.Has(key+".dependencies"), c.doc.Has(key+".before")
	switch {
	case !has && !dated:
		return nil
	case !has:
		return c.doc.Errorf(key+".before", "says of when dependencies are, and there is no hash of them")
	case !dated:
		return c.doc.Errorf(key+".dependencies", "does not say of when they are: before is missing")
	case !isSHA256(r.Dependencies):
		return c.doc.Errorf(key+".dependencies", "%q is no sha256: 64 hex digits in lower case", r.Dependencies)
	}
	at, err := time.Parse(time.RFC3339, r.Before)
	if err != nil || at.UTC().Format(time.RFC3339) != r.Before {
		return c.doc.Errorf(key+".before", "%q is no time: it reads 2026-11-30T12:00:00Z", r.Before)
	}
	return nil
}

func isSHA256(s string) bool { return regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(s) }

func (c checker) fixture(key string, f Fixture, before []Fixture) error {
	if err := c.word(key+".family", f.Family); err != nil {
		return err
	}
	if slices.ContainsFunc(before, func(other Fixture) bool { return other.Family == f.Family }) {
		return c.doc.Errorf(key, "family %s is sealed already", f.Family)
	}
	if !isSHA256(f.SHA256) {
		return c.doc.Errorf(key+".sha256", "%q is no sha256: 64 hex digits in lower case", f.SHA256)
	}
	return nil
}

func (c checker) waiver(key string, w Waiver, before []Waiver) error {
	if err := c.word(key+".family", w.Family); err != nil {
		return err
	}
	if c.doc.Has(key + ".scenario") {
		if err := c.word(key+".scenario", w.Scenario); err != nil {
			return err
		}
	}
	for _, other := range before {
		if other.Family == w.Family && (other.Scenario == w.Scenario || other.Scenario == "" || w.Scenario == "") {
			return c.doc.Errorf(key, "%s is waived already", thing(w.Family, w.Scenario))
		}
	}
	if err := c.text(key+".reason", w.Reason); err != nil {
		return err
	}
	return c.date(key+".date", w.Date)
}

func (c checker) replaced(key string, p Replaced) error {
	if c.doc.Has(key + ".scenario") {
		if err := c.word(key+".scenario", p.Scenario); err != nil {
			return err
		}
	}
	if c.doc.Has(key+".family") || c.doc.Has(key+".scenario") {
		if err := c.word(key+".family", p.Family); err != nil {
			return err
		}
	}
	if err := c.text(key+".why", p.Why); err != nil {
		return err
	}
	return c.date(key+".date", p.Date)
}

func (c checker) text(key, s string) error {
	switch {
	case !c.doc.Has(key):
		return c.doc.Errorf(key, "missing")
	case !regexp.MustCompile(`\S`).MatchString(s):
		return c.doc.Errorf(key, "empty")
	}
	return nil
}

func (c checker) word(key, s string) error {
	if err := c.text(key, s); err != nil {
		return err
	}
	if !utf8.ValidString(s) || regexp.MustCompile(`[\s\pC]`).MatchString(s) {
		return c.doc.Errorf(key, "%q holds white space or control characters", s)
	}
	return nil
}

func (c checker) date(key, date string) error {
	if err := c.text(key, date); err != nil {
		return err
	}
	if _, err := time.Parse(time.DateOnly, date); err != nil {
		return c.doc.Errorf(key, "%q is no date: it reads 2026-11-30", date)
	}
	return nil
}

func thing(family, scenario string) string {
	if scenario == "" {
		return "family " + family
	}
	return family + "/" + scenario
}
