package env

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// Parse reads the content of an env file. Lines that cannot be read, and
// names that are declared twice, are warnings.
func Parse(content []byte) *File {
	p := &parser{file: new(File), at: make(map[string]int)}
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	rest := strings.ReplaceAll(string(content), "\r\n", "\n")
	for line := 1; rest != ""; {
		taken := p.take(rest, line)
		line += strings.Count(rest[:taken], "\n")
		rest = rest[taken:]
	}
	return p.file
}

type parser struct {
	file     *File
	at       map[string]int // index of a name among the variables
	inBase64 bool           // the line above is one of a text in base64
}

// take reads what begins on the first line of rest and returns how many bytes
// it had.
func (p *parser) take(rest string, line int) int {
	end := strings.IndexByte(rest, '\n') + 1
	if end == 0 {
		end = len(rest)
	}
	text := strings.Trim(rest[:end], " \t\n")
	inBase64 := p.inBase64
	p.inBase64 = false
	if text == "" || text[0] == '#' {
		return end
	}
	name, start, ok := declared(rest[:end])
	if !ok {
		p.inBase64 = base64(text)
		p.warn(line, "no NAME=value, the line does not count")
		return end
	}
	value, taken, bad := valueOf(rest[start:])
	switch {
	case bad != "":
	case inBase64 && strings.Trim(value, "=") == "":
		// Its name is a piece of a key, and names are shown.
		bad = "the end of a text in base64 that is not in quotes"
	case strings.IndexByte(value, 0) >= 0:
		bad = "a value cannot have a NUL"
	case len(name)+1+len(value) > MaxVariable:
		bad = fmt.Sprintf("longer than %d bytes, no program could be started with it", MaxVariable)
	}
	if bad != "" {
		p.warn(line, bad+", the line does not count")
		return end
	}
	p.declare(Variable{Name: name, Value: NewValue(value), Line: line})
	return start + taken
}

// declare has the later line win.
func (p *parser) declare(v Variable) {
	if i, again := p.at[v.Name]; again {
		p.warn(v.Line, fmt.Sprintf("%s is declared on line %d, too; this one wins", v.Name, p.file.Variables[i].Line))
		p.file.Variables[i] = v
		return
	}
	p.at[v.Name] = len(p.file.Variables)
	p.file.Variables = append(p.file.Variables, v)
}

func (p *parser) warn(line int, text string) {
	p.file.Warnings = append(p.file.Warnings, Warning{Line: line, Text: text})
}

// declared finds the name on a line, and where its value begins.
func declared(line string) (name string, start int, ok bool) {
	eq := strings.IndexByte(line, '=')
	if eq < 0 {
		return "", 0, false
	}
	name = strings.Trim(line[:eq], " \t")
	if after, found := strings.CutPrefix(name, "export"); found {
		if trimmed := strings.TrimLeft(after, " \t"); trimmed != after {
			name = trimmed
		}
	}
	return name, eq + 1, isName(name)
}

// base64 tells whether a line may be one of a text in base64, other than the
// last: pieces of such a text look like names. Those of a key have 64 letters.
func base64(line string) bool {
	return len(line) >= 40 && !slices.ContainsFunc([]byte(line), func(c byte) bool { return c != '+' && c != '/' && c != '-' && !nameByte(c) })
}

func isName(s string) bool {
	if s == "" || s[0] >= '0' && s[0] <= '9' {
		return false
	}
	return !slices.ContainsFunc([]byte(s), func(c byte) bool { return !nameByte(c) })
}

func nameByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// valueOf reads the value at the start of s and returns how many bytes it had,
// with what follows it on its last line.
func valueOf(s string) (value string, taken int, bad string) {
	first := strings.TrimLeft(s, " \t")
	blanks := len(s) - len(first)
	if first == "" || first[0] != '"' && first[0] != '\'' {
		line, _, ended := strings.Cut(s, "\n")
		taken = len(line)
		if ended {
			taken++
		}
		return strings.Trim(uncommented(line), " \t"), taken, ""
	}
	value, n := quoted(first)
	if n < 0 {
		return "", 0, "its quote is not closed"
	}
	after, _, ended := strings.Cut(first[n:], "\n")
	taken = blanks + n + len(after)
	if ended {
		taken++
	}
	if strings.Trim(uncommented(after), " \t") != "" {
		return "", 0, "something follows its closing quote"
	}
	return value, taken, ""
}

// uncommented cuts a line at a # that has a blank before it.
func uncommented(line string) string {
	for i := 1; i < len(line); i++ {
		if line[i] == '#' && (line[i-1] == ' ' || line[i-1] == '\t') {
			return line[:i]
		}
	}
	return line
}

// quoted reads a value in the quotes that s begins with, and returns how many
// bytes it has with them; -1 where it is not closed.
func quoted(s string) (string, int) {
	if s[0] == '\'' {
		end := strings.IndexByte(s[1:], '\'')
		if end < 0 {
			return "", -1
		}
		return s[1 : 1+end], end + 2
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), i + 1
		case s[i] == '\\' && i+1 < len(s):
			i++
			b.WriteString(escaped(s[i]))
		default:
			b.WriteByte(s[i])
		}
	}
	return "", -1
}

// escaped is what a backslash and c stand for in double quotes.
func escaped(c byte) string {
	switch c {
	case 'n':
		return "\n"
	case 'r':
		return "\r"
	case 't':
		return "\t"
	case '"', '\\', '$', '`':
		return string([]byte{c})
	}
	return string([]byte{'\\', c})
}
