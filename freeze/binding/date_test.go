package binding_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/binding"
)

// A date is bound where all boxes agree, since tomorrow's will not.
func TestDates(t *testing.T) {
	const layout = "Mon Jan 02 2006"
	day := func(text string) func(*box) string { return func(*box) string { return text } }
	today := func(b *box) string { return b.now.Format(layout) }
	tests := []struct {
		name, layout string
		first, again func(*box) string
		againOn      int // days later
		want         string
	}{
		{"of the same day", layout, today, today, 0, ""},
		{"of another day", layout, today, today, 1, ""},
		{"with a time", "2006-01-02 15:04", func(b *box) string { return b.now.Format("2006-01-02 15:04") }, func(b *box) string { return b.now.Format("2006-01-02 15:04") }, 3, ""},
		{"of the day before", layout, today, today, -1, ""},
		{"that stays", layout, today, day("Mon Nov 30 2026"), 1, "recorded 1 times as date in this place, found 0 times"},
		{"of no run, always the same", layout, day("Sat Jan 01 2000"), day("Sat Jan 01 2000"), 1, ""},
		{"in no such form, always the same", layout, day("never"), day("never"), 1, ""},
		{"in another form", layout, today, func(b *box) string { return b.now.Format("2006-01-02") }, 0, `declared date, but "2026-11-30" is none as "Mon Jan 02 2006"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rules := []binding.Rule{{File: "home/*.json", Pointer: "/date", Kind: binding.Date, Layout: tt.layout}}
			write := func(root string, seed uint64, days int, date func(*box) string) *binding.Run {
				b := newBox(root, seed)
				b.now = b.now.AddDate(0, 0, days)
				b.from = b.now
				b.put("home/a.json", `{"date":"`+date(b)+`"}`)
				return b.run()
			}
			a := write(rootA, 1, 0, tt.first)
			bs, ds := binding.Find(a, write(rootB, 2, 0, tt.first), write(rootA, 3, 0, tt.first), rules)
			noDifference(t, "Find", ds)
			ds = binding.Again(frozen(a), bs, write(rootFresh, 4, tt.againOn, tt.again), rules)
			if tt.want == "" {
				noDifference(t, "Again", ds)
				return
			}
			require.NotEmpty(t, ds)
			require.Contains(t, ds[0].Why, tt.want)
		})
	}
}

// What happened earlier in one box did not happen later in the other.
func TestDatesAreInOrder(t *testing.T) {
	rules := []binding.Rule{{File: "home/a", Pointer: "/*", Kind: binding.Date, Layout: time.Kitchen + " 2.1.2006"}}
	write := func(root string, seed uint64, first, second time.Duration) *binding.Run {
		b := newBox(root, seed)
		b.now = b.now.Add(time.Hour)
		line := func(d time.Duration) string { return b.from.Add(d).Format(rules[0].Layout) + "\n" }
		b.put("home/a", line(first)+line(second))
		return b.run()
	}
	_, ds := binding.Find(write(rootA, 1, time.Minute, 9*time.Minute), write(rootB, 2, 9*time.Minute, time.Minute), nil, rules)
	require.NotEmpty(t, ds)
	require.Contains(t, ds[0].Why, "before it in the second")
}

func TestDeclaredDateHoldsWhereOneIs(t *testing.T) {
	b := newBox(rootA, 1)
	b.put("home/a.json", `{"made":"Mon Nov 30 2026","done":null}`)
	got := map[string]bool{}
	for _, pointer := range []string{"/made", "/done"} {
		got[pointer] = binding.Rule{File: "home/a.json", Pointer: pointer, Kind: binding.Date, Layout: "Mon Jan 02 2006"}.Matches(b.run().Entries)
	}
	if diff := cmp.Diff(map[string]bool{"/made": true, "/done": false}, got); diff != "" {
		t.Errorf("Matches (-want +got)\n%s", diff)
	}
}
