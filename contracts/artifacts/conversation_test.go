package artifacts_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	"github.com/freeze-contracts/permafrost/readers"
	"github.com/freeze-contracts/permafrost/readers/artifact"
	talks "github.com/freeze-contracts/permafrost/readers/conversation"
)

// spoken is a conversation as a release printed or wrote it, taken apart without
// the reader.
type spoken struct {
	Schema          int            `json:"schema"`
	ID              string         `json:"id"`
	ProjectID       string         `json:"project_id"`
	Revision        int64          `json:"revision"`
	CreatedAt       moment         `json:"created_at"`
	UpdatedAt       moment         `json:"updated_at"`
	State           string         `json:"state"`
	Harness         string         `json:"harness"`
	Session         string         `json:"session"`
	ProviderSession string         `json:"provider_session"`
	Runs            []string       `json:"runs"`
	ClosedAt        moment         `json:"closed_at"`
	Later           jsontext.Value `json:"later"` // put there by a test, as a field of another release
}

// document is what today's reader is wanted to make of it.
func (s spoken) document() *talks.Document {
	return &talks.Document{
		Head: readers.Head{Schema: s.Schema, ID: s.ID, ProjectID: s.ProjectID, Revision: s.Revision,
			CreatedAt: s.CreatedAt.time(), UpdatedAt: s.UpdatedAt.time()},
		State: talks.State(s.State), Harness: s.Harness, Session: s.Session, ProviderSession: s.ProviderSession,
		Runs: s.Runs, ClosedAt: s.ClosedAt.time(),
	}
}

// wrote is the one conversation as it is on disk.
func (p place) wrote(t *testing.T) *talks.Document {
	t.Helper()
	return p.onDisk(t).document()
}

func (p place) onDisk(t *testing.T) (s spoken) {
	t.Helper()
	b, err := fs.ReadFile(p.th.FS(t, "."), p.talkFile())
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, &s, json.RejectUnknownMembers(true)))
	return s
}

// saidTalks are the conversations in an answer of the release.
func (p place) saidTalks(t *testing.T, view string) (all []*talks.Document) {
	t.Helper()
	var answer struct {
		Conversations []spoken `json:"conversations"`
		Conversation  *spoken  `json:"conversation"`
		Unreadable    []string `json:"unreadable"`
		Already       bool     `json:"already_closed"`
	}
	p.decode(t, view, &answer)
	require.Empty(t, answer.Unreadable)
	require.False(t, answer.Already)
	if answer.Conversation != nil {
		answer.Conversations = append(answer.Conversations, *answer.Conversation)
	}
	for _, c := range answer.Conversations {
		all = append(all, c.document())
	}
	return all
}

// talkViews are those that tell of the conversation as it is at the end.
var talkViews = map[string][]string{
	"binaries": {"conversations"}, "continued": {"conversations", "show"}, "interrupted": {"conversations"},
	"pruned": {"conversations", "close"}, "run": {"conversations"}, "run-failed": {"conversations"}, "running": {"conversations"}, "twice": {"conversations"}, "upgraded": {"conversations"},
}

// The one conversation is what the release wrote and said, and what was done.
// A release that kept none has none.
func TestConversations(t *testing.T) {
	every(t, func(t *testing.T, p place) {
		f, r := p.f, p.runner(t)
		all, skipped, err := r.Conversations.Documents()
		require.NoError(t, err)
		f.Equal(t, "r11.readable", len(skipped), 0)
		if p.talkID == "" {
			f.Equal(t, "r11.none", len(all), 0)
			return
		}
		wrote := p.wrote(t)
		f.Equal(t, "r11.list", all, []*talks.Document{wrote})
		for _, view := range talkViews[f.Scenario] {
			f.Equal(t, "r11.said", p.saidTalks(t, view), all)
		}
		got, err := r.Conversations.Get(p.talkID)
		f.Equal(t, "r11.show", named(err), "none")
		f.Equal(t, "r11.told", got, p.toldTalk(t, wrote))
		f.Equal(t, "r11.zone", got.UpdatedAt.Location().String(), "UTC")
		f.Unchanged(t)
	})
}

// toldTalk is what is told of the conversation, but for the moments, which the
// script does not tell: only that it was made first and changed last.
func (p place) toldTalk(t *testing.T, wrote *talks.Document) *talks.Document {
	t.Helper()
	want := &talks.Document{
		Head: readers.Head{Schema: 1, ID: p.talkID, ProjectID: p.store.ProjectID, Revision: p.talk.revision,
			CreatedAt: wrote.CreatedAt, UpdatedAt: wrote.UpdatedAt},
		State: talks.State(p.talk.state), Harness: "codex", Session: p.sessionID,
	}
	var made []*artifact.Manifest
	for i, m := range p.listed(t) {
		if p.talked(p.runs[i]) {
			made, want.Runs = append(made, m), append(want.Runs, m.ID)
		}
	}
	if len(made) == 0 { // it was pruned
		gone := p.answered(t, "run")
		made, want.Runs = append(made, gone), []string{gone.ID}
	}
	if p.talk.named {
		want.ProviderSession = made[0].ProviderSession
	}
	if want.State == talks.Closed {
		want.ClosedAt = wrote.UpdatedAt
	}
	p.f.Equal(t, "r11.time", wrote.CreatedAt.After(made[0].CreatedAt.Time) || wrote.UpdatedAt.Before(wrote.CreatedAt.Time), false)
	return want
}

