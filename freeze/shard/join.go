package shard

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Join puts the parts of one run in their order. One that is missing, there
// twice, or of another run is an error.
func Join(parts []*Part) ([]*Part, error) {
	if len(parts) == 0 {
		return nil, errors.New("there is no part")
	}
	parts = slices.Clone(parts)
	slices.SortStableFunc(parts, func(a, b *Part) int { return cmp.Compare(a.Shard.I, b.Shard.I) })
	for _, p := range parts[1:] {
		if err := parts[0].same(p); err != nil {
			return nil, err
		}
	}
	for i, p := range parts[1:] {
		if parts[i].Shard == p.Shard {
			return nil, fmt.Errorf("part %s is there twice: %s and %s", p.Shard, parts[i].File, p.File)
		}
	}
	if err := complete(parts); err != nil {
		return nil, err
	}
	return parts, sameTools(parts)
}

// complete requires all parts of a run, each of which is there once at most.
func complete(parts []*Part) error {
	n := parts[0].Shard.N
	there := make(map[int]bool)
	for _, p := range parts {
		there[p.Shard.I] = true
	}
	var missing []string
	for i := range n {
		if !there[i] {
			missing = append(missing, Shard{i, n}.String())
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("of %d parts %d are there; missing: %s", n, len(parts), strings.Join(missing, ", "))
	}
	return nil
}

// same requires that q is of the same run.
func (p *Part) same(q *Part) error {
	for _, one := range []struct{ what, p, q string }{
		{"command", p.Command, q.Command},
		{"number of parts", fmt.Sprint(p.Shard.N), fmt.Sprint(q.Shard.N)},
		{"commit", p.State.Commit, q.State.Commit},
		{"state of the files", p.State.Files, q.State.Files},
		{"call", p.Asked, q.Asked},
		{"plan", names(p.Plan), names(q.Plan)},
	} {
		if one.p != one.q {
			return differs(one.what, p, one.p, q, one.q)
		}
	}
	return nil
}

func names(plan []string) string { return sum([]byte(strings.Join(plan, "\n"))) }

func differs(what string, p *Part, a string, q *Part, b string) error {
	return fmt.Errorf("the parts are not of one run: the %s of %s is %s, that of %s %s", what, p.File, cmp.Or(a, "none"), q.File, cmp.Or(b, "none"))
}

// sameTools requires that what two parts know is the same.
func sameTools(parts []*Part) error {
	first := make(map[string]*Part)
	for _, p := range parts {
		for _, name := range slices.Sorted(maps.Keys(p.Tools)) {
			q := first[name]
			if q == nil {
				first[name] = p
			} else if q.Tools[name] != p.Tools[name] {
				return differs(name, q, q.Tools[name], p, p.Tools[name])
			}
		}
	}
	return nil
}

// Here requires that the parts were made of the files that are here now.
func Here(parts []*Part, here State) error {
	p := parts[0]
	switch {
	case p.State.Commit != here.Commit:
		return fmt.Errorf("the parts are of commit %s, and here is %s", cmp.Or(p.State.Commit, "none"), cmp.Or(here.Commit, "none"))
	case p.State.Files != here.Files:
		return errors.New("the parts are of other files than those that are here: something was changed, or they were merged before")
	}
	return nil
}
