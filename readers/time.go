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
	return Time{time.Unix(unix, 0).UTC()}
}

// MarshalJSON writes the moment.
func (t Time) MarshalJSON() ([]byte, error) {
	utc := t.UTC()
	if !expressible(utc) {
		return nil, fmt.Errorf("the year %d has no place in RFC 3339", utc.Year())
	}
	return strconv.AppendQuote(nil, utc.Format(layout)), nil
}

// String is the moment as it is written, and nothing if it has not come.
func (t Time) String() string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(layout)
}

// UnmarshalJSON reads RFC 3339 in whatever zone. A time without a zone is no
// moment, and neither is a number.
func (t *Time) UnmarshalJSON(b []byte) error {
	var at time.Time
	if err := at.UnmarshalJSON(b); err != nil || at.IsZero() || !expressible(at.UTC()) {
		return notTime(b)
	}
	*t = At(at)
	return nil
}

// expressible holds for what can be written: a zone moves a moment into
// another year.
func expressible(utc time.Time) bool { return 1 <= utc.Year() && utc.Year() <= 9999 }

// notTime is the JSON of a value that is no time.
type notTime string

func (e notTime) Error() string { return string(e) + " is no time of RFC 3339" }

// IsSeconds is the [Field] of a time of schema 1: from 0, which is none, to the
// end of the year 9999.
func IsSeconds(pointer string, unix int64) Field {
	const last = 253402300799
	return Is(pointer, strconv.FormatInt(unix, 10), 0 <= unix && unix <= last, "a time in seconds since 1970")
}
