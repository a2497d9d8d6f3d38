package sessions_test

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	"github.com/freeze-contracts/permafrost/internal/stint/cli"
	"github.com/freeze-contracts/permafrost/internal/stint/runner"
)

// renaming is what was asked of the release once the repository had another
// name, by view: ID stands for the session, and RUN for what it saved.
var renaming = []struct{ id, view, command string }{
	{"r4.renamed.list", "list", "session list"},
	{"r4.renamed.list", "all", "session list --all"},
	{"r4.renamed.status", "state", "status"},
	{"r5.renamed", "show", "session show ID"},
	{"r6.renamed", "attach", "session attach ID"},
	{"r7.renamed", "again", "session checkpoint ID"},
	{"r8.renamed", "close", "session close ID"},
	{"r9.renamed", "mend", "session recover ID"},
	{"r15.renamed", "restart", "session restart ID"},
	{"r10.renamed", "runs", "runs list"},
	{"r10.renamed", "run", "runs show RUN"},
	{"r10.renamed", "diff", "runs diff RUN"},
	{"r11.renamed", "conversations", "conversations list"},
}

// copied is what today's reason says besides: the release did not think of a
// repository that was copied.
const copied = "; if it was copied, remove .stint/project.json and run stint init"

// Where the repository has another name, today's commands say what the
// release's own said there: the session is of another place, and is refused and
// left alone. What it saved is still listed and shown, and is applied.
func TestRenamed(t *testing.T) {
	contracts.Each(t, "sessions", func(t *testing.T, f *contracts.Fixture) {
		s := tell(t, f)
		if s.renamed == "" {
			return
		}
		th := f.Thaw(t, fingerprint)
		id, saved := script(t, f)[0].said(t, f).ID, runs(t, f, "checkpoint")[0].ID
		main := th.Path(s.renamed)
		t.Chdir(main)
		for _, c := range renaming {
			args := strings.Fields(strings.NewReplacer("ID", id, "RUN", saved).Replace(c.command))
			var stdout, stderr bytes.Buffer
			code := cli.Main(append(args, "--json"), env(th), os.Stdin, &stdout, &stderr)
			was := f.View(c.view)
			f.Equal(t, c.id+".exit", code, was.Exit)
			said := strings.ReplaceAll(stdout.String(), copied, "")
			f.Equal(t, c.id, flat(t, c.view, []byte(said)), flat(t, c.view, was.Stdout))
			if c.view == "all" {
				f.Equal(t, "r4.renamed.copied", strings.Count(stdout.String(), copied), 1)
			}
			if code != 0 && c.id != "r15.renamed" { // nothing is restarted without an env file
				f.Equal(t, c.id+".why", saying(fmt.Errorf("%s", &stderr), "repository"), "repository")
			}
			f.Unchanged(t)
		}
		// By hand, what the release said of it.
		f.Equal(t, "r4.renamed.said", parse[elsewhereListed](t, "all", f.View("all").Stdout), elsewhereListed{
			Sessions: []printed{}, Unreadable: []unreadable{{th.Path(documentOf(t, th, id)),
				fmt.Sprintf("it belongs elsewhere: repository is %q, where this project has %q: if the repository was moved, move it back", th.Path("project"), main)}},
		})

		r := stintIn(t, f, th, s.renamed)
		ids := neighbour(t, f, th)
		edit(t, th.Path(documentOf(t, th, other)), `("repository": ")[^"]*`, `${1}`+main)
		f.Settle(t)
		rows := map[string]string{"r4": "r4.renamed", "r5": "r5.renamed", "r6": "r6.renamed", "r7": "r7.renamed", "r8": "r8.renamed", "r9": "r9.renamed"}
		refusedEverywhere(t, f, r, ids, id, "bound elsewhere: repository", func(row, what string) string { return rows[row] + "." + what })
		f.Unchanged(t)

		r.Sessions.Panes, r.Project.Config.Tmux.Socket = mute, th.Path("s") // so that no session is opened in any case
		_, err := r.Open(t.Context(), runner.OpenOptions{Harness: "sh"})
		f.Equal(t, "r4.renamed.open", saying(err, ofAnotherPlace), ofAnotherPlace)
		f.Unchanged(t)

		m, err := r.Runs.Apply(t.Context(), r.Project.Tree, saved)
		require.NoError(t, err)
		f.Equal(t, "r13.renamed", []string{string(m.State), readText(t, th, path.Join(s.renamed, "one"))}, []string{"applied", "one\n"})
	})
}

// elsewhereListed is a list in which documents may be unreadable.
type elsewhereListed struct {
	Sessions   []printed    `json:"sessions"`
	Unreadable []unreadable `json:"unreadable"`
}

// flat is an answer's values by pointer, nothing where nothing was said.
func flat(t *testing.T, from string, answer []byte) map[string]string {
	t.Helper()
	all := make(map[string]string)
	if len(answer) > 0 {
		flatten(t, "", parse[jsontext.Value](t, from, answer), all)
	}
	return all
}
