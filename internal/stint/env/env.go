// Package env reads the file of NAME=value lines that sessions run on, and
// tells whether a running process still has what it declares.
//
// Values are secrets. They are handed out as text by [File.Environ] and
// [Value.Reveal] only: no error, no warning and no way of printing shows one,
// and of a line that cannot be read nothing but its number is told. The
// package writes nothing, and knows neither sessions nor tmux beyond the names
// of variables that are tmux's own.
//
// # The file
//
// One NAME=value to a line, with "export" before it or not. A name is of
// [A-Za-z0-9_] and does not begin with a digit; blanks around it and around
// the value do not count. Blank lines, and lines that begin with #, say
// nothing. Nothing is expanded: $ and ~ are characters like others.
//
//   - Without quotes the value goes to the end of the line, or to a # that has
//     a blank before it. It may be empty.
//   - In single quotes it is what stands there, newlines included.
//   - In double quotes it is that, too, except that \n, \r and \t are newline,
//     carriage return and tab, and \", \\, \$ and \` the second character of
//     the two. Other backslashes stay.
//   - Behind the closing quote only a comment may stand.
//
// A newline is one byte, also where the file has CRLF. The later of two lines
// of a name wins. A value that is not closed is a bad line, and reading goes
// on with the line below it. A key that was pasted without quotes is many bad
// lines; its last one does not count for NAME= either.
package env

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

const (
	// MaxFile is the largest file that is read, in bytes.
	MaxFile = 1 << 20
	// MaxVariable is the longest NAME=value, in bytes. Linux takes no string
	// of 128 KiB with the NUL behind it (MAX_ARG_STRLEN in execve(2)), and
	// tmux leaves a dead pane without a word.
	MaxVariable = 128<<10 - 1
	// MaxVariables is how many a file may declare. So many, and as many names
	// to be hidden, tmux takes at once; some thousands more overflow the stack
	// of its parser, after the old program has ended.
	MaxVariables = 2048
)

// Why a file is refused.
var (
	ErrMissing    = errors.New("no such file")
	ErrUnreadable = errors.New("it cannot be read")
	ErrNotRegular = errors.New("it is not a regular file")
	ErrTooLarge   = fmt.Errorf("it is larger than %d bytes", MaxFile)
	ErrTooMany    = fmt.Errorf("it declares more than %d variables", MaxVariables)
	ErrEmpty      = errors.New("it has no usable line")
)

// File is what an env file declares.
type File struct {
	Path      string
	Variables []Variable // each name once, in the order of the file
	Warnings  []Warning
}

// Variable is one declared name with its value.
type Variable struct {
	Name  string
	Value Value
	Line  int // counted from 1
}

// Warning is what a user should know about a file that was read.
type Warning struct {
	Line int // 0: the file as a whole
	Text string
}

func (w Warning) String() string {
	if w.Line == 0 {
		return w.Text
	}
	return fmt.Sprintf("line %d: %s", w.Line, w.Text)
}

// Environ is NAME=value for each declared name that is applied: secrets, for
// the process they are meant for and for nothing else.
func (f *File) Environ() []string {
	var all []string
	for _, v := range f.Variables {
		if !Reserved(v.Name) {
			all = append(all, v.Name+"="+v.Value.Reveal())
		}
	}
	return all
}

// Names are the declared names that are applied and compared, sorted.
func (f *File) Names() []string { return f.names(false) }

// Reserved are the declared names that are neither applied nor compared,
// sorted, since tmux or stint sets them.
func (f *File) Reserved() []string { return f.names(true) }

func (f *File) names(reserved bool) []string {
	var all []string
	for _, v := range f.Variables {
		if Reserved(v.Name) == reserved {
			all = append(all, v.Name)
		}
	}
	slices.Sort(all)
	return all
}

// Reserved tells whether a variable is set in every pane by tmux, by the shell
// that enters the pane's folder, or by stint, whatever a file says.
func Reserved(name string) bool {
	switch name {
	case "PATH", "SHELL", "PWD", "TERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "TMUX", "TMUX_PANE", "COLORTERM": // tmux has the last from 3.6 on
		return true
	case "OLDPWD", "IFS", "PPID", "PS1", "PS2", "PS4", "RANDOM", "SHLVL", "SHELLOPTS", "BASHOPTS", "_": // dash or bash
		return true
	}
	return strings.HasPrefix(name, "STINT_")
}
