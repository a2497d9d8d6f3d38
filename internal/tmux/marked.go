package tmux

import (
	"context"
	"fmt"
	"regexp"
	"strings"
)

// Marked is a pane with the two things about it that last as long as it does.
// What runs in it, where that stands by now and how its session is called may
// all change.
type Marked struct {
	Pane
	Mark  string // the value of a user option that was set on this pane; empty where it was not
	Start string // folder the pane was made for
}

// Tabs and newlines in paths come out as they are. A record is therefore known
// by how it begins; the folder it ends in is the caller's own and has neither.
var recordStart = regexp.MustCompile(`^=[A-Za-z0-9_-]*\t%\d+\t\$\d+\t`)

// ListMarked lists the panes of all sessions with the value of option, such as
// "@owner", whose values are of [A-Za-z0-9_-].
func (u User) ListMarked(ctx context.Context, option string) ([]Marked, error) {
	out, err := u.Run(ctx, "list-panes", "-a", "-F", "=#{"+option+"}\t"+paneFormat+"\t#{pane_start_path}")
	if err != nil {
		return nil, err
	}
	var panes []Marked
	for _, record := range records(out) {
		p, err := parseMarked(record)
		if err != nil {
			return nil, fmt.Errorf("tmux list-panes on %q: %w", u.Socket, err)
		}
		panes = append(panes, p)
	}
	return panes, nil
}

func records(out string) []string {
	var all []string
	for line := range strings.Lines(out) {
		if recordStart.MatchString(line) || len(all) == 0 {
			all = append(all, line)
		} else {
			all[len(all)-1] += line
		}
	}
	return all
}

func parseMarked(record string) (Marked, error) {
	record = strings.TrimSuffix(record, "\n")
	mark, rest, _ := strings.Cut(strings.TrimPrefix(record, "="), "\t")
	end := strings.LastIndexByte(rest, '\t')
	if end < 0 {
		return Marked{}, fmt.Errorf("no start folder in %q", record)
	}
	p, err := parsePane(rest[:end])
	return Marked{Pane: p, Mark: mark, Start: rest[end+1:]}, err
}
