package sessions_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	"github.com/freeze-contracts/permafrost/internal/stint/cli"
	"github.com/freeze-contracts/permafrost/internal/tmux"
	doc "github.com/freeze-contracts/permafrost/readers/session"
)

// Every session is listed as the release told of it: as its document says, and
// with what tmux and git say now.
func TestList(t *testing.T) {
	each(t, func(t *testing.T, f *contracts.Fixture, th *contracts.Thawed) {
		r := stint(t, f, th)
		docs, skipped, err := r.Sessions.Documents()
		require.NoError(t, err)
		f.Equal(t, "r4.readable", len(skipped), 0)
		got := entries(r.Sessions.List(t.Context(), docs))
		f.Equal(t, "r4.list", got, all(t, f))
		for view, state := range tell(t, f).lists {
			f.Equal(t, "r4.said", told(t, f, view), in(all(t, f), state))
		}
		for _, s := range script(t, f) {
			of := s.said(t, f)
			f.Equal(t, "r4.story", fateOf(of, s.Failure), s.fate)
			want := s.purpose
			want.Tmux = cmp.Or(want.Tmux, "stint-"+of.ID)
			f.Equal(t, "r4.purpose", purpose{of.WorkItem, of.Standing, of.Instance, of.TmuxSession}, want)
		}
		f.Unchanged(t)
	})
}

// all are the sessions as the release told of them last, the oldest first.
func all(t *testing.T, f *contracts.Fixture) []said {
	t.Helper()
	var want []said
	for _, s := range script(t, f) {
		want = append(want, s.said(t, f))
	}
	slices.SortFunc(want, func(a, b said) int { return cmp.Or(cmp.Compare(a.Created, b.Created), cmp.Compare(a.ID, b.ID)) })
	return want
}

// in are those in a state, and all of them where it is empty.
func in(all []said, state string) (some []said) {
	for _, s := range all {
		if state == "" || s.State == state {
			some = append(some, s)
		}
	}
	return some
}

// fateOf is what a release told of a session whose failure has this part.
func fateOf(s said, part string) fate {
	if part != "" && strings.Contains(s.Failure, part) {
		s.Failure = part
	}
	return fate{s.State, s.Live, s.Stale, s.Revision, s.Opened != "", s.Failure}
}

// The command shows the open ones, unless it is told otherwise. Whether one
// lives is not asked here: there is no tmux server. Which states are shown is the
// same in any place; what is shown there is TestShown's.
func TestListed(t *testing.T) {
	contracts.AnyPlace(t)
	empty := make(map[doc.State]int) // how often it was asked for with nothing in it
	contracts.Each(t, "sessions", func(t *testing.T, f *contracts.Fixture) {
		th := look(t, f)
		if some(t, f, func(m made) bool { return m.State == "closed" }) {
			th = thaw(t, f) // where it is listed however long ago it was closed
			edit(t, th.Path("project/stint.toml"), `retention_days = \d+`, "retention_days = 0")
		}
		show := func(args ...string) []said {
			shown := sessions(t, strings.Join(args, " "), run(t, th, append([]string{"session", "list", "--json"}, args...)...))
			for i := range shown {
				shown[i] = shown[i].document()
			}
			return shown
		}
		want := func(state string) (docs []said) {
			for _, s := range in(all(t, f), state) {
				docs = append(docs, s.document())
			}
			return docs
		}
		f.Equal(t, "r4.default", show(), want("open"))
		f.Equal(t, "r4.all", show("--all"), want(""))
		// Those that a session is in, and one that none is in, unless there was
		// nothing to show by default, where open is asked for: three processes of git
		// are spared for each, and no state is left out of all fixtures.
		states := slices.DeleteFunc(doc.States(), func(s doc.State) bool { return s == doc.Open })
		slices.SortStableFunc(states, func(a, b doc.State) int { return empty[a] - empty[b] })
		none := len(want("open")) == 0
		for _, state := range states {
			if len(want(string(state))) == 0 {
				if none {
					continue
				}
				none = true
				empty[state]++
			}
			f.Equal(t, "r4.state", show("--state", string(state)), want(string(state)))
		}
	})
}

// run runs today's command in the thawed project.
func run(t *testing.T, th *contracts.Thawed, args ...string) []byte {
	t.Helper()
	t.Chdir(th.Path("project"))
	var stdout, stderr bytes.Buffer
	require.Zero(t, cli.Main(args, env(th), os.Stdin, &stdout, &stderr), "%q: %s", args, &stderr)
	return stdout.Bytes()
}

