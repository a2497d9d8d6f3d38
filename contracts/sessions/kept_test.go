package sessions_test

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	envfile "github.com/freeze-contracts/permafrost/internal/stint/env"
	config "github.com/freeze-contracts/permafrost/readers/project"
)

// The repository is whole where it lies now, and so are the worktrees.
func TestRepository(t *testing.T) {
	eachLeft(t, func(t *testing.T, f *contracts.Fixture, th *contracts.Thawed) {
		s := tell(t, f)
		want := contracts.Git{Revisions: branches(t, f), Status: s.status, Reflog: s.reflog, Worktrees: worktrees(t, f, th, s.repository())}
		want.Revisions[fmt.Sprintf("HEAD~%d", len(s.reflog)-1)] = line(f, "head")
		want.Revisions["HEAD^{tree}"] = s.tree
		f.CheckGit(t, "r7.repository", s.repository(), want)
	})
}

func TestWorktrees(t *testing.T) {
	contracts.Each(t, "sessions", func(t *testing.T, f *contracts.Fixture) {
		if !some(t, f, made.works) {
			return
		}
		th := look(t, f)
		want := contracts.Git{
			Revisions: map[string]string{"HEAD": line(f, "head"), "HEAD^{tree}": tell(t, f).tree},
			Reflog:    []string{"reset: moving to HEAD"}, // the first entry of a new worktree has no message
			Worktrees: worktrees(t, f, th, "project"),
		}
		for _, m := range script(t, f) {
			if m.work != nil {
				want.Status = m.index
				f.CheckGit(t, "r7.worktree", path.Join(workspace(t, th, m.said(t, f).ID), "worktree"), want)
			}
		}
	})
}

// worktrees are those that git is to know of the repository at a path in the
// box, as it sorts them.
func worktrees(t *testing.T, f *contracts.Fixture, th *contracts.Thawed, repository string) []string {
	t.Helper()
	var linked []string
	for _, s := range script(t, f) {
		if s.work != nil {
			linked = append(linked, s.said(t, f).Worktree)
		}
	}
	slices.Sort(linked)
	return append([]string{th.Path(repository)}, linked...)
}

// branches are those of the sessions. Where one has a commit of its own, the
// release's word is taken for its name.
func branches(t *testing.T, f *contracts.Fixture) map[string]string {
	t.Helper()
	all := make(map[string]string)
	for _, s := range script(t, f) {
		if s.Opened || s.work != nil {
			all["refs/heads/stint/"+s.said(t, f).ID] = line(f, "head")
		}
	}
	if f.Scenario == "closed" {
		branch := "refs/heads/stint/" + script(t, f)[0].said(t, f).ID
		all[branch], _, _ = strings.Cut(strings.Split(line(f, "branches"), "\n")[1], " ")
		all[branch+"^{tree}"], all[branch+"^"] = tell(t, f).notes, line(f, "head")
	}
	return all
}

// What git told the scenario is what the script makes of it.
func TestPrinted(t *testing.T) {
	each(t, func(t *testing.T, f *contracts.Fixture, th *contracts.Thawed) {
		f.Equal(t, "r7.status", string(f.View("status").Stdout), tell(t, f).asked)
		views := f.Views()
		if slices.Contains(views, "worktrees") {
			var want strings.Builder
			for i, dir := range worktrees(t, f, th, "project") {
				branch := "main"
				if i > 0 {
					branch = "stint/" + path.Base(path.Dir(dir))
				}
				fmt.Fprintf(&want, "worktree %s\nHEAD %s\nbranch refs/heads/%s\n\n", dir, line(f, "head"), branch)
			}
			f.Equal(t, "r7.worktrees", string(f.View("worktrees").Stdout), want.String())
		}
		if slices.Contains(views, "branches") {
			want := line(f, "head") + " refs/heads/main\n"
			for branch, commit := range branches(t, f) {
				if !strings.Contains(branch, "^") {
					want += commit + " " + branch + "\n"
				}
			}
			f.Equal(t, "r8.branches", string(f.View("branches").Stdout), want)
		}
		if slices.Contains(views, "names") {
			f.Equal(t, "r4.names", string(f.View("names").Stdout), script(t, f)[0].Tmux+"\n")
		}
		for _, view := range []string{"head", "status", "worktrees", "branches", "names"} {
			if slices.Contains(views, view) {
				f.Equal(t, "r7.exit", f.View(view).Exit, 0)
			}
		}
	})
}

