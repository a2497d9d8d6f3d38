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

// result takes what came of one.
func (m *mutants) result(r mutate.Result) {
	p := m.progress
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	p.line(fmt.Sprintf("%s  %s  %s", p.paint(fmt.Sprintf("%-15s", r.Verdict), r.Verdict != mutate.Caught), r.Regression.Name, r.Elapsed.Round(10*time.Millisecond)))
	left := time.Since(m.began) / time.Duration(p.done) * time.Duration(p.total-p.done)
	p.running = []string{fmt.Sprintf("about %s left", left.Round(time.Second))}
	if p.done == p.total {
		p.running = nil
	}
	p.bar()
}
