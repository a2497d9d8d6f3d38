// Package tomldoc decodes TOML files that people write, so strictly that
// every complaint names its place: file, key, line and column. It knows no
// particular file.
package tomldoc

// Error is one complaint about a file.
type Error struct {
	File string // as it was given
	Key  string // the dotted key, as far as one is known: provider.kind, binding[1].family
	// Line and Column begin at 1; columns count characters. Both are 0 where
	// the file as a whole is meant.
	Line, Column int
	Msg          string
}

func (e *Error) Error() string { panic("unbuilt") }
