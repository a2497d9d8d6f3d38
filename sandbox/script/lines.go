package script

import (
	"fmt"
	"strings"
)

// Line is one command of a script, as testscript divides it.
type Line struct {
	N     int    // counted from 1
	Text  string // the whole line
	Conds []Cond // in the order in which they stand
	Neg   bool
	Words []Word // the command and its arguments; empty if the line has only conditions
}

// Cond is one [condition] before a command.
type Cond struct {
	Neg  bool
	Name string
}

func (c Cond) String() string {
	if c.Neg {
		return "[!" + c.Name + "]"
	}
	return "[" + c.Name + "]"
}

// Word is one word of a command before its variables are expanded.
type Word struct {
	Raw  string // with its quotes
	Text string // without them
	Vars bool   // a $ stands outside of the quotes
}

// Command is the name of the line's command, or empty.
func (l Line) Command() string {
	if len(l.Words) == 0 {
		return ""
	}
	return l.Words[0].Text
}

// Args are the words after the command.
func (l Line) Args() []Word {
	return l.Words[min(1, len(l.Words)):]
}

// Lines divides the script part of an archive into its commands. Blank lines
// and comments are none.
func Lines(script []byte) ([]Line, error) {
	var lines []Line
	for i, text := range strings.Split(string(script), "\n") {
		words, err := split(text)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		if len(words) > 0 {
			lines = append(lines, newLine(i+1, text, words))
		}
	}
	return lines, nil
}

func newLine(n int, text string, words []Word) Line {
	l := Line{N: n, Text: text}
	for len(words) > 0 && strings.HasPrefix(words[0].Text, "[") && strings.HasSuffix(words[0].Text, "]") {
		name := strings.TrimSpace(words[0].Text[1 : len(words[0].Text)-1])
		name, neg := strings.CutPrefix(name, "!")
		l.Conds = append(l.Conds, Cond{Neg: neg, Name: strings.TrimSpace(name)})
		words = words[1:]
	}
	if len(words) > 0 && words[0].Text == "!" {
		l.Neg, words = true, words[1:]
	}
	l.Words = words
	return l
}

// split follows testscript: blanks separate, # begins a comment, single quotes
// keep both and $ as they are, and two of them within quotes mean one.
func split(line string) ([]Word, error) {
	if strings.HasPrefix(line, "#") {
		return nil, nil
	}
	var words []Word
	for i := 0; ; {
		i += len(line[i:]) - len(strings.TrimLeft(line[i:], " \t\r"))
		if i >= len(line) || line[i] == '#' {
			return words, nil
		}
		w, n, err := word(line[i:])
		if err != nil {
			return nil, err
		}
		words = append(words, w)
		i += n
	}
}

// word reads the word that s begins with, and tells its length.
func word(s string) (w Word, n int, err error) {
	var text strings.Builder
	quoted := false
	for ; n < len(s); n++ {
		c := s[n]
		switch {
		case c == '\'' && quoted && n+1 < len(s) && s[n+1] == '\'':
			text.WriteByte('\'')
			n++
			continue
		case c == '\'':
			quoted = !quoted
			continue
		case !quoted && strings.IndexByte(" \t\r#", c) >= 0:
			return Word{Raw: s[:n], Text: text.String(), Vars: w.Vars}, n, nil
		case !quoted && c == '$':
			w.Vars = true
		}
		text.WriteByte(c)
	}
	if quoted {
		return w, n, fmt.Errorf("the quote that begins in %q has no end", s)
	}
	return Word{Raw: s[:n], Text: text.String(), Vars: w.Vars}, n, nil
}
