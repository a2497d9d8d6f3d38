package runner

import (
	"testing"

	"github.com/freeze-contracts/permafrost/internal/tmux"
	"github.com/freeze-contracts/permafrost/readers"
	"github.com/google/go-cmp/cmp"
)

// The id in a name is drawn by lot, so no story can have it taken.
func TestFreeName(t *testing.T) {
	names := []string{"stint-a", "stint-a-00112233"}
	for _, test := range []struct {
		name  string
		taken []string
		want  string // empty: refused
	}{
		{"free", nil, "stint-a"},
		{"others that begin alike", []string{"stint-a0", "stint-", "stint"}, "stint-a"},
		{"taken", []string{"x", "stint-a"}, "stint-a-00112233"},
		{"both taken", []string{"stint-a", "stint-a-00112233"}, ""},
	} {
		var panes []tmux.Marked
		for _, session := range test.taken {
			panes = append(panes, tmux.Marked{Pane: tmux.Pane{Session: session}})
		}
		got, err := freeName(names, panes)
		if (err != nil) != (test.want == "") {
			t.Errorf("%s: freeName: %v", test.name, err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: freeName (-want +got)\n%s", test.name, diff)
		}
	}
}

func TestNewID(t *testing.T) {
	seen := make(map[string]bool)
	for range 1000 {
		id := newID()
		if !readers.ID(id) || len(id) != 12 || seen[id] {
			t.Fatalf("newID() = %q", id)
		}
		seen[id] = true
	}
}
