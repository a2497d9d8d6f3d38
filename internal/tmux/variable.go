package tmux

import (
	"context"
	"fmt"
	"strings"
)

// Variable is the value of an environment variable, whose name is of
// [A-Za-z0-9_], in the environment of each session, by its id ($N). A session
// that has none of that name has the server's; one in which it is hidden has
// "". Values that are more than one line are not told apart.
func (u User) Variable(ctx context.Context, name string) (map[string]string, error) {
	out, err := u.Run(ctx, "list-sessions", "-F", "#{session_id}\t#{"+name+"}")
	if err != nil {
		return nil, err
	}
	values := make(map[string]string)
	for line := range strings.Lines(out) {
		id, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok {
			return nil, fmt.Errorf("tmux list-sessions on %q: no value in %q", u.Socket, line)
		}
		values[id] = value
	}
	return values, nil
}
