package tmux

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Option is a user option of a pane, such as "@owner".
type Option struct{ Name, Value string }

// words is one command of tmux, each of its words as it is meant.
type words []string

// limitWas keeps the server's message-limit while a batch runs. It is there
// afterwards only if the server lost the batch half-way.
const limitWas = "@message_limit_was"

// batch has the server do commands, up to the first that it refuses. They go
// there on standard input, so that no word of them is in the sight of ps, and
// leave nothing in the server's log of messages, which is emptied by that.
// Before them go what is in argv, if anything.
//
// A log that the server writes for debugging (tmux -v) has everything.
func (u User) batch(ctx context.Context, about string, argv []string, commands ...words) error {
	script, err := scriptOf(commands)
	if err != nil {
		return fmt.Errorf("tmux %s on %q: %w", about, u.Socket, err)
	}
	lock, err := u.lock(ctx)
	if err != nil {
		return fmt.Errorf("tmux %s on %q: %w", about, u.Socket, err)
	}
	defer lock.Close()
	args := append(append([]string{"-u", "-S", u.Socket}, argv...), "source-file", "-")
	out, said, err := u.exec(ctx, script, args)
	// What tmux says of a script that it cannot parse is on standard output.
	if said == "" {
		said = strings.TrimSpace(out)
	}
	return u.failure(about, said, err)
}

// scriptOf is what source-file reads. A script that was cut short on its way
// lacks the end of its %if and is no script at all; tmux would run half of a
// line otherwise. A line is a group: what the server refuses ends the line and
// not the script, so the limit is put back in any case.
//
// The limit that a lost batch left is kept, since -o sets no option twice.
func scriptOf(commands []words) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "%%if 1\nset-option -sqoF %s '#{message-limit}'\nset-option -s message-limit 0\n", limitWas)
	for i, c := range commands {
		if i > 0 {
			b.WriteString(" ; ")
		}
		for j, word := range c {
			quoted, err := quote(word)
			if err != nil {
				return "", err
			}
			if j > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(quoted)
		}
	}
	fmt.Fprintf(&b, "\nset-option -sF message-limit '#{%s}'\nset-option -su %s\n%%endif\n", limitWas, limitWas)
	return b.String(), nil
}

var errLocked = errors.New("another program is at work on the same server; try again")
