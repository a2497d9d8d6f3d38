package runner_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
)

// run is one as a release told of it.
type run struct {
	ID           string         `json:"id"`
	Kind         string         `json:"kind"`
	State        string         `json:"state"`
	Session      string         `json:"session"`
	Conversation string         `json:"conversation"`
	Harness      string         `json:"harness"`
	Prompt       string         `json:"prompt"`
	Exit         *int           `json:"exit"`
	Root         string         `json:"root"`
	Base         string         `json:"base"`
	PatchSHA256  string         `json:"patch_sha256"`
	PatchSize    int64          `json:"patch_size"`
	Created      jsontext.Value `json:"created_at"`
	Started      jsontext.Value `json:"started_at"`
	Finished     jsontext.Value `json:"finished_at"`
	Applied      jsontext.Value `json:"applied_at"`
	Discarded    jsontext.Value `json:"discarded_at"`
	Failure      string         `json:"failure"`
	Files        []struct {
		Path    string `json:"path"`
		OldMode string `json:"old_mode"`
		NewMode string `json:"new_mode"`
	} `json:"files"`
}

// runs are those of the fixture, as the release listed them last.
func (d *desk) runs() []run {
	d.Helper()
	view := "list"
	if slices.Contains(d.f.Views(), "runs") {
		view = "runs" // after that
	}
	var all struct {
		Runs []run `json:"runs"`
	}
	require.NoError(d, json.Unmarshal(d.f.View(view).Stdout, &all))
	return all.Runs
}

// clock is a time of either schema as a person is shown it; empty for none.
func clock(t *testing.T, v jsontext.Value) string {
	t.Helper()
	if v == nil {
		return ""
	}
	var seconds int64
	var at time.Time
	if v.Kind() == '0' {
		require.NoError(t, json.Unmarshal(v, &seconds))
		at = time.Unix(seconds, 0)
	} else {
		require.NoError(t, json.Unmarshal(v, &at))
	}
	return at.UTC().Format(shown)
}

// shown is the form of a time.
const shown = "2006-01-02 15:04:05Z"

// row is what the list of runs shows of it.
func (r run) row(t *testing.T) string {
	session := r.Session
	if session == "" {
		session = "-"
	}
	return strings.Join([]string{r.ID, r.State, r.Kind, session, fmt.Sprint(len(r.Files)), clock(t, r.Created)}, " ")
}

// page is what the page of it begins with: all that is known, a line each, and
// the files.
func (r run) page(t *testing.T) []string {
	var all []string
	field := func(name, value string) {
		if value != "" {
			all = append(all, fmt.Sprintf("%-12s %s", name, value))
		}
	}
	field("run", r.ID)
	field("kind", r.Kind)
	field("state", r.State)
	field("session", r.Session)
	field("conversation", r.Conversation)
	field("harness", r.Harness)
	field("prompt", r.Prompt)
	if r.Exit != nil {
		field("exit", fmt.Sprint(*r.Exit))
	}
	field("worktree", r.Root)
	field("base", r.Base)
	if r.PatchSHA256 != "" {
		field("patch", fmt.Sprintf("%d bytes, sha256 %s", r.PatchSize, r.PatchSHA256))
	}
	field("created", clock(t, r.Created))
	field("started", clock(t, r.Started))
	field("finished", clock(t, r.Finished))
	field("applied", clock(t, r.Applied))
	field("discarded", clock(t, r.Discarded))
	field("failure", r.Failure)
	for _, f := range r.Files {
		switch {
		case f.OldMode == "":
			all = append(all, "  added    "+f.Path)
		case f.NewMode == "":
			all = append(all, "  deleted  "+f.Path)
		case f.OldMode != f.NewMode:
			all = append(all, fmt.Sprintf("  changed  %s (mode %s to %s)", f.Path, f.OldMode, f.NewMode))
		default:
			all = append(all, "  changed  "+f.Path)
		}
	}
	return all
}

// patch is the lines of a run's patch as it lies in the fixture, as far as a
// terminal shows them: not the blanks at the end, and a carriage return as the
// two characters that stand for it.
func (d *desk) patch(r run) []string {
	d.Helper()
	if r.PatchSHA256 == "" {
		return nil
	}
	file, err := fs.Glob(os.DirFS(d.box.Root()), "home/.local/state/stint/projects/*/runs/"+r.ID+"/changes.patch")
	require.NoError(d, err)
	require.Len(d, file, 1)
	text, err := fs.ReadFile(d.th.FS(d, path.Dir(file[0])), path.Base(file[0]))
	require.NoError(d, err)
	all := []string{""}
	for line := range strings.Lines(strings.TrimRight(string(text), "\n")) {
		line = strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "\r", `\r`)
		all = append(all, strings.TrimRight(line, " \t"))
	}
	return all
}

// The size of the terminal: all of a page is on it.
const wide, high = 200, 300

// tui shows the project on a terminal.
func (d *desk) tui() {
	d.Helper()
	d.tmux(append([]string{"new-session", "-d", "-s", "screen", "-x", fmt.Sprint(wide), "-y", fmt.Sprint(high), "-c", d.box.Project(), "-e", "NO_COLOR=1"}, d.today("tui")...)...)
	d.sees("stint  [sessions: ")
}

