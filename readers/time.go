package readers

import (
	"fmt"
	"strconv"
	"time"
)

// layout is how every time is written: RFC 3339, UTC, always in milliseconds.
const layout = "2006-01-02T15:04:05.000Z"

// Time is a moment in a document, in UTC and to the millisecond. The zero Time
// is one that has not come, which is written as no field at all.
type Time struct{ time.Time }

// At is t as a document holds it.
func At(t time.Time) Time { return Time{t.UTC().Truncate(time.Millisecond)} }

// Seconds is the moment that a document of schema 1 holds as seconds since
// 1970-01-01 00:00:00 UTC; 0 is the zero Time.
func Seconds(unix int64) Time {
	if unix == 0 {
		return Time{}
	}
	return At(time.Unix(unix, 0))
}

// MarshalJSON writes the moment.
func (t Time) MarshalJSON() ([]byte, error) {
	if year := t.Year(); year < 1 || year > 9999 {
		return nil, fmt.Errorf("the year %d has no place in RFC 3339", year)
	}
	return strconv.AppendQuote(nil, t.UTC().Format(layout)), nil
}

// UnmarshalJSON reads RFC 3339 in whatever zone. A time without a zone is no
// moment, and neither is a number.
func (t *Time) UnmarshalJSON(b []byte) error {
	text, err := strconv.Unquote(string(b))
	if err != nil {
		return fmt.Errorf("%s is no time of RFC 3339", b)
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return fmt.Errorf("%q is no time of RFC 3339", text)
	}
	*t = At(at)
	return nil
}

// CheckSeconds holds a time of schema 1 against what can be one: from 0, which
// is none, to the end of the year 9999. The name is for the message.
func CheckSeconds(name, pointer string, unix int64) error {
	const last = 253402300799
	if unix < 0 || unix > last {
		return Invalid(name, pointer, "%d is not a time in seconds since 1970", unix)
	}
	return nil
}
