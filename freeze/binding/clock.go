package binding

import (
	"bytes"
	"strconv"
	"time"
)

// clock is a time as it is written: it stands for every moment from at up to,
// but not including, at+unit, in nanoseconds of unix time.
type clock struct {
	at, unit int64
	inside   bool // of its own run
}

// window is when a box's programs ran, with a second of grace on both sides
// for clocks that are rounded.
type window struct{ from, to int64 }

func newWindow(r *Run) window {
	return window{r.From.Add(-time.Second).UnixNano(), r.To.Add(time.Second).UnixNano()}
}

func (w window) clock(at, unit int64) clock {
	return clock{at, unit, w.from <= at && at <= w.to}
}

// rfc3339Len is the length of an RFC 3339 time at the start of text, which
// begins with that many digits; 0 if there is none. Section 5.6 allows a space
// for the T.
func rfc3339Len(text []byte, digits int) int {
	const shape = "dddd-dd-ddTdd:dd:dd"
	if digits != 4 || len(text) <= len(shape) || text[4] != '-' {
		return 0
	}
	for i := range len(shape) {
		c := text[i]
		ok := shape[i] == c || shape[i] == 'd' && kinds[c] == digit || shape[i] == 'T' && c == ' '
		if !ok {
			return 0
		}
	}
	n := len(shape)
	if text[n] == '.' {
		f := runOf(text[n+1:], digit)
		if f == 0 || f > 9 {
			return 0
		}
		n += 1 + f
	}
	if n < len(text) && text[n] == 'Z' {
		return n + 1
	}
	if zone := text[n:]; len(zone) >= 6 && (zone[0] == '+' || zone[0] == '-') &&
		runOf(zone[1:], digit) == 2 && zone[3] == ':' && runOf(zone[4:6], digit) == 2 {
		return n + 6
	}
	return 0
}

func (w window) rfc3339(text []byte) (clock, bool) {
	if text[10] == ' ' {
		text = bytes.Clone(text)
		text[10] = 'T'
	}
	var at time.Time
	if at.UnmarshalText(text) != nil {
		return clock{}, false
	}
	return w.clock(at.UnixNano(), fractionUnit(fractionLen(text))), true
}

// unix reads a unix time in s, ms, us or ns, or in s with a fraction. A number
// outside of the run is a number and no time: the length is 0.
func (w window) unix(text []byte, digits int) (clock, int) {
	var unit int64
	switch digits {
	case 10:
		unit = 1e9
	case 13:
		unit = 1e6
	case 16:
		unit = 1e3
	case 19:
		unit = 1
	default:
		return clock{}, 0
	}
	n, err := strconv.ParseInt(string(text[:digits]), 10, 64)
	if err != nil || n > (1<<63-1)/unit {
		return clock{}, 0
	}
	c := w.clock(n*unit, unit)
	if !c.inside {
		return clock{}, 0
	}
	if digits != 10 || len(text) < 12 || text[10] != '.' {
		return c, digits
	}
	f := runOf(text[11:], digit)
	if f == 0 || f > 9 {
		return c, digits
	}
	part, _ := strconv.ParseInt(string(text[11:11+f]), 10, 64)
	return w.clock(c.at+part*fractionUnit(f), fractionUnit(f)), digits + 1 + f
}

func fractionUnit(digits int) int64 {
	unit := int64(time.Second)
	for range digits {
		unit /= 10
	}
	return unit
}

// fractionLen is the number of digits after the dot.
func fractionLen(text []byte) int {
	dot := bytes.IndexByte(text, '.')
	if dot < 0 {
		return 0
	}
	return runOf(text[dot+1:], digit)
}

// floatForm is the form of seconds with a fraction.
const floatForm = "unix s.f"

// clockForm is everything about a written time but its value and fraction:
// separator and zone, or the unit.
func clockForm(text []byte) string {
	if len(text) > 10 && text[4] == '-' {
		end := 19
		if f := fractionLen(text); f > 0 {
			end += 1 + f
		}
		return string(text[10:11]) + string(text[end:])
	}
	whole := runOf(text, digit)
	if whole < len(text) {
		return floatForm
	}
	return "unix " + strconv.Itoa(whole)
}

// fractions judges the fractions of two times in the same place. Writers that
// drop trailing zeros (RFC3339Nano) show nine digits, or eight, or seven, and
// a floating-point number of seconds in its shortest form (Python's time.time)
// seven, six or five; fewer than that is another unit, or a chance of one in
// some hundred.
func fractions(x, y []byte) (same, chance bool) {
	short, long := x, y
	if fractionLen(x) > fractionLen(y) {
		short, long = y, x
	}
	s, l := fractionLen(short), fractionLen(long)
	few := 7
	if clockForm(x) == floatForm && l <= 7 {
		few = 5
	}
	if s == l || s >= few {
		return true, false
	}
	return false, trimmed(short) && trimmed(long)
}

// trimmed tells whether a time may have been written without trailing zeros.
func trimmed(text []byte) bool {
	f := fractionLen(text)
	if f == 0 {
		return true
	}
	dot := bytes.IndexByte(text, '.')
	return text[dot+f] != '0'
}