// sees waits for a screen whose first line begins so.
func (d *desk) sees(first string) {
	d.Helper()
	d.shows(first, func([]string) bool { return true })
}

// shows waits for a screen whose first line begins so and which has below that
// what is wanted: a terminal is drawn piece by piece, the title before the rest.
// It returns what was there at last, without the lines that are empty at the end
// or say what keys do, for the comparison to tell where it is something else.
func (d *desk) shows(first string, wanted func(below []string) bool) (below []string) {
	d.Helper()
	d.hopes(func() bool {
		all := d.drawn()
		if !strings.HasPrefix(all[0], first) {
			below = []string{"no screen that begins with " + first, all[0]}
			return false
		}
		below = strings.Split(strings.TrimRight(strings.Join(all[1:high-1], "\n"), "\n"), "\n")
		return wanted(below)
	})
	return below
}

// says waits for such a line, and returns that which begins alike where there is
// none.
func (d *desk) says(line, begins string) (got string) {
	d.Helper()
	d.hopes(func() bool {
		for _, has := range d.drawn() {
			if strings.HasPrefix(has, begins) {
				got = strings.TrimRight(has, " ")
			}
		}
		return got == line
	})
	return got
}

// drawn is what the terminal shows now.
func (d *desk) drawn() []string {
	d.Helper()
	return strings.Split(d.tmux("capture-pane", "-p", "-t", "=screen:"), "\n")
}

func (d *desk) keys(keys ...string) {
	d.Helper()
	d.tmux(append([]string{"send-keys", "-t", "=screen:", "--"}, keys...)...)
}

// The screen lists every run as the release told of it, shows all that is known
// of each, with its patch, and writes nothing.
func TestScreen(t *testing.T) {
	contracts.AnyPlace(t)
	play(t, "artifacts", whatever, func(d *desk) {
		all := d.runs()
		d.tui()
		d.keys("v", "Tab")
		var want []string
		for _, r := range all {
			want = append(want, r.row(d.T))
		}
		title := fmt.Sprintf("stint  sessions: %d of %[1]d  [runs: %[2]d of %[2]d]", len(d.known()), len(all))
		got := d.shows(title, func(below []string) bool { return slices.Equal(rows(below), want) })
		d.f.Equal(d, "r10.screen.list", rows(got), want)
		for i, r := range all {
			if i > 0 {
				d.keys("Down")
			}
			d.keys("Enter")
			page := append(r.page(d.T), d.patch(r)...)
			got := d.shows("stint  run "+r.ID, func(below []string) bool { return slices.Equal(below, page) })
			d.f.Equal(d, "r10.screen.page", got, page)
			d.keys("Escape")
			d.sees("stint  sessions: ")
		}
		d.f.Unchanged(d)
	})
}

// rows are those of a list, below its head, with one blank between words.
func rows(below []string) (all []string) {
	for _, line := range below[1:] {
		if row := strings.Fields(strings.TrimPrefix(line, ">")); len(row) > 0 && row[0] != "no" {
			all = append(all, strings.Join(row, " "))
		}
	}
	return all
}

// known are the documents of sessions that are there.
func (d *desk) known() []string {
	d.Helper()
	all, err := fs.Glob(os.DirFS(d.box.Root()), "home/.local/state/stint/projects/*/sessions/*/session.json")
	require.NoError(d, err)
	return all
}

// What a key made of a run is said, and then shown.
func TestScreenResult(t *testing.T) {
	contracts.AnyPlace(t)
	play(t, "artifacts", func(f *contracts.Fixture) bool { return f.Scenario == "pending" || f.Scenario == "refused" }, func(d *desk) {
		r := d.runs()[0]
		d.tui()
		d.keys("v", "Tab")
		d.sees("stint  sessions: 1 of 1  [runs: 1 of 1]")
		d.keys("Enter")
		d.sees("stint  run " + r.ID)
		key, ask, state, result := "p", "apply", "applied", fmt.Sprintf("applied run %s: %d files in %s, not committed", r.ID, len(r.Files), d.box.Project())
		if d.f.Scenario == "refused" {
			key, ask, state, result = "d", "discard", "discarded", "discarded run "+r.ID
		}
		d.keys(key)
		d.await("the question", func() bool {
			return slices.ContainsFunc(d.drawn(), func(line string) bool { return strings.HasPrefix(line, ask) })
		})
		began := time.Now().Truncate(time.Second)
		d.keys("y")
		d.f.Equal(d, "r10.screen.result", d.says(result, state+" run"), result)
		is := fmt.Sprintf("%-12s %s", "state", state)
		d.f.Equal(d, "r10.screen.state", d.says(is, "state "), is)
		since := fmt.Sprintf("%-12s ", state)
		d.f.Equal(d, "r10.screen.time", d.hopes(func() bool {
			return slices.ContainsFunc(d.drawn(), func(line string) bool {
				at, err := time.Parse(shown, strings.TrimRight(strings.TrimPrefix(line, since), " "))
				return err == nil && !at.Before(began) && !at.After(time.Now())
			})
		}), true)
	})
}