// What lies beside git's own files and stint's documents, all of it.
func TestBeside(t *testing.T) {
	eachLeft(t, func(t *testing.T, f *contracts.Fixture, th *contracts.Thawed) {
		s, dir := tell(t, f), state(t, th)
		main := s.repository()
		want := map[string]string{main + "/.stint/.gitignore": s.ignore, main + "/.stint/lock": "", dir + "/worktrees.lock": ""}
		add := func(dir string, files map[string]string) {
			for name, text := range files {
				want[path.Join(dir, name)] = strings.ReplaceAll(text, "{project}", th.Path("project"))
			}
		}
		add(main, s.files)
		tomls := []string{main}
		for _, m := range s.sessions {
			id := m.said(t, f).ID
			add(path.Join(dir, "sessions", id), map[string]string{"lock": "", "making.lock": ""})
			add(path.Join(workspace(t, th, id), "run"), m.run)
			if talk := m.conversation(t, f); talk != "" {
				want[path.Join(dir, "conversations", talk+".lock")] = ""
			}
			if m.work == nil {
				continue
			}
			add(path.Join(workspace(t, th, id), "worktree"), m.work)
			if !s.noToml {
				tomls = append(tomls, path.Join(workspace(t, th, id), "worktree"))
			}
		}
		for dir, name := range linked(t, f, th) {
			want[path.Join(dir, ".git")] = "gitdir: " + th.Path("project/.git/worktrees/"+name) + "\n"
		}
		if s.saved != nil {
			add(path.Join(dir, "runs", runs(t, f, "checkpoint")[0].ID), map[string]string{"lock": "", "changes.patch": s.saved.patch})
		}
		if s.only {
			want[dir+"/open.lock"] = ""
		}
		f.Equal(t, "r7.beside", beside(t, th, s), want)
		toml := cmp.Or(s.config, &config.Config{Version: 1, Project: config.Settings{MemoryDir: "docs/memory"},
			Session: config.Session{Harness: "codex", RetentionDays: 90}})
		for _, at := range tomls {
			c, err := config.ReadConfig(th.FS(t, at))
			require.NoError(t, err)
			f.Equal(t, "r2.config", c, toml)
		}
		id, err := config.ID(th.FS(t, main), s.tracked, th.Path(main))
		require.NoError(t, err)
		f.Equal(t, "r1.id", id, path.Base(dir))
	})
}

// linked are the box-relative paths of the worktrees, and the names that git
// gives them: the folder's, and a number where that is taken.
func linked(t *testing.T, f *contracts.Fixture, th *contracts.Thawed) map[string]string {
	t.Helper()
	all := make(map[string]string)
	name := "worktree"
	for _, m := range script(t, f) {
		if m.work != nil {
			all[path.Join(workspace(t, th, m.said(t, f).ID), "worktree")] = name
			name = fmt.Sprintf("worktree%d", len(all))
		}
	}
	return all
}

// beside reads all files that have neither a reader nor git to read them.
func beside(t *testing.T, th *contracts.Thawed, s story) map[string]string {
	t.Helper()
	documents := []string{"session.json", "manifest.json", "stint.toml"}
	if !s.tracked {
		documents = append(documents, "project.json")
	}
	got := make(map[string]string)
	fsys := th.FS(t, ".")
	require.NoError(t, fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == s.repository()+"/.git":
			return fs.SkipDir
		case d.IsDir(), slices.Contains(documents, d.Name()), path.Base(path.Dir(name)) == "conversations" && path.Ext(name) == ".json":
			return nil
		}
		b, err := fs.ReadFile(fsys, name)
		got[name] = string(b)
		return err
	}))
	return got
}

// What the env file beside the configuration declares, and that nobody else
// can read it.
func TestEnvFile(t *testing.T) {
	contracts.Each(t, "sessions", func(t *testing.T, f *contracts.Fixture) {
		c := tell(t, f).config
		if c == nil || c.Env.File == "" {
			return
		}
		th := look(t, f)
		got, err := envfile.Read(th.Path(path.Join("project", c.Env.File)))
		require.NoError(t, err)
		f.Equal(t, "r2.env", got.Environ(), []string{"DEMO_PLACE=a place with  spaces", "DEMO_EMPTY="})
		f.Equal(t, "r2.env", len(got.Warnings), 0)
	})
}
