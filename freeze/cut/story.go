package cut

import (
	"fmt"
	"strings"

	"github.com/freeze-contracts/permafrost/freeze/binding"
	"github.com/freeze-contracts/permafrost/freeze/fixture"
	"github.com/freeze-contracts/permafrost/freeze/scenario"
)

// otherStory compares what of a run is in none of its files: the faults, how
// they fired, and what the script has witnessed. Commands under [tmux] are in
// effect or not by the box, so that one digest can stand for two stories.
func otherStory(frozen *fixture.Scenario, fresh *scenario.Result) []binding.Difference {
	here := strings.NewReplacer(fresh.Run.Root, frozen.Root)
	var all []binding.Difference
	compare := func(what string, was, is []string) {
		for i := range max(len(was), len(is)) {
			a, b := nth(was, i), here.Replace(nth(is, i))
			if a != b {
				all = append(all, binding.Difference{Offset: -1, A: a, B: b, Why: "another " + what + " than when the fixture was made"})
			}
		}
	}
	compare("fault", faults(frozen.Faults), faults(fresh.Faults))
	compare("witness", witnesses(frozen.Witnesses), witnesses(fresh.Witnesses))
	return all
}

func nth(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return ""
}

// faults tells each fault with the signals that it sent. Pids and command lines
// belong to the box.
func faults(records []fixture.FaultRecord) []string {
	var all []string
	for _, r := range records {
		var signals []string
		for _, f := range r.Fired {
			signals = append(signals, f.Signal)
		}
		stdin := ""
		if r.Stdin {
			stdin = " -stdin"
		}
		all = append(all, fmt.Sprintf("fault %s%s %q %s %d, fired %d %q", r.Program, stdin, r.Pattern, r.Action, r.Count, len(signals), signals))
	}
	return all
}

func witnesses(ws []fixture.Witness) []string {
	var all []string
	for _, w := range ws {
		all = append(all, "witness "+w.String())
	}
	return all
}
