package binding

import (
	"bytes"
	"encoding/binary"
	"iter"
	"maps"
	"math"

	"github.com/freeze-contracts/permafrost/freeze/tree"
)

// search finds any of many words in a text, in one pass. Of the windows of
// four bytes in a text only every stride-th is looked at: one of them lies
// within the first bytes of each word.
type search struct {
	stride  int
	windows map[uint32][]spot
	filter  [1 << 16 / 64]uint64 // which windows may be in there, a bit for each hash
}

// spot is a place in a word, or in a text a word's place.
type spot struct {
	word   string
	offset int
}

const window4 = 4

// newSearch makes a search for words of at least four bytes.
func newSearch(words iter.Seq[string]) *search {
	shortest := math.MaxInt
	for word := range words {
		shortest = min(shortest, len(word))
	}
	s := &search{stride: shortest - window4 + 1, windows: map[uint32][]spot{}}
	for word := range words {
		for offset := range s.stride {
			w := binary.LittleEndian.Uint32([]byte(word[offset : offset+window4]))
			s.windows[w] = append(s.windows[w], spot{word, offset})
			s.filter[hash16(w)/64] |= 1 << (hash16(w) % 64)
		}
	}
	return s
}

func hash16(w uint32) uint16 { return uint16(w * 2654435761 >> 16) } // Knuth's multiplicative hash

// in calls found for every word in text, nearly in order: of two that begin
// within one stride the second may come first.
func (s *search) in(text []byte, found func(word string, at int)) {
	for i := 0; i+window4 <= len(text); i += s.stride {
		w := binary.LittleEndian.Uint32(text[i:])
		if s.filter[hash16(w)/64]&(1<<(hash16(w)%64)) == 0 {
			continue
		}
		for _, spot := range s.windows[w] {
			at := i - spot.offset
			if at >= 0 && bytes.HasPrefix(text[at:], []byte(spot.word)) {
				found(spot.word, at)
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
	s, seen := newSearch(maps.Keys(ids)), map[string]bool{}
	look := func(e *tree.Entry, where string, data []byte) {
		s.in(data, func(id string, at int) {
			if seen[id] || !alone(data, at, at+len(id)) {
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
