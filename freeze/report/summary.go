package report

import (
	"github.com/freeze-contracts/permafrost/freeze/mutate"
	"github.com/freeze-contracts/permafrost/internal/plain"
)

// fact is a number that a page begins with.
type fact struct{ Name, Value, Class string }

// Summary is what a page begins with: what is there, and what is wrong.
func (r *Report) Summary() []fact {
	if len(r.Releases) == 0 {
		return nil
	}
	frozen, missing := 0, 0
	for _, release := range r.Releases {
		frozen += release.Frozen
		missing += release.Missing
	}
	facts := []fact{number("release", len(r.Releases)), number("scenario", len(r.Scenarios)), number("fixture", frozen)}
	if missing > 0 {
		facts = append(facts, bad("missing", missing))
	}
	if all, _, broken := r.Matrix.answers(); all > 0 {
		breaks := "break the promise"
		if broken == 1 {
			breaks = "breaks the promise"
		}
		facts = append(facts, number("answer", all), bad(breaks, broken))
	}
	if judged := judged(r.Mutation.Regressions); len(judged) > 0 {
		missed := 0
		for _, one := range judged {
			if one.Verdict != mutate.Caught {
				missed++
			}
		}
		facts = append(facts, number("regression", len(judged)), bad("not caught", missed))
	}
	return facts
}

func number(thing string, n int) fact {
	return fact{Name: plain.Things(n, thing), Value: grouped(int64(n))}
}

// bad is a number that should be 0.
func bad(name string, n int) fact {
	f := fact{Name: name, Value: grouped(int64(n))}
	if n > 0 {
		f.Class = "bad"
	}
	return f
}

// Bad is how many answers break the promise.
func (m Matrix) Bad() int {
	_, _, bad := m.answers()
	return bad
}
