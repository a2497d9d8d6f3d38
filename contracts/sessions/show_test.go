package sessions_test

import (
	"fmt"
	"io/fs"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	"github.com/freeze-contracts/permafrost/internal/stint/session"
	"github.com/freeze-contracts/permafrost/internal/stint/text"
)

func TestShow(t *testing.T) {
	each(t, func(t *testing.T, f *contracts.Fixture, th *contracts.Thawed) {
		r := stint(t, f, th)
		for _, s := range script(t, f) {
			want := s.said(t, f)
			d, err := r.Sessions.Get(want.ID)
			if err != nil {
				f.Equal(t, "r5.show", named(err), "none")
				continue
			}
			f.Equal(t, "r5.show", read(d), want.document())

			// In the version that it has on disk, also where it is written again.
			onDisk := parse[printed](t, "document", stored(t, th, want.ID))
			f.Equal(t, "r5.fingerprint", d.Fingerprint, onDisk.Fingerprint)
			b, err := d.Encode()
			require.NoError(t, err)
			f.Equal(t, "r5.fingerprint", parse[printed](t, "encoded", b).Fingerprint, want.Fingerprint)
			f.Equal(t, "r5.stored", onDisk.said(t), want.document())

			span := cmpopts.EquateApproxTime(f.To.Sub(f.From) + time.Second)
			f.Equal(t, "r5.time", d.CreatedAt.Time, f.To, span)
			f.Equal(t, "r5.base", d.Base, line(f, "head"))
		}
		f.Unchanged(t)
	})
}

// What the release told when it opened a session, and as it closed one, is
// what is known of it now, but for what has happened since.
func TestToldBefore(t *testing.T) {
	each(t, func(t *testing.T, f *contracts.Fixture, th *contracts.Thawed) {
		r := stint(t, f, th)
		before := func(last string) said {
			d, err := r.Sessions.Get(told(t, f, last)[0].ID)
			require.NoError(t, err)
			return read(d)
		}
		for view, last := range tell(t, f).opened {
			was := before(last)
			was.State, was.Revision, was.Updated, was.Closed, was.Failure = "open", 2, was.Opened, "", ""
			was.Live, was.Stale = "live", "fresh"
			f.Equal(t, "r5.opened", told(t, f, view)[0], was)
		}
		for view, already := range tell(t, f).closes {
			a := parse[answer](t, view, f.View(view).Stdout)
			f.Equal(t, "r8.said", a.Session.said(t).document(), before(script(t, f)[0].view))
			f.Equal(t, "r8.said", *a.Already, already)
			f.Equal(t, "r8.said", a.Discarded, []string{})
			f.Equal(t, "r8.said", f.View(view).Exit, 0)
		}
		for _, view := range tell(t, f).refused {
			said := f.View(view)
			f.Equal(t, "r6.said", fmt.Sprintf("%d %s", said.Exit, said.Stdout), "1 ")
		}
	})
}

// The rendered form has all that the release told. Whether it lives is not
// asked for the list: there is no tmux server. Whether it is stale is as the list
// has it.
func TestShown(t *testing.T) {
	contracts.Each(t, "sessions", func(t *testing.T, f *contracts.Fixture) {
		th := look(t, f)
		list := string(run(t, th, "session", "list", "--all"))
		r := undated(t, f, th)
		for _, s := range script(t, f) {
			want := s.said(t, f)
			row := strings.Fields(strings.Split(list, want.ID)[1])
			f.Equal(t, "r5.text.list", []string{row[0], row[2], row[3]}, []string{want.State, want.Stale, want.Harness})
			d, err := r.Sessions.Get(want.ID)
			require.NoError(t, err)
			e := r.Sessions.Probe(t.Context(), d)
			e.Stale = session.Staleness(row[2])
			var form strings.Builder
			text.Session(&form, e, "")
			got := rows(form.String())
			shown := map[string]string{
				"session": want.ID, "state": want.State, "live": want.Live, "repository": want.Repository + " (" + want.Stale + ")",
				"harness": want.Harness, "branch": want.Branch, "base": want.Base, "fingerprint": want.Fingerprint,
				"worktree": want.Worktree, "run root": want.RunRoot, "tmux": want.TmuxSession + " on " + want.TmuxSocket,
				"created": clock(want.Created), "opened": clock(want.Opened), "closed": clock(want.Closed),
				"revision": fmt.Sprint(want.Revision), "failure": want.Failure, "for": shownFor(want),
				"instance": want.Instance, "conversation": want.Conversation,
			}
			maps.DeleteFunc(shown, func(_, value string) bool { return value == "" })
			f.Equal(t, "r5.text", got, shown)
		}
		f.Unchanged(t)
	})
}

// shownFor is what a session is for, as a person is shown it.
func shownFor(s said) string {
	switch {
	case s.WorkItem != "":
		return s.WorkItem
	case s.Standing != "":
		return "standing " + s.Standing
	}
	return "-"
}

// rows takes apart a name of up to 12 columns and a value on each line.
func rows(text string) map[string]string {
	all := make(map[string]string)
	for line := range strings.Lines(text) {
		all[strings.TrimSpace(line[:12])] = strings.TrimSpace(line[12:])
	}
	return all
}

// clock is a time as a person is shown it: to the second, in UTC.
func clock(t string) string {
	if t == "" {
		return "-"
	}
	return strings.Replace(t[:len("2006-01-02T15:04:05")], "T", " ", 1) + "Z"
}

// line is what a view of one line says.
func line(f *contracts.Fixture, view string) string {
	return strings.TrimSuffix(string(f.View(view).Stdout), "\n")
}

// stored is the bytes of a session's document.
func stored(t *testing.T, th *contracts.Thawed, id string) []byte {
	t.Helper()
	return []byte(readText(t, th, documentOf(t, th, id)))
}

// readText is what a file of the box says.
func readText(t *testing.T, th *contracts.Thawed, box string) string {
	t.Helper()
	b, err := fs.ReadFile(th.FS(t, "."), box)
	require.NoError(t, err)
	return string(b)
}
