package binding

import (
	"bytes"
	"fmt"
	"strings"
)

// Difference is one thing that two boxes do not share and nothing explains.
type Difference struct {
	Path    string `json:"path"`
	Pointer string `json:"pointer,omitempty"`
	// Offset counts bytes in the first capture's content, name or target. It
	// is -1 where the difference is about the entry as a whole.
	Offset int    `json:"offset"`
	A      string `json:"a"`
	B      string `json:"b"`
	Why    string `json:"why"`
	// Chance says that two clean runs differ like this now and then (a time
	// whose last digits are zero, a hex id without a letter): worth one more
	// run before it is reported.
	Chance bool `json:"chance,omitzero"`
}

// Error names the place, both values and the reason, in one line.
func (d Difference) Error() string {
	var b strings.Builder
	if d.Path == "" {
		b.WriteString("capture")
	} else {
		fmt.Fprintf(&b, "%q", d.Path)
	}
	if d.Pointer != "" {
		fmt.Fprintf(&b, " at %s", d.Pointer)
	}
	if d.Offset >= 0 {
		fmt.Fprintf(&b, " (byte %d)", d.Offset)
	}
	if d.A != "" || d.B != "" {
		fmt.Fprintf(&b, ": %q against %q", d.A, d.B)
	}
	return b.String() + ": " + d.Why
}

// excerpt shows the line around an offset, cut to what fits in a message.
func excerpt(data []byte, at int) string {
	const before, after = 24, 40
	at = min(at, len(data))
	start, end := max(0, at-before), min(len(data), at+after)
	if i := bytes.LastIndexByte(data[start:at], '\n'); i >= 0 {
		start += i + 1
	}
	if i := bytes.IndexByte(data[at:end], '\n'); i > 0 {
		end = at + i
	}
	return string(data[start:end])
}

// firstDifference is where a and b part.
func firstDifference(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
