package ledger

import (
	"cmp"
	"slices"
	"strings"
)

// Nearest returns at most three versions that version may have been meant to
// be: those that fewest changed characters make of it, newer ones first.
func (l *Ledger) Nearest(version string) []string {
	var versions []string
	for _, r := range slices.Backward(l.Releases) {
		versions = append(versions, r.Version)
	}
	slices.SortStableFunc(versions, func(a, b string) int {
		return cmp.Compare(distance(a, version), distance(b, version))
	})
	return versions[:min(len(versions), 3)]
}

// distance is Levenshtein's, without regard to a leading v.
func distance(a, b string) int {
	a, b = strings.TrimPrefix(a, "v"), strings.TrimPrefix(b, "v")
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
