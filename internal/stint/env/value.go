package env

import (
	"fmt"
	"io"
)

const hidden = "(hidden)"

// Value is a secret. It prints as a placeholder, in JSON and logs too, also
// from inside of other types.
//
// The text is in a closure, since a formatter that goes through unexported
// fields by reflection asks no method.
type Value struct{ reveal func() string }

// NewValue hides a text.
func NewValue(text string) Value { return Value{func() string { return text }} }

// Reveal is the text itself. Whoever calls it answers for where it goes.
func (v Value) Reveal() string {
	if v.reveal == nil {
		return ""
	}
	return v.reveal()
}

// Format prints the placeholder for every verb.
func (v Value) Format(s fmt.State, _ rune) { io.WriteString(s, hidden) }

func (v Value) String() string { return hidden }

// MarshalText is for JSON and structured logs.
func (v Value) MarshalText() ([]byte, error) { return []byte(hidden), nil }
