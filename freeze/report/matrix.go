package report

import (
	"cmp"
	"slices"

	"github.com/freeze-contracts/permafrost/freeze/read"
	"github.com/freeze-contracts/permafrost/freeze/scenario"
)

// addMatrix takes up the matrix that is recorded.
func (r *Report) addMatrix(m *read.Report) {
	r.Matrix.Readers = m.Readers
	for _, release := range r.Releases {
		if release.Frozen > 0 && !slices.Contains(m.Releases, release.Version) {
			r.Matrix.Without = append(r.Matrix.Without, release.Version)
		}
	}
	for _, t := range m.Tallies() {
		r.Matrix.Pairs = append(r.Matrix.Pairs, Pair{Program: t.Program, Writer: t.Writer, Bad: t.Bad,
			Reads: t.Count[read.Reads], Refuses: t.Count[read.Refuses], Writes: t.Count[read.Writes], Misreads: t.Count[read.Misreads]})
	}
	r.Matrix.Others = others(m.Steps)
	r.addReadings(m.Steps)
}

// others joins the answers that are not the view's and are alike.
func others(steps []read.Step) []Other {
	type key struct {
		program, writer, message string
		outcome                  read.Outcome
		bad                      bool
	}
	at := make(map[key]int)
	var all []Other
	for _, s := range steps {
		if s.Outcome == read.Reads {
			continue
		}
		k := key{s.Program, s.Writer, s.Message, s.Outcome, s.Bad()}
		i, ok := at[k]
		if !ok {
			i = len(all)
			at[k] = i
			all = append(all, Other{Program: s.Program, Writer: s.Writer, Outcome: s.Outcome, Bad: s.Bad(), Message: s.Message})
		}
		all[i].Answers++
		if name := s.Family + "/" + s.Release + "/" + s.Scenario; !slices.Contains(all[i].Fixtures, name) {
			all[i].Fixtures = append(all[i].Fixtures, name)
		}
	}
	slices.SortStableFunc(all, func(a, b Other) int {
		return cmp.Or(-compareBool(a.Bad, b.Bad), scenario.Compare(a.Program, b.Program), scenario.Compare(a.Writer, b.Writer), cmp.Compare(b.Answers, a.Answers))
	})
	return all
}

// compareBool has true after false.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// addReadings notes at each fixture how the programs fared with it whose turn
// it was. What others say after them, when they may have written to it, is
// in the pairs alone.
func (r *Report) addReadings(steps []read.Step) {
	type key struct{ family, scenario, release, reader string }
	worst := make(map[key]Reading)
	for _, s := range steps {
		if s.Reader != s.Program {
			continue
		}
		k := key{s.Family, s.Scenario, s.Release, s.Reader}
		if now := (Reading{s.Reader, s.Outcome, s.Bad()}); worse(now, worst[k]) {
			worst[k] = now
		}
	}
	for _, s := range r.Scenarios {
		for i, f := range s.Fixtures {
			for _, reader := range r.Matrix.Readers {
				if reading, ok := worst[key{s.Family, s.Name, f.Release, reader}]; ok {
					s.Fixtures[i].Readings = append(s.Fixtures[i].Readings, reading)
				}
			}
		}
	}
}

// worse reports whether a is worse than b, which may be none at all.
func worse(a, b Reading) bool {
	if a.Bad != b.Bad {
		return a.Bad
	}
	return slices.Index(outcomes, a.Outcome) > slices.Index(outcomes, b.Outcome)
}

// outcomes are all, the best first.
var outcomes = []read.Outcome{read.Reads, read.Refuses, read.Writes, read.Misreads}

// reading is how a reader fared with a fixture, if it was asked.
func (f Fixture) reading(reader string) (Reading, bool) {
	i := slices.IndexFunc(f.Readings, func(r Reading) bool { return r.Reader == reader })
	if i < 0 {
		return Reading{}, false
	}
	return f.Readings[i], true
}

// answers adds up the pairs.
func (m Matrix) answers() (all, reads, bad int) {
	for _, p := range m.Pairs {
		all += p.Reads + p.Refuses + p.Writes + p.Misreads
		reads += p.Reads
		bad += p.Bad
	}
	return all, reads, bad
}
