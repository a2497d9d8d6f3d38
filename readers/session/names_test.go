package session_test

import (
	"strings"
	"testing"

	"github.com/freeze-contracts/permafrost/readers"
	"github.com/freeze-contracts/permafrost/readers/session"
	"github.com/google/go-cmp/cmp"
)

// The names that the tmux session of a document may have, by what it is for,
// each also with the beginning of the project's id behind it.
func TestTmuxNames(t *testing.T) {
	const project = "00112233445566778899aabbccddeeff"
	for _, test := range []struct {
		name, project string
		document      session.Document
		want          []string
	}{
		{"id", project, session.Document{}, []string{"stint-4k8x", "stint-4k8x-00112233"}},
		{"work item", project, session.Document{WorkItem: "github:octo/re.po_x#15"}, []string{"stint-github-octo-re-po_x-15", "stint-github-octo-re-po_x-15-00112233"}},
		{"standing", project, session.Document{Standing: "night-shift"}, []string{"stint-standing-night-shift", "stint-standing-night-shift-00112233"}},
		{"short project id", "ab", session.Document{}, []string{"stint-4k8x", "stint-4k8x-ab"}},
	} {
		d := test.document
		d.ID = "4k8x"
		got := session.Place{ProjectID: test.project}.TmuxNames(&d)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: TmuxNames (-want +got)\n%s", test.name, diff)
		}
		for _, name := range got {
			d.ProjectID, d.Branch, d.Tmux.Session = test.project, session.Branch(d.ID), name
			place := session.Place{ProjectID: test.project, StateDir: "/s", Repository: "/r"}
			d.Paths = session.Paths{Repository: "/r", WorkspaceRoot: place.WorkspaceRoot(d.ID), Worktree: place.Worktree(d.ID), RunRoot: place.RunRoot(d.ID)}
			if err := d.Bind(place); err != nil || !readers.Name(name) {
				t.Errorf("%s: %q is no name that binds: %v", test.name, name, err)
			}
		}
	}
}

func TestSlug(t *testing.T) {
	for _, test := range []struct{ item, want string }{
		{"github:octo/repo#15", "github-octo-repo-15"},
		{"github:a-b/c#1", "github-a-b-c-1"},
		{"github:a/b-c#1", "github-a-b-c-1"},
		{"github:a/.x_y#1", "github-a--x_y-1"},
	} {
		if diff := cmp.Diff(test.want, session.Slug(test.item)); diff != "" {
			t.Errorf("Slug(%q) (-want +got)\n%s", test.item, diff)
		}
	}
}

func TestNames(t *testing.T) {
	owner, repo := strings.Repeat("o", 39), strings.Repeat("r", 100)
	for _, test := range []struct {
		name  string
		check func(string) bool
		yes   []string
		no    []string
	}{
		{
			"WorkItem", session.WorkItem,
			[]string{"github:octo/repo#15", "github:a/b#1", "github:a-b/.c_d-#9999999999", "github:" + owner + "/" + repo + "#1"},
			[]string{
				"", "octo/repo#15", "github:octo/repo", "github:octo/repo#0", "github:octo/repo#015", "github:octo/repo#1 ", "github:octo/repo#1\n",
				"github:Octo/repo#1", "github:octo/Repo#1", "github:-o/repo#1", "github:o-/repo#1", "github:o--o/repo#1", "github:o/a/b#1", "gitlab:octo/repo#1",
				"github:octo/#1", "github:/repo#1", "github:octo/repo#10000000000", "github:o" + owner + "/repo#1", "github:o/r" + repo + "#1",
				"github:o/.#1", "github:o/..#1",
			},
		},
		{
			"StandingName", session.StandingName,
			[]string{"a", "night-shift", strings.Repeat("a", 32)},
			[]string{"", "-a", "a-", "A", "a_b", "a.b", "a/b", strings.Repeat("a", 33)},
		},
	} {
		for _, s := range test.yes {
			if !test.check(s) {
				t.Errorf("%s(%q) = false", test.name, s)
			}
		}
		for _, s := range test.no {
			if test.check(s) {
				t.Errorf("%s(%q) = true", test.name, s)
			}
		}
	}
}
