package binding

import (
	"strconv"
	"strings"
	"time"
)

const uuidLen, ulidLen = 36, 26

// crockford is ULID's alphabet: https://github.com/ulid/spec.
const crockford, crockfordLower = "0123456789ABCDEFGHJKMNPQRSTVWXYZ", "0123456789abcdefghjkmnpqrstvwxyz"

func isUUID(text []byte) bool {
	if len(text) < uuidLen {
		return false
	}
	for i, c := range text[:uuidLen] {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if c != '-' {
				return false
			}
		} else if kinds[c]&hexDigit == 0 {
			return false
		}
	}
	more := text[uuidLen:]
	return oneCase(text[:uuidLen]) && (len(more) == 0 || kinds[more[0]] == 0)
}

func isULID(text []byte) bool {
	if len(text) < ulidLen || text[0] > '7' || len(text) > ulidLen && kinds[text[ulidLen]] != 0 {
		return false
	}
	upper, lower, hexes := true, true, true
	for _, c := range text[:ulidLen] {
		hexes = hexes && kinds[c] != otherLetter
		upper = upper && strings.IndexByte(crockford, c) >= 0
		lower = lower && strings.IndexByte(crockfordLower, c) >= 0
	}
	return upper != lower && !hexes // digits alone are a number, hex digits alone a digest
}

// idForm is everything about an id but its value.
func idForm(c class, text string) string {
	form := "lower"
	if strings.ContainsAny(text, "ABCDEFGHJKMNPQRSTVWXYZ") {
		form = "upper"
	} else if !strings.ContainsAny(text, "abcdefghjkmnpqrstvwxyz") {
		form = "" // digits alone fit either case
	}
	if c == uuidToken {
		return form + " uuid version " + text[14:15]
	}
	return form
}

// idTime is the time that an id carries, if it does.
func (w window) idTime(c class, text string) (clock, bool) {
	const milli = int64(time.Millisecond)
	switch {
	case c == ulidToken:
		var ms int64
		for _, r := range strings.ToUpper(text[:10]) {
			ms = ms<<5 | int64(strings.IndexRune(crockford, r))
		}
		return w.milli(ms), true
	case c == uuidToken && text[14] == '7':
		return w.milli(hexInt(text[:8] + text[9:13])), true
	case c == uuidToken && text[14] == '6':
		return w.gregorian(hexInt(text[:8] + text[9:13] + text[15:18])), true
	case c == uuidToken && text[14] == '1':
		return w.gregorian(hexInt(text[15:18] + text[9:13] + text[:8])), true
	}
	return clock{unit: milli}, false
}

func (w window) milli(ms int64) clock {
	if ms > (1<<63-1)/int64(time.Millisecond) {
		return clock{}
	}
	return w.clock(ms*int64(time.Millisecond), int64(time.Millisecond))
}

// gregorian counts from 1582-10-15 in steps of 100 ns, RFC 9562 section 5.1.
func (w window) gregorian(steps int64) clock {
	const toUnix = 0x01B21DD213814000
	return w.clock((steps-toUnix)*100, 100)
}

func hexInt(digits string) int64 {
	n, _ := strconv.ParseInt(digits, 16, 64) // at most 15 digits, and seen to be hex
	return n
}

// randomPart is what of an id should be random: hex digits, or a ULID's
// letters. Versions 1 and 6 of a uuid have none: node and clock sequence belong
// to the machine.
func randomPart(c class, id string) string {
	switch {
	case c == ulidToken:
		return id[10:]
	case c != uuidToken:
		return id
	case id[14] == '1' || id[14] == '6':
		return ""
	case id[14] == '7':
		return id[15:18] + id[20:23] + id[24:]
	}
	return strings.ReplaceAll(id[:14]+id[15:], "-", "")
}

// alike tells whether two ids share more than half of what should be random:
// then they are numbers, times, or hashes of nearly nothing.
func alike(c class, x, y string) bool {
	x, y = randomPart(c, x), randomPart(c, y)
	same := 0
	for i := range min(len(x), len(y)) {
		if x[i] == y[i] {
			same++
		}
	}
	return same*2 > len(x)
}

// regular tells whether an id is made of so few different digits that chance
// makes less than one in a hundred thousand like it: a counter.
func regular(c class, id string) bool {
	part := randomPart(c, id)
	var seen [256]bool
	different := 0
	for i := range len(part) {
		if !seen[part[i]] {
			seen[part[i]] = true
			different++
		}
	}
	return different <= min(len(part)/4, 4) && part != ""
}
