package cli_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/freeze-contracts/permafrost/internal/subjects"
)

// The commands of the workflow are run, each job in a clone of its own: the
// parts side by side, then the merge of what they upload, whole, with one lost
// and with one doubled.
func TestExampleWorkflow(t *testing.T) {
	requireTmux(t)
	var workflow struct {
		Jobs struct {
			Part struct {
				Strategy struct {
					Matrix struct{ Part []int }
				}
				Steps []step
			}
			Merge struct{ Steps []step }
		}
	}
	require.NoError(t, yaml.Unmarshal(example(t, "github.yml"), &workflow))
	part, merge := workflow.Jobs.Part, workflow.Jobs.Merge
	repo, uploads := frozenSubject(t), t.TempDir()
	require.Len(t, part.Strategy.Matrix.Part, 4)
	for _, i := range part.Strategy.Matrix.Part {
		here := clone(t, repo)
		commands := freezeSteps(part.Steps)
		require.Len(t, commands, 2)
		for _, command := range commands {
			command = strings.ReplaceAll(command, "${{ matrix.part }}", fmt.Sprint(i))
			require.NotContains(t, command, "${{")
			out, code := shell(t, here, command)
			require.Zero(t, code, out)
		}
		upload(t, filepath.Join(here, path(t, part.Steps, "upload-artifact")), uploads)
	}
	here := clone(t, repo)
	parts := filepath.Join(here, path(t, merge.Steps, "download-artifact"))
	require.NoError(t, os.Mkdir(parts, 0o755))
	upload(t, filepath.Join(uploads, "*"), parts)
	commands := freezeSteps(merge.Steps)
	require.Len(t, commands, 2)
	lostAndDoubled(t, here, commands[0], filepath.Join(parts, "freeze-2-of-4.json"), "2/4", `(?m)^v1\.0\.0: 2 identical$`)
	lostAndDoubled(t, here, commands[1], filepath.Join(parts, "read-1-of-4.json"), "1/4", `(?m)^HEAD +v1\.0\.0 +2 +0 +0 +0$`)
}

// So are those of the Indexed Job, of which each index has its own clone too,
// and all write to one volume.
func TestExampleKubernetes(t *testing.T) {
	requireTmux(t)
	type job struct {
		Metadata struct{ Name string }
		Spec     struct {
			Completions int
			Template    struct {
				Spec struct {
					Containers []struct{ Command, Args []string }
				}
			}
		}
	}
	jobs := make(map[string]job)
	for dec := yaml.NewDecoder(bytes.NewReader(example(t, "kubernetes.yml"))); ; {
		var j job
		if err := dec.Decode(&j); err != nil {
			require.EqualError(t, err, "EOF")
			break
		}
		jobs[j.Metadata.Name] = j
	}
	volume := t.TempDir()
	command := func(name string) string {
		c := jobs[name].Spec.Template.Spec.Containers
		require.Len(t, c, 1)
		require.Equal(t, []string{"sh", "-c"}, c[0].Command)
		require.Len(t, c[0].Args, 1)
		return strings.ReplaceAll(c[0].Args[0], "/parts/", volume+"/")
	}
	repo := frozenSubject(t)
	require.Equal(t, 8, jobs["freeze"].Spec.Completions)
	for i := range jobs["freeze"].Spec.Completions {
		out, code := shell(t, clone(t, repo), command("freeze"), fmt.Sprint("JOB_COMPLETION_INDEX=", i))
		require.Zero(t, code, out)
	}
	lostAndDoubled(t, clone(t, repo), command("freeze-merge"), filepath.Join(volume, "freeze-5.json"), "5/8", `(?m)^v1\.0\.0: 2 identical$`)
}

// What docs/sharding.md shows is what is printed.
func TestSharding(t *testing.T) {
	requireTmux(t)
	follow(t, frozenSubject(t), "docs/sharding.md")
}

// lostAndDoubled runs a merge without a part, with it twice, and with all parts
// once.
func lostAndDoubled(t *testing.T, dir, command, part, shard, want string) {
	t.Helper()
	away := part + ".away"
	require.NoError(t, os.Rename(part, away))
	out, code := shell(t, dir, command)
	require.Equal(t, 1, code, out)
	require.Regexp(t, `(?m)^freeze: of \d parts \d are there; missing: `+shard+`$`, out)
	again := filepath.Join(filepath.Dir(part), strings.Replace(filepath.Base(part), "-", "-again-", 1))
	require.NoError(t, os.Rename(away, part))
	data, err := os.ReadFile(part)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(again, data, 0o644))
	out, code = shell(t, dir, command)
	require.Equal(t, 1, code, out)
	require.Contains(t, out, "freeze: part "+shard+" is there twice: ")
	require.NoError(t, os.Remove(again))
	out, code = shell(t, dir, command)
	require.Zero(t, code, out)
	require.Regexp(t, want, out)
}

// step is one of a job's.
type step struct {
	Run, Uses string
	With      struct{ Path string }
}

// freezeSteps are the commands that call freeze.
func freezeSteps(steps []step) []string {
	var all []string
	for _, s := range steps {
		if strings.HasPrefix(s.Run, "freeze ") {
			all = append(all, s.Run)
		}
	}
	return all
}

// path is where a step of an action reads or writes.
func path(t *testing.T, steps []step, action string) string {
	t.Helper()
	for _, s := range steps {
		if regexp.MustCompile(`^actions/` + action + `@`).MatchString(s.Uses) {
			require.NotEmpty(t, s.With.Path)
			return s.With.Path
		}
	}
	t.Fatalf("no step uses %s", action)
	return ""
}

// upload copies what a pattern matches.
func upload(t *testing.T, pattern, to string) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.NotEmpty(t, files, pattern)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(to, filepath.Base(file)), data, 0o644))
	}
}

func example(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "examples", "ci", name))
	require.NoError(t, err)
	return text
}

// frozenSubject is a subject with a release, two fixtures and a table of who
// reads what, all committed.
func frozenSubject(t *testing.T) (repo string) {
	t.Helper()
	repo = subjects.Make(t, "shell")
	for _, name := range []string{"killed", "refused", "tree", "upgrade"} {
		require.NoError(t, os.Remove(filepath.Join(repo, "fixtures", "scenarios", "notes", name+".txtar")))
	}
	require.NoError(t, os.Mkdir(filepath.Join(repo, "readers"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(repo, "readers", "list.txtar"), []byte("# family: notes\nread list /*/id /*/text jot list --json\n"), 0o644))
	for _, command := range []string{
		`printf '\n[read]\nscripts = "readers"\n' >>freeze.toml`,
		"freeze v1.0.0", "freeze read --matrix --record", "git add -A", "git commit -qm frozen",
	} {
		out, code := shell(t, repo, command)
		require.Zero(t, code, out)
	}
	return repo
}

func clone(t *testing.T, repo string) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "clone")
	out, err := exec.Command("git", "clone", "-q", repo, dir).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return dir
}

// shell runs a command in a folder, with a cache of builds of its own.
func shell(t *testing.T, dir, command string, env ...string) (out string, code int) {
	t.Helper()
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "PERMAFROST_CACHE="+t.TempDir()), env...)
	text, err := cmd.CombinedOutput()
	if _, failed := err.(*exec.ExitError); !failed {
		require.NoError(t, err, "%s: %s", command, text)
	}
	return command + "\n" + string(text), cmd.ProcessState.ExitCode()
}
