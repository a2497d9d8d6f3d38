// Package shard splits work over machines that do not know of each other, and
// joins what each of them has done.
//
// It knows names and no more: what a name stands for, and what a part says of
// it, is its caller's. It promises that every machine splits the same names in
// the same way, and that parts are joined only if together they are the whole
// of one run.
package shard

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"strconv"
)

// Shard is one of N, counted from 0. The zero value is all the work.
type Shard struct{ I, N int }

var form = regexp.MustCompile(`^([0-9]{1,6})/([0-9]{1,6})$`)

// Parse reads I/N.
func Parse(text string) (Shard, error) {
	m := form.FindStringSubmatch(text)
	if m == nil {
		return Shard{}, fmt.Errorf("%q is not I/N, such as 0/8", text)
	}
	i, _ := strconv.Atoi(m[1]) // six digits are a number
	n, _ := strconv.Atoi(m[2])
	if i >= n {
		return Shard{}, fmt.Errorf("%q: shards are counted from 0, so the last of %d is %d/%d", text, n, n-1, n)
	}
	return Shard{i, n}, nil
}

func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.I, s.N) }

// MarshalText writes I/N.
func (s Shard) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (s *Shard) UnmarshalText(text []byte) (err error) {
	*s, err = Parse(string(text))
	return err
}

// Whole reports whether it is all the work.
func (s Shard) Whole() bool { return s.N == 0 }

// Take returns the names that are the shard's, in their order. Each name is
// some shard's, and no shard has two more than another. A name more or less
// moves few others.
func (s Shard) Take(names []string) []string {
	if s.Whole() {
		return names
	}
	home := homes(names, s.N)
	var mine []string
	for _, name := range names {
		if home[name] == s.I {
			mine = append(mine, name)
		}
	}
	return mine
}

// homes gives every name a shard: the one that it prefers of those which have
// room. Names choose in the order of their hashes, which their order does not
// change.
func homes(names []string, n int) map[string]int {
	order := slices.Compact(slices.Sorted(slices.Values(names)))
	slices.SortStableFunc(order, func(a, b string) int { return cmp.Compare(weight(a, n), weight(b, n)) })
	least, more := len(order)/n, len(order)%n // so many shards have one more
	home, load := make(map[string]int, len(order)), make([]int, n)
	for _, name := range order {
		best, most := -1, uint64(0)
		for i := range n {
			if load[i] > least || load[i] == least && more == 0 {
				continue
			}
			if w := weight(name, i); best < 0 || w > most {
				best, most = i, w
			}
		}
		if load[best] == least {
			more--
		}
		load[best]++
		home[name] = best
	}
	return home
}

// weight is how much a name prefers a shard.
func weight(name string, shard int) uint64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", shard, name))
	return binary.BigEndian.Uint64(sum[:])
}
