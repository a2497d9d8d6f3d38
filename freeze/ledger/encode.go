package ledger

import (
	"bytes"
	"fmt"
	"strings"
)

const header = `# The releases that are frozen, oldest first. freeze writes this file anew when a
# release is cut or replaced, and keeps no comment but this one. Waivers are
# added by hand.
`

// Encode writes the ledger, the same bytes for the same ledger, in the order
// of the versions.
func (l *Ledger) Encode() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%sformat = %d\n", header, Format)
	for _, r := range l.Releases {
		table(&b, "release", "version", r.Version, "commit", r.Commit,
			"package", r.Package, "integrity", r.Integrity,
			"dependencies", r.Dependencies, "before", r.Before, "date", r.Date)
		for _, f := range r.Fixtures {
			table(&b, "release.fixture", "family", f.Family, "sha256", f.SHA256)
		}
		for _, w := range r.Waivers {
			table(&b, "release.waiver", "family", w.Family, "scenario", w.Scenario, "reason", w.Reason, "date", w.Date)
		}
		for _, p := range r.Replaced {
			table(&b, "release.replaced", "family", p.Family, "scenario", p.Scenario, "why", p.Why, "date", p.Date)
		}
	}
	return b.Bytes()
}

// table writes the pairs of key and value, those that are empty left out.
func table(b *bytes.Buffer, name string, pairs ...string) {
	fmt.Fprintf(b, "\n[[%s]]\n", name)
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			fmt.Fprintf(b, "%s = %s\n", pairs[i], quote(pairs[i+1]))
		}
	}
}

// quote writes a TOML basic string, which knows fewer escapes than Go. What is
// no UTF-8 stays none, so that Parse refuses it.
func quote(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		switch {
		case c == '"' || c == '\\':
			b.Write([]byte{'\\', c})
		case c < 0x20 || c == 0x7f:
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteByte(c)
		}
	}
	return `"` + b.String() + `"`
}
