package project_test

import (
	"io/fs"
	"path"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	"github.com/freeze-contracts/permafrost/readers/project"
)

func TestRepository(t *testing.T) {
	contracts.Each(t, "project", func(t *testing.T, f *contracts.Fixture) {
		th := f.Look(t)
		for _, r := range script(t, f) {
			if r.commits != nil {
				for _, log := range []string{"HEAD", "refs/heads/main"} {
					f.Equal(t, "r3.reflog", reflog(t, th, path.Join(r.at, ".git/logs", log)), r.commits)
				}
				f.CheckGit(t, "r3.repository", r.at, contracts.Git{
					Revisions: map[string]string{"HEAD^{tree}": r.committed(f.Release)},
					Status:    r.status,
					Reflog:    r.commits,
					Worktrees: []string{th.Path(r.at)},
				})
				continue
			}
			// There is nothing in it that git could check.
			for name, want := range map[string]string{"HEAD": "ref: refs/heads/main\n", "config": emptyRepository, "info/exclude": ""} {
				sameText(t, f, th, "r3.repository", path.Join(r.at, ".git", name), want)
			}
		}
	})
}

// reflog has the messages of a log, the newest first. git itself shows another
// log where this one is gone.
func reflog(t *testing.T, th *contracts.Thawed, box string) []string {
	t.Helper()
	b, err := fs.ReadFile(th.FS(t, "."), box)
	require.NoError(t, err)
	var messages []string
	for line := range strings.Lines(string(b)) {
		_, message, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		messages = append([]string{message}, messages...)
	}
	return messages
}

// emptyRepository is what git init writes as a repository's configuration.
const emptyRepository = `[core]
	repositoryformatversion = 0
	filemode = true
	bare = false
	logallrefupdates = true
`

// What lies beside marker and configuration, and what the release and git said
// of it.
func TestBeside(t *testing.T) {
	contracts.Each(t, "project", func(t *testing.T, f *contracts.Fixture) {
		th := f.Look(t)
		for _, r := range script(t, f) {
			sameText(t, f, th, "r3.ignored", path.Join(r.folder, ".gitignore"), since(f.Release).ignore)
			sameText(t, f, th, "r3.lock", path.Join(r.folder, "lock"), "")
			for name, want := range r.files {
				sameText(t, f, th, "r3.kept", name, want)
			}
			for view, want := range r.printed {
				pattern, _, _ := strings.Cut(since(f.Release).ignore, "\n")
				f.Equal(t, "r1.git", string(f.View(view).Stdout), strings.ReplaceAll(want, "{ignore}", pattern))
				f.Equal(t, "r1.git.exit", f.View(view).Exit, 0)
			}
			for view, what := range r.lists {
				var listed map[string][]string
				require.NoError(t, json.Unmarshal(f.View(view).Stdout, &listed))
				f.Equal(t, "r1.listed", listed, map[string][]string{what: {}, "unreadable": {}})
				f.Equal(t, "r1.listed.exit", f.View(view).Exit, 0)
			}
			// No session was ever opened.
			kept, err := fs.Glob(th.FS(t, projects), "*/*")
			require.NoError(t, err)
			f.Equal(t, "r1.kept", kept, []string(nil))
		}
		if f.Scenario == "again" {
			now, err := project.ReadMarker(th.FS(t, "project"))
			require.NoError(t, err)
			b, err := fs.ReadFile(th.FS(t, "keep"), "before.json")
			require.NoError(t, err)
			before, err := project.ParseMarker("before.json", b)
			require.NoError(t, err)
			f.Equal(t, "r3.before", now, before)
		}
	})
}

func sameText(t *testing.T, f *contracts.Fixture, th *contracts.Thawed, id, box, want string) {
	t.Helper()
	b, err := fs.ReadFile(th.FS(t, "."), box)
	f.Equal(t, id, or(string(b), err), want)
}
