package runner_test

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"
	"golang.org/x/mod/semver"

	"github.com/freeze-contracts/permafrost/contracts"
)

// views are, by scenario, those in which the release told of each session last.
var views = map[string][]string{
	"open": {"show"}, "checkpointed": {"show"}, "ended": {"show"}, "stale": {"show"}, "path-id": {"show"},
	"closing": {"show"}, "not-closed": {"show"}, "creating": {"show"}, "recovery-required": {"show"},
	"not-opened": {"show"}, "closed": {"show"}, "work-item": {"show"},
	"several": {"closed", "creating", "list"}, "standing": {"closed", "list"},
	"recovered": {"list"}, "returned": {"list"}, "upgraded": {"closed"}, "renamed": {"open"},
}

// session is one as it was told of, by a release or by today's program.
type session struct {
	ID, State, WorkItem, Standing, Instance string
	Live, Stale                             string
	Worktree, RunRoot, Name, Socket         string
}

// printed is one in JSON: v0.1.2 has paths and tmux at the top, later releases
// have them grouped.
type printed struct {
	ID       string `json:"id"`
	State    string `json:"state"`
	WorkItem string `json:"work_item"`
	Standing string `json:"standing"`
	Instance string `json:"instance"`
	Live     string `json:"live"`
	Stale    string `json:"staleness"`

	Worktree string `json:"worktree"`
	RunRoot  string `json:"run_root"`
	Name     string `json:"tmux_session"`
	Socket   string `json:"tmux_socket"`
	Paths    struct {
		Worktree string `json:"worktree"`
		RunRoot  string `json:"run_root"`
	} `json:"paths"`
	Tmux struct {
		Session string `json:"session"`
		Socket  string `json:"socket"`
	} `json:"tmux"`
}

func (p printed) session() session {
	s := session{p.ID, p.State, p.WorkItem, p.Standing, p.Instance, p.Live, p.Stale, p.Worktree, p.RunRoot, p.Name, p.Socket}
	if s.Worktree == "" {
		s.Worktree, s.RunRoot, s.Name, s.Socket = p.Paths.Worktree, p.Paths.RunRoot, p.Tmux.Session, p.Tmux.Socket
	}
	return s
}

// called is how restart calls it.
func (s session) called() string {
	if s.WorkItem != "" {
		return s.WorkItem
	}
	return s.ID
}

// runs says whether its program ran when it was frozen.
func (s session) runs() bool { return s.State == "open" && s.Live == "live" }

// sessions are those of the fixture, as the release told of them last.
func (d *desk) sessions() []session {
	d.Helper()
	names, ok := views[d.f.Scenario]
	if !ok {
		d.Fatalf("scenario %q: this suite does not know where the release told of its sessions; tell it in views", d.f.Scenario)
	}
	var all []session
	for _, name := range names {
		told := parse(d, name, d.f.View(name).Stdout)
		require.Len(d, told, 1, name)
		all = append(all, told[0])
	}
	return all
}

// only is the one session of the fixture.
func (d *desk) only() session {
	d.Helper()
	all := d.sessions()
	require.Len(d, all, 1)
	return all[0]
}

// parse takes apart an answer about sessions, of whatever release.
func parse(d *desk, from string, answer []byte) []session {
	d.Helper()
	var of struct {
		Session  *printed  `json:"session"`
		Sessions []printed `json:"sessions"`
	}
	require.NoError(d, json.Unmarshal(answer, &of), "%s: %s", from, answer)
	if of.Session != nil {
		of.Sessions = append(of.Sessions, *of.Session)
	}
	var all []session
	for _, p := range of.Sessions {
		all = append(all, p.session())
	}
	return all
}

// since says whether the fixture is of that release or a later one.
func since(f *contracts.Fixture, version string) bool { return semver.Compare(f.Release, version) >= 0 }

// given are the variables that the release gave to the program of a session,
// as NAME=value; and after the release that began to, those which it hid.
func (d *desk) given(s session) (set, hidden []string) {
	set = []string{"STINT_SESSION_ID=" + s.ID, "STINT_RUN_DIR=" + s.RunRoot, "STINT_MEMORY_DIR=" + s.Worktree + "/docs/memory"}
	if !since(d.f, "v0.2.0") {
		return set, nil
	}
	set = append(set, "STINT_CONFIG="+d.th.Path("project/stint.toml"))
	for _, v := range [][2]string{{"STINT_WORK_ITEM", s.WorkItem}, {"STINT_INSTANCE", s.Instance}, {"STINT_ENV_NAMES", strings.Join(d.declared(), " ")}} {
		if v[1] == "" {
			hidden = append(hidden, v[0])
		} else {
			set = append(set, v[0]+"="+v[1])
		}
	}
	if len(d.declared()) > 0 {
		set = append(set, "DEMO_PLACE=a place with  spaces", "DEMO_EMPTY=")
	}
	return set, hidden
}

// declared are the names that the release's own env file had.
func (d *desk) declared() []string {
	if d.f.Scenario == "standing" {
		return []string{"DEMO_EMPTY", "DEMO_PLACE"}
	}
	return nil
}
