package sessions_test

import (
	"flag"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"
	"golang.org/x/mod/semver"

	"github.com/freeze-contracts/permafrost/contracts"
)

// difference is where today's code deliberately answers otherwise than the
// releases before one did.
type difference struct {
	before   string
	from, to string                              // pointers into the release's answer and into today's
	as       func(t *testing.T, v string) string // what became of the value, nil where it is the same
	why      string
}

// differences are all of them. One that no fixture needs any more fails.
var differences = []difference{
	{"v0.2.0", "/schema", "/schema", func(*testing.T, string) string { return "2" }, "a document is upgraded as it is read"},
	{"v0.2.0", "/created_at", "/created_at", fromSeconds, inSeconds},
	{"v0.2.0", "/updated_at", "/updated_at", fromSeconds, inSeconds},
	{"v0.2.0", "/opened_at", "/opened_at", fromSeconds, inSeconds},
	{"v0.2.0", "/closed_at", "/closed_at", fromSeconds, inSeconds},
	{"v0.2.0", "/repository", "/paths/repository", nil, ungrouped},
	{"v0.2.0", "/workspace_root", "/paths/workspace_root", nil, ungrouped},
	{"v0.2.0", "/worktree", "/paths/worktree", nil, ungrouped},
	{"v0.2.0", "/run_root", "/paths/run_root", nil, ungrouped},
	{"v0.2.0", "/tmux_session", "/tmux/session", nil, ungrouped},
	{"v0.2.0", "/tmux_socket", "/tmux/socket", nil, ungrouped},
}

const (
	inSeconds = "schema 1 had times in seconds since 1970, which order nothing that happens within one"
	ungrouped = "schema 1 had all at the top"
)

func fromSeconds(t *testing.T, v string) string {
	t.Helper()
	seconds, err := strconv.ParseInt(v, 10, 64)
	require.NoError(t, err)
	return strconv.Quote(time.Unix(seconds, 0).UTC().Format(layout))
}

// What session show says of a session is what the release said of it last,
// member for member, but for the differences and whether it lives: there is no
// tmux server.
func TestAnswers(t *testing.T) {
	needed := make(map[string]bool)
	contracts.Each(t, "sessions", func(t *testing.T, f *contracts.Fixture) {
		th := look(t, f)
		for _, s := range script(t, f) {
			released := members(t, f.View(s.view).Stdout)
			today := members(t, run(t, th, "session", "show", s.said(t, f).ID, "--json"))
			delete(released, "/live")
			delete(today, "/live")
			want := make(map[string]string)
			for pointer, value := range released {
				want[pointer] = value
			}
			for _, d := range differences {
				value, there := released[d.from]
				if !there || semver.Compare(f.Release, d.before) >= 0 {
					continue
				}
				needed[d.from] = true
				f.Equal(t, "r5.difference", today[d.from] == value, false)
				delete(want, d.from)
				if d.as != nil {
					value = d.as(t, value)
				}
				want[d.to] = value
			}
			f.Equal(t, "r5.answer", today, want)
		}
		f.Unchanged(t)
	})
	if strings.Contains(flag.Lookup("test.run").Value.String(), "/") {
		return // some of the fixtures were left out
	}
	for _, d := range differences {
		if !needed[d.from] {
			t.Errorf("difference %q before %s (%s): no fixture needs it", d.from, d.before, d.why)
		}
	}
}

// members are those of the one session in an answer, by pointer.
func members(t *testing.T, answer []byte) map[string]string {
	t.Helper()
	of := parse[struct {
		Session    jsontext.Value   `json:"session"`
		Sessions   []jsontext.Value `json:"sessions"`
		Unreadable []unreadable     `json:"unreadable"`
	}](t, "session", answer)
	one := append(slices.DeleteFunc([]jsontext.Value{of.Session}, func(v jsontext.Value) bool { return v == nil }), of.Sessions...)
	require.Len(t, one, 1)
	all := make(map[string]string)
	flatten(t, "", one[0], all)
	return all
}

func flatten(t *testing.T, at string, v jsontext.Value, into map[string]string) {
	t.Helper()
	if v.Kind() != '{' {
		into[at] = compact(v)
		return
	}
	for name, member := range parse[map[string]jsontext.Value](t, at, v) {
		flatten(t, at+"/"+name, member, into)
	}
}
