package binding

import (
	"bytes"
	"encoding/binary"

	"github.com/freeze-contracts/permafrost/freeze/tree"
)

// search finds any of many ids in a text. An id has at least minID bytes, so
// that one of every stride windows of four bytes lies within its first ones:
// only those are looked at.
type search struct {
	windows map[uint32][]spot
	filter  [1 << 16]bool // which windows may be in there, by hash
}

// spot is a window of an id.
type spot struct {
	id     string
	offset int
}

const window4, stride = 4, minID - 4 + 1

func newSearch(ids map[string]string) *search {
	s := &search{windows: map[uint32][]spot{}}
	for id := range ids {
		for offset := range stride {
			w := binary.LittleEndian.Uint32([]byte(id[offset : offset+window4]))
			s.windows[w] = append(s.windows[w], spot{id, offset})
			s.filter[hash16(w)] = true
		}
	}
	return s
}

func hash16(w uint32) uint16 { return uint16(w * 2654435761 >> 16) } // Knuth's multiplicative hash

// in calls found for every id in text that stands by itself.
func (s *search) in(text []byte, found func(id string, at int)) {
	for i := 0; i+window4 <= len(text); i += stride {
		w := binary.LittleEndian.Uint32(text[i:])
		if !s.filter[hash16(w)] {
			continue
		}
		for _, spot := range s.windows[w] {
			at := i - spot.offset
			if at >= 0 && bytes.HasPrefix(text[at:], []byte(spot.id)) && alone(text, at, at+len(spot.id)) {
				found(spot.id, at)
			}
		}
	}
}

// alone tells whether what stands there is not part of more hex digits.
func alone(text []byte, start, end int) bool {
	return (start == 0 || kinds[text[start-1]]&hexDigit == 0) && (end == len(text) || kinds[text[end]]&hexDigit == 0)
}

// searchIDs reports the first place of each of the ids in a capture.
func (c *comparison) searchIDs(run *Run, ids map[string]string, report func(Difference, string)) {
	if len(ids) == 0 {
		return
	}
	s, seen := newSearch(ids), map[string]bool{}
	look := func(e *tree.Entry, where string, data []byte) {
		s.in(data, func(id string, at int) {
			if seen[id] {
				return
			}
			seen[id] = true
			p := place{where: where}
			if where == "" {
				p = locate(layoutOf(e.Path, data), data, []int{at})[0]
			}
			report(Difference{Path: e.Path, Pointer: p.pointer, Offset: at}, id)
		})
	}
	for i := range run.Entries {
		e := &run.Entries[i]
		look(e, "name", []byte(e.Path))
		look(e, "target", []byte(e.Target))
		look(e, "", e.Data)
	}
}
