package sessions_test

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"
	"golang.org/x/mod/semver"

	"github.com/freeze-contracts/permafrost/contracts"
	"github.com/freeze-contracts/permafrost/internal/stint/runner"
	talk "github.com/freeze-contracts/permafrost/readers/conversation"
)

// saidTalk is all that is told of a conversation.
type saidTalk struct {
	ID, Project, State, Harness, Session, Provider string
	Revision                                       int64
	Runs                                           []string
	Created, Updated, Closed                       string
}

// printedTalk is one in JSON.
type printedTalk struct {
	Schema   int            `json:"schema"`
	ID       string         `json:"id"`
	Project  string         `json:"project_id"`
	Revision int64          `json:"revision"`
	State    string         `json:"state"`
	Harness  string         `json:"harness"`
	Session  string         `json:"session"`
	Provider string         `json:"provider_session"`
	Runs     []string       `json:"runs"`
	Created  jsontext.Value `json:"created_at"`
	Updated  jsontext.Value `json:"updated_at"`
	Closed   jsontext.Value `json:"closed_at"`
	Later    jsontext.Value `json:"later"` // put there by a test, as a field of another release
}

func (p printedTalk) said(t *testing.T) saidTalk {
	t.Helper()
	return saidTalk{p.ID, p.Project, p.State, p.Harness, p.Session, p.Provider, p.Revision, p.Runs,
		moment(t, p.Created), moment(t, p.Updated), moment(t, p.Closed)}
}

// readTalk is what today's reader tells of one.
func readTalk(c *talk.Document) saidTalk {
	return saidTalk{c.ID, c.ProjectID, string(c.State), c.Harness, c.Session, c.ProviderSession, c.Revision, c.Runs,
		given(c.CreatedAt), given(c.UpdatedAt), given(c.ClosedAt)}
}

// converses says whether the release kept conversations.
func converses(f *contracts.Fixture) bool { return semver.Compare(f.Release, "v0.2.0") >= 0 }

// talked says whether there are any in the fixture.
func talked(t *testing.T, f *contracts.Fixture) bool {
	t.Helper()
	return converses(f) && some(t, f, func(m made) bool { return m.talk != none })
}

// conversation is the id of the session's, empty where it has none. That of a
// session which an older release opened was begun by its checkpoint, and the
// session's document does not name it.
func (m made) conversation(t *testing.T, f *contracts.Fixture) string {
	t.Helper()
	if !converses(f) || m.talk == none {
		return ""
	}
	if id := m.said(t, f).Conversation; id != "" {
		return id
	}
	return runs(t, f, "checkpoint")[0].Conversation
}

// told is what the script makes of the session's conversation, but for when it
// was begun and changed, which the release did not say.
func (m made) told(t *testing.T, f *contracts.Fixture) saidTalk {
	t.Helper()
	of := m.said(t, f)
	want := saidTalk{ID: m.conversation(t, f), Project: of.Project, State: cmp.Or(m.talk, "open"), Harness: "codex", Session: of.ID,
		Revision: 1, Runs: []string{}}
	if tell(t, f).saved != nil {
		want.Runs = append(want.Runs, runs(t, f, "checkpoint")[0].ID)
	}
	if want.State == "closed" || len(want.Runs) > 0 && of.Conversation != "" {
		want.Revision = 2
	}
	return want
}

// eachTalk plays all conversations of a fixture, in the order of its sessions.
func eachTalk(t *testing.T, f *contracts.Fixture, fn func(m made, id string)) {
	t.Helper()
	for _, m := range script(t, f) {
		if id := m.conversation(t, f); id != "" {
			fn(m, id)
		}
	}
}

// talkOf is where the document of a conversation lies.
func talkOf(t *testing.T, th *contracts.Thawed, id string) string {
	t.Helper()
	return path.Join(state(t, th), "conversations", id+".json")
}

func storedTalk(t *testing.T, th *contracts.Thawed, id string) []byte {
	t.Helper()
	return []byte(readText(t, th, talkOf(t, th, id)))
}

// Each session that began a conversation has it still, and there is no other.
func TestConversations(t *testing.T) {
	each(t, func(t *testing.T, f *contracts.Fixture, th *contracts.Thawed) {
		r := stint(t, f, th)
		docs, skipped, err := r.Conversations.Documents()
		require.NoError(t, err)
		f.Equal(t, "r11.readable", len(skipped), 0)
		var got, want []saidTalk
		for _, c := range docs {
			got = append(got, readTalk(c))
		}
		eachTalk(t, f, func(m made, id string) {
			onDisk := parse[printedTalk](t, id, storedTalk(t, th, id))
			wrote := onDisk.said(t)
			f.Equal(t, "r11.time", slices.IsSorted([]string{m.said(t, f).Created, wrote.Created, wrote.Updated, ceiling(f)}), true)
			told := m.told(t, f)
			told.Created, told.Updated = wrote.Created, wrote.Created
			if told.Revision > 1 {
				told.Updated = wrote.Updated
			}
			if told.State == "closed" {
				told.Closed = told.Updated
			}
			f.Equal(t, "r11.stored", wrote, told)
			f.Equal(t, "r11.schema", onDisk.Schema, 1)
			want = append(want, wrote)
			c, err := r.Conversations.Get(id)
			if err != nil {
				f.Equal(t, "r11.show", named(err), "none")
				return
			}
			f.Equal(t, "r11.show", readTalk(c), wrote)
		})
		slices.SortFunc(want, func(a, b saidTalk) int { return strings.Compare(a.Created, b.Created) })
		f.Equal(t, "r11.list", got, want)
		if slices.Contains(f.Views(), "conversations") {
			f.Equal(t, "r11.said", saidTalks(t, "conversations", f.View("conversations").Stdout), want)
			f.Equal(t, "r11.said", f.View("conversations").Exit, 0)
		}
		f.Unchanged(t)
	})
}