// edit replaces the one place of a file that matches.
func edit(t *testing.T, name, pattern, to string) {
	t.Helper()
	b, err := os.ReadFile(name)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(name, spoil(t, b, pattern, to), 0o600))
}

func spoil(t *testing.T, b []byte, pattern, to string) []byte {
	t.Helper()
	re := regexp.MustCompile(pattern)
	require.Len(t, re.FindAll(b, -1), 1, "places that match %q in\n%s", pattern, b)
	return re.ReplaceAll(b, []byte(to))
}

// Whether a session lives is asked of tmux, whatever its document says.
func TestLive(t *testing.T) {
	contracts.AnyPlace(t)
	each(t, func(t *testing.T, f *contracts.Fixture, th *contracts.Thawed) {
		r := undated(t, f, th)
		for _, s := range script(t, f) {
			d, err := r.Sessions.Get(s.said(t, f).ID)
			require.NoError(t, err)
			probed := func(name, want string) {
				t.Helper()
				e := r.Sessions.Probe(t.Context(), d)
				got := string(e.Live)
				if e.Why != "" {
					got += ", and says why"
				}
				// Nothing is left of a closed one that could live.
				if s.State == "closed" {
					want = "absent"
				}
				f.Equal(t, "r4.live."+name, got, want)
			}
			for _, c := range []struct {
				name string
				pane func(p *tmux.Marked)
				want string
			}{
				{"live", func(*tmux.Marked) {}, "live"},
				{"dead", func(p *tmux.Marked) { p.Dead = true }, "dead"},
				{"unmarked", func(p *tmux.Marked) { p.Mark = "" }, "absent, and says why"},
				{"of-another", func(p *tmux.Marked) { p.Mark += "0" }, "absent, and says why"},
				{"elsewhere", func(p *tmux.Marked) { p.Start = th.Path("project") }, "absent, and says why"},
				{"moved", func(p *tmux.Marked) { p.Session = "work" }, "absent"},
				{"longer-name", func(p *tmux.Marked) { p.Session += "0" }, "absent"},
			} {
				p := made{}.pane(s.said(t, f))
				c.pane(&p)
				r.Sessions.Panes = answering(th, []tmux.Marked{p})
				probed(c.name, c.want)
			}
			r.Sessions.Panes = nobody
			probed("absent", "absent")
			r.Sessions.Panes = mute
			probed("unknown", "unknown, and says why")
		}
		f.Unchanged(t)
	})
}

// Stale is compared in the stored version, and no other one is computed.
func TestStale(t *testing.T) {
	contracts.Each(t, "sessions", func(t *testing.T, f *contracts.Fixture) {
		th := thaw(t, f)
		r := stint(t, f, th)
		now := r.Sessions.Fingerprint
		var asked []string
		r.Sessions.Fingerprint = func(ctx context.Context, version string) (string, error) {
			asked = append(asked, version)
			if version == "v7" {
				return "v7:abc", nil
			}
			return now(ctx, version)
		}
		stale := func(id, stored, want string) {
			t.Helper()
			asked = nil
			for _, s := range script(t, f) {
				d, err := r.Sessions.Get(s.said(t, f).ID)
				require.NoError(t, err)
				if stored != "" {
					d.Fingerprint = stored
				}
				if want == "" {
					f.Equal(t, id, string(r.Sessions.Probe(t.Context(), d).Stale), s.Stale)
				} else {
					f.Equal(t, id, string(r.Sessions.Probe(t.Context(), d).Stale), want)
				}
			}
		}
		stale("r4.stale", "", "")
		f.Equal(t, "r4.stale.version", slices.Compact(asked), []string{"v1"})
		stale("r4.stale.same", "v7:abc", "fresh")
		stale("r4.stale.other", "v7:abd", "stale")
		f.Equal(t, "r4.stale.version", slices.Compact(asked), []string{"v7"})
		stale("r4.stale.unknown", "v8:abc", "unknown")
		require.NoError(t, os.WriteFile(th.Path("project/later.md"), nil, 0o600))
		stale("r4.stale.file", "", "stale")
		r.Sessions.Fingerprint = func(context.Context, string) (string, error) { return "", errors.New("git does not answer") }
		stale("r4.stale.no-answer", "", "unknown")
	})
}

// documentOf is where the document of a session lies.
func documentOf(t *testing.T, th *contracts.Thawed, id string) string {
	t.Helper()
	return path.Join(state(t, th), doc.File(id))
}
