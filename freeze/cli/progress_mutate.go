package cli

import (
	"fmt"
	"time"

	"github.com/freeze-contracts/permafrost/freeze/mutate"
)

// mutants shows mutation checks, of which there are so many.
func (a *app) mutants(total int) *mutants {
	m := &mutants{progress: a.progress(), began: time.Now()}
	if m.progress != nil {
		m.total = total
		m.bar()
	}
	return m
}

// mutants is the progress of mutation checks: what is left of them is known
// from the beginning, so there is an estimate.
type mutants struct {
	*progress
	began time.Time
}

// result takes what came of a regression.
func (m *mutants) result(r mutate.Result) {
	m.one(string(r.Verdict), r.Verdict != mutate.Caught, r.Regression.Name, r.Elapsed)
}

// generated takes what came of a mutant. Those that are as they should be are
// many, and only counted.
func (m *mutants) generated(r mutate.MutantResult, total int) {
	if m.progress == nil {
		return
	}
	m.mu.Lock()
	m.total = total
	m.mu.Unlock()
	name := r.Mutant.ID
	if !r.Bad() {
		name = ""
	}
	m.one(string(r.Verdict), r.Bad(), name, r.Elapsed)
}

// say takes what is done before there are results.
func (m *mutants) say(text string) {
	if m.progress == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.live {
		m.clear()
		fmt.Fprint(m.w, text)
	}
}

func (m *mutants) one(verdict string, bad bool, name string, elapsed time.Duration) {
	p := m.progress
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	if name != "" {
		p.line(fmt.Sprintf("%s  %s  %s", p.paint(fmt.Sprintf("%-15s", verdict), bad), name, elapsed.Round(10*time.Millisecond)))
	}
	left := time.Since(m.began) / time.Duration(p.done) * time.Duration(p.total-p.done)
	p.running = []string{fmt.Sprintf("about %s left", left.Round(time.Second))}
	if p.done == p.total {
		p.running = nil
	}
	p.bar()
}