// ceiling is when the release had done all, to the millisecond.
func ceiling(f *contracts.Fixture) string {
	return f.To.UTC().Add(time.Millisecond).Format(layout)
}

// saidTalks takes apart what conversations list says.
func saidTalks(t *testing.T, from string, b []byte) (all []saidTalk) {
	t.Helper()
	l := parse[struct {
		Conversations []printedTalk `json:"conversations"`
		Unreadable    []unreadable  `json:"unreadable"`
	}](t, from, b)
	require.Empty(t, l.Unreadable, from)
	for _, c := range l.Conversations {
		all = append(all, c.said(t))
	}
	return all
}

// The commands say what the documents say.
func TestConversationsShown(t *testing.T) {
	contracts.Each(t, "sessions", func(t *testing.T, f *contracts.Fixture) {
		if !talked(t, f) {
			return
		}
		th := look(t, f)
		var want []saidTalk
		eachTalk(t, f, func(_ made, id string) {
			c := parse[printedTalk](t, id, storedTalk(t, th, id)).said(t)
			want = append(want, c)
			shown := map[string]string{"conversation": c.ID, "state": c.State, "harness": c.Harness, "session": c.Session, "created": clock(c.Created)}
			if len(c.Runs) > 0 {
				shown["runs"] = strings.Join(c.Runs, " ")
			}
			if c.Closed != "" {
				shown["closed"] = clock(c.Closed)
			}
			f.Equal(t, "r11.text", rows(string(run(t, th, "conversations", "show", id))), shown)
		})
		slices.SortFunc(want, func(a, b saidTalk) int { return strings.Compare(a.Created, b.Created) })
		f.Equal(t, "r11.json", saidTalks(t, "conversations list", run(t, th, "conversations", "list", "--json")), want)
		f.Unchanged(t)
	})
}

// A conversation is closed at the pinned clock, and stays as it is when that is
// done again. Nothing else changes: neither its session nor its runs.
func TestCloseConversation(t *testing.T) {
	contracts.Each(t, "sessions", func(t *testing.T, f *contracts.Fixture) {
		t.Parallel()
		if !talked(t, f) {
			return
		}
		th := thaw(t, f)
		r := stint(t, f, th)
		eachTalk(t, f, func(_ made, id string) {
			edit(t, th.Path(talkOf(t, th, id)), `\A{`, `{"later": {"b": [1, 2]},`)
			f.Settle(t)
			before := parse[printedTalk](t, id, storedTalk(t, th, id)).said(t)
			want := before
			if before.State == "open" {
				want.State, want.Revision = "closed", want.Revision+1
				want.Updated = later(f).UTC().Format(layout)
				want.Closed = want.Updated
			}
			c, already, err := r.CloseConversation(t.Context(), id)
			if err != nil {
				f.Equal(t, "r11.close", named(err), "none")
				return
			}
			f.Equal(t, "r11.close", readTalk(c), want)
			f.Equal(t, "r11.already", already, before.State == "closed")
			f.Unchanged(t, talkOf(t, th, id))
			written := parse[printedTalk](t, id, storedTalk(t, th, id))
			f.Equal(t, "r11.written", written.said(t), want)
			f.Equal(t, "r20.unknown.conversation", compact(written.Later), `{"b":[1,2]}`)
			f.Settle(t)
			c, already, err = r.CloseConversation(t.Context(), id)
			require.NoError(t, err)
			f.Equal(t, "r11.again", []any{already, readTalk(c)}, []any{true, want})
			f.Unchanged(t)
		})
	})
}

// No agent can be called to continue what is said in a session: it told no
// name of it.
func TestSessionIsNoTurn(t *testing.T) {
	contracts.Each(t, "sessions", func(t *testing.T, f *contracts.Fixture) {
		if !talked(t, f) {
			return
		}
		r := stint(t, f, look(t, f))
		eachTalk(t, f, func(m made, id string) {
			want := "the agent told no name of the conversation"
			if m.talk == "closed" {
				want = "it is closed"
			}
			_, err := r.Continue(t.Context(), id, runner.TurnOptions{Prompt: "echo more"})
			f.Equal(t, "r12.continue", saying(err, want), want)
			f.Unchanged(t)
		})
	})
}
