package binding

import "strings"

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

	pos         int
	afterEscape int // where a word begins, although a letter stands before it
	mixed       int // bytes before it are hex digits of both cases: no hex token
}

// next returns the next token, or false at the end of the text.
func (s *scanner) next() (token, bool) {
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

// until returns the next token before limit. Most bytes are skipped: a token
// begins with a digit, or with a letter that begins a long run of hex digits.
func (s *scanner) until(limit int) (token, bool) {
	for s.pos < limit {
		c := s.text[s.pos]
		k := kinds[c]
		if len(s.ranges) > 0 && k != 0 && s.startsWord() && s.inPrefixRange() {
			return s.word(wordToken, limit), true
		}
		switch far := s.pos + minHex - 1; {
		case k == digit && s.startsWord() && isULID(s.text[s.pos:limit]):
			return s.word(ulidToken, limit), true
		case k == digit, k&hexLetter != 0 && far < limit && kinds[s.text[far]]&hexDigit != 0:
			if t, ok := s.number(limit); ok {
				s.pos = t.end
				return t, true
			}
		case c == '\\' || c == '%':
			s.pos += escapeLen(s.text[s.pos:limit]) - 1
			s.afterEscape = s.pos + 1
		}
		s.pos++
	}
	return token{}, false
}

func (s *scanner) startsWord() bool {
	return s.pos == 0 || s.pos == s.afterEscape || kinds[s.text[s.pos-1]] == 0
}

// word takes the whole word at pos.
func (s *scanner) word(c class, limit int) token {
	t := token{class: c, start: s.pos, end: s.pos + runOf(s.text[s.pos:limit], anyWord), count: 1}
	s.pos = t.end
	return t
}

// number is a time, an id or a number that begins at pos.
func (s *scanner) number(limit int) (token, bool) {
	text := s.text[s.pos:limit]
	digits, hexes := runOf(text, digit), runOf(text, hexDigit)
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

	hexLetter = lowerHex | upperHex
	hexDigit  = digit | hexLetter
	anyWord   = hexDigit | otherLetter
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
	return seen&hexLetter != hexLetter
}

// escapeLen is the length of an escape such as \n, \u002f or %2F, or 1 for a
// backslash or percent sign that begins none. Without a look at them the first
// letters of the next word would hide an id or a time.
func escapeLen(text []byte) int {
	hexes := runOf(text[min(1, len(text)):], hexDigit)
	switch {
	case len(text) < 2:
		return 1
	case text[0] == '%' && hexes >= 2:
		return 3
	case text[0] == '%':
		return 1
	case text[1] == 'u' && runOf(text[2:], hexDigit) >= 4:
		return 6
	case strings.IndexByte(`bfnrt"\/`, text[1]) >= 0:
		return 2
	}
	return 1
}