// A conversation is closed at the pinned clock, and stays as it is when that is
// done again. Nothing else changes: neither its session nor its runs. What
// another release put there is kept.
func TestCloseConversation(t *testing.T) {
	spoke(t, func(t *testing.T, p place) {
		p.edit(t, p.talkFile(), `\A\{`, `{"later": `+later+`,`)
		f, r := p.f, p.runner(t)
		f.Settle(t)
		want, was := p.wrote(t), p.talk.state == "closed"
		if !was {
			want.State, want.Revision, want.UpdatedAt, want.ClosedAt = talks.Closed, want.Revision+1, p.at(), p.at()
		}
		for _, id := range []string{"r11.close", "r11.again"} {
			c, already, err := r.CloseConversation(t.Context(), p.talkID)
			require.NoError(t, err)
			f.Equal(t, "r20.unknown.conversation", compact(t, c.Unknown), `{"later":`+later+`}`)
			c.Unknown = nil
			f.Equal(t, id, c, want)
			f.Equal(t, id+".already", already, was)
			f.Equal(t, id+".written", p.wrote(t), want)
			f.Equal(t, "r20.unknown.conversation", compact(t, p.onDisk(t).Later), later)
			f.Unchanged(t, p.talkFile())
			was = true
		}
	})
}

// spoke thaws the fixtures of releases that kept conversations.
func spoke(t *testing.T, do func(t *testing.T, p place)) {
	t.Helper()
	spokeIn(t, thaw, do)
}

// spokeLooked is spoke for a test that writes nothing.
func spokeLooked(t *testing.T, do func(t *testing.T, p place)) {
	t.Helper()
	spokeIn(t, look, do)
}

func spokeIn(t *testing.T, thaw func(*testing.T, *contracts.Fixture) place, do func(t *testing.T, p place)) {
	t.Helper()
	contracts.Each(t, "artifacts", func(t *testing.T, f *contracts.Fixture) {
		t.Parallel()
		if converses(f) {
			do(t, thaw(t, f))
		}
	})
}

// talkDamages are the ways in which the document of a conversation of turns is
// not what a release wrote. Those of any conversation are played by the suite
// of the family sessions.
var talkDamages = []damage{
	{"r19.conversation.newer", editing(`"schema": \d+`, `"schema": 999`), "newer: 999"},
	{"r19.conversation.empty", func(*testing.T, []byte) []byte { return nil }, "corrupt at "},
	{"r19.conversation.state", editing(`"state": "\w+"`, `"state": "paused"`), "corrupt at /state"},
	{"r19.conversation.state-empty", editing(`"state": "\w+"`, `"state": ""`), "corrupt at /state"},
	{"r19.conversation.no-state", editing(`"state": "\w+",`, ""), "corrupt at /state"},
	{"r19.conversation.harness", editing(`"harness": "\w+"`, `"harness": ""`), "corrupt at /harness"},
	{"r19.conversation.runs-type", editing(`(?s)"runs": \[.*?\]`, `"runs": "none"`), "corrupt at /runs"},
	{"r19.conversation.run-path", editing(`(?s)"runs": \[.*?\]`, `"runs": ["../other"]`), "corrupt at /runs/0"},
	{"r19.conversation.time-type", editing(`"created_at": "[^"]+"`, `"created_at": 1796047257`), "corrupt at /created_at"},
	{"r19.conversation.project", editing(`"project_id": "\w+"`, `"project_id": "another"`), "another project_id"},
}

// A conversation that does not read is not continued, by its own id or by that
// of a turn, and not closed. It stays as it is.
func TestConversationDamage(t *testing.T) {
	contracts.AnyPlace(t)
	spoke(t, func(t *testing.T, p place) {
		f, r, name := p.f, p.runner(t), p.th.Path(p.talkFile())
		whole, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, d := range talkDamages {
			require.NoError(t, os.WriteFile(name, d.spoil(t, whole), 0o600))
			before := fileAt(t, name)
			_, err := r.Conversations.Get(p.talkID)
			f.Equal(t, d.id, named(err), d.want)
			_, skipped, err := r.Conversations.Documents()
			require.NoError(t, err)
			f.Equal(t, d.id+".unreadable", reasons(skipped), []string{d.want + ": " + name})
			_, _, err = r.CloseConversation(t.Context(), p.talkID)
			f.Equal(t, d.id+".close", named(err), d.want)
			f.Equal(t, d.id+".bytes", fileAt(t, name), before)
		}
		f.Unchanged(t, p.talkFile())
	})
}

// Cut at each byte, a conversation is corrupt, and never a smaller one.
func TestConversationCut(t *testing.T) {
	contracts.AnyPlace(t)
	spokeLooked(t, func(t *testing.T, p place) {
		b, err := fs.ReadFile(p.th.FS(t, "."), p.talkFile())
		require.NoError(t, err)
		var wrong []string
		for n := range bytes.TrimSuffix(b, []byte("\n")) {
			if _, err := talks.Parse("cut", b[:n]); !strings.HasPrefix(named(err), "corrupt at ") {
				wrong = append(wrong, fmt.Sprintf("%d bytes: %s", n, named(err)))
			}
		}
		p.f.Equal(t, "r19.conversation.truncated", wrong, []string(nil))
	})
}
