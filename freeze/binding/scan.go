package binding

import "bytes"

// class is what a token is. Everything between tokens is literal text.
type class uint8

const (
	rootToken  class = iota // the box's root, in some spelling
	clockToken              // a time, if it is inside of the run
	uuidToken
	ulidToken
	hexToken     // seven hex digits or more, of one case, with a letter
	decimalToken // digits
	wordToken    // letters and digits, where a rule speaks of a prefix
	ruleToken    // what a rule covers as a whole
)

// token is a piece of text that may differ between boxes.
type token struct {
	class      class
	start, end int
	spelling   string // of a root
	count      int    // how many roots a base64 token holds, otherwise 1
	clock      clock
	rule       *rule
}

// scanner cuts a text into tokens, one at a time and without memory of its
// own: captures can be large. What fixed covers comes out as it is.
type scanner struct {
	text   []byte
	window window
	fixed  []token
	ranges []ruled // where a rule covers the numbers or words of a range

	pos, mixed int // bytes before mixed are hex digits of both cases: no hex token
}

// next returns the next token, or false at the end of the text.
func (s *scanner) next() (token, bool) {
	for {
		limit := len(s.text)
		if len(s.fixed) > 0 {
			limit = s.fixed[0].start
		}
		if t, ok := s.until(limit); ok {
			return s.ruled(t), true
		}
		if len(s.fixed) == 0 {
			return token{}, false
		}
		t := s.fixed[0]
		s.fixed, s.pos = s.fixed[1:], t.end
		return t, true
	}
}

func (s *scanner) until(limit int) (token, bool) {
	for s.pos < limit {
		c := kinds[s.text[s.pos]]
		if c == 0 {
			s.pos++
			continue
		}
		if s.startsWord() {
			if n := escapeRest(s.text[:limit], s.pos); n > 0 {
				s.pos += n
				continue
			}
			if t, ok := s.wholeWord(limit); ok {
				s.pos = t.end
				return t, true
			}
		}
		if c&(digit|lowerHex|upperHex) != 0 {
			if t, ok := s.number(limit); ok {
				s.pos = t.end
				return t, true
			}
		}
		s.pos++
	}
	return token{}, false
}

func (s *scanner) startsWord() bool {
	return s.pos == 0 || kinds[s.text[s.pos-1]] == 0
}

// wholeWord is what only a word from its first to its last letter can be.
func (s *scanner) wholeWord(limit int) (token, bool) {
	end := s.pos
	for end < limit && kinds[s.text[end]] != 0 {
		end++
	}
	t := token{start: s.pos, end: end, count: 1}
	if s.inPrefixRange() {
		t.class = wordToken
		return t, true
	}
	t.class = ulidToken
	return t, isULID(s.text[s.pos:end])
}

// number is a time, an id or a number that begins at pos.
func (s *scanner) number(limit int) (token, bool) {
	text := s.text[s.pos:limit]
	digits, hexes := runOf(text, digit), runOf(text, digit|lowerHex|upperHex)
	t := token{start: s.pos, count: 1}
	if n := rfc3339Len(text, digits); n > 0 {
		t.class, t.end = clockToken, s.pos+n
		t.clock, _ = s.window.rfc3339(text[:n])
		return t, true
	}
	if hexes == 8 && isUUID(text) {
		t.class, t.end = uuidToken, s.pos+uuidLen
		return t, true
	}
	if hexes > digits && hexes >= minHex && s.pos >= s.mixed {
		if oneCase(text[:hexes]) {
			t.class, t.end = hexToken, s.pos+hexes
			return t, true
		}
		s.mixed = s.pos + hexes
	}
	if digits == 0 {
		return token{}, false
	}
	t.class, t.end = decimalToken, s.pos+digits
	if c, n := s.window.unix(text, digits); n > 0 {
		t.class, t.end, t.clock = clockToken, s.pos+n, c
	}
	return t, true
}

// ruled gives a number to the rule that covers its place.
func (s *scanner) ruled(t token) token {
	for len(s.ranges) > 0 && s.ranges[0].end <= t.start {
		s.ranges = s.ranges[1:]
	}
	if len(s.ranges) > 0 && s.ranges[0].start <= t.start && t.end <= s.ranges[0].end &&
		(t.class == decimalToken || t.class == wordToken) {
		t.rule = s.ranges[0].rule
	}
	return t
}

func (s *scanner) inPrefixRange() bool {
	for _, r := range s.ranges {
		if r.start > s.pos {
			return false
		}
		if s.pos < r.end {
			return r.rule.Kind == Prefix
		}
	}
	return false
}

// minHex is the shortest run of hex digits that is looked at: git abbreviates
// to seven. An id has at least minID.
const minHex, minID = 7, 8

// The kinds of bytes that make up words.
const (
	digit uint8 = 1 << iota
	lowerHex
	upperHex
	otherLetter
)

var kinds = [256]uint8{
	'0': digit, '1': digit, '2': digit, '3': digit, '4': digit, '5': digit, '6': digit, '7': digit, '8': digit, '9': digit,
	'a': lowerHex, 'b': lowerHex, 'c': lowerHex, 'd': lowerHex, 'e': lowerHex, 'f': lowerHex,
	'A': upperHex, 'B': upperHex, 'C': upperHex, 'D': upperHex, 'E': upperHex, 'F': upperHex,
	'g': otherLetter, 'h': otherLetter, 'i': otherLetter, 'j': otherLetter, 'k': otherLetter, 'l': otherLetter,
	'm': otherLetter, 'n': otherLetter, 'o': otherLetter, 'p': otherLetter, 'q': otherLetter, 'r': otherLetter,
	's': otherLetter, 't': otherLetter, 'u': otherLetter, 'v': otherLetter, 'w': otherLetter, 'x': otherLetter,
	'y': otherLetter, 'z': otherLetter,
	'G': otherLetter, 'H': otherLetter, 'I': otherLetter, 'J': otherLetter, 'K': otherLetter, 'L': otherLetter,
	'M': otherLetter, 'N': otherLetter, 'O': otherLetter, 'P': otherLetter, 'Q': otherLetter, 'R': otherLetter,
	'S': otherLetter, 'T': otherLetter, 'U': otherLetter, 'V': otherLetter, 'W': otherLetter, 'X': otherLetter,
	'Y': otherLetter, 'Z': otherLetter,
}

func runOf(text []byte, mask uint8) int {
	n := 0
	for n < len(text) && kinds[text[n]]&mask != 0 {
		n++
	}
	return n
}

func oneCase(hex []byte) bool {
	var seen uint8
	for _, c := range hex {
		seen |= kinds[c]
	}
	return seen&(lowerHex|upperHex) != lowerHex|upperHex
}

// escapeRest is the length of what belongs to an escape that begins right
// before at: \n, \u002f, %2F. Without it the first letters of the next word
// would hide an id or a time.
func escapeRest(text []byte, at int) int {
	if at == 0 {
		return 0
	}
	rest := text[at:]
	switch text[at-1] {
	case '%':
		if runOf(rest[:min(2, len(rest))], digit|lowerHex|upperHex) == 2 {
			return 2
		}
	case '\\':
		if rest[0] == 'u' && runOf(rest[1:min(5, len(rest))], digit|lowerHex|upperHex) == 4 {
			return 5
		}
		if bytes.IndexByte([]byte("bfnrt"), rest[0]) >= 0 {
			return 1
		}
	}
	return 0
}
