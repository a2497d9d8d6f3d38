package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// killedAt runs a program and kills it as soon as there is what is awaited,
// which it is looked for without a pause: the next thing is written a few
// milliseconds later.
func (d rotation) killedAt(there func() bool, argv ...string) {
	d.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = d.env
	require.NoError(d, cmd.Start())
	over := make(chan struct{})
	go func() {
		cmd.Wait()
		close(over)
	}()
	for !there() {
		select {
		case <-over:
			return
		default:
		}
	}
	cmd.Process.Kill()
	<-over
}

// unmade are the folders of runs that have no manifest.
func (d rotation) unmade() []string {
	d.Helper()
	dirs, err := filepath.Glob(filepath.Join(d.stateDir(), "runs", "*"))
	require.NoError(d, err)
	var all []string
	for _, dir := range dirs {
		if _, err := os.Stat(filepath.Join(dir, "manifest.json")); err != nil {
			all = append(all, filepath.Base(dir))
		}
	}
	return all
}

// talk is what there is of a conversation.
type talk struct {
	ID, State, Session string
	Runs               []string
}

func (d rotation) talks() []talk {
	d.Helper()
	var v struct{ Conversations []talk }
	out, _ := d.stint(0, "conversations", "list", "--json")
	require.NoError(d, json.Unmarshal([]byte(out), &v))
	return v.Conversations
}

// tries is how often a command is killed where it seldom is where it should be.
const tries = 200

// What was killed between a conversation and the manifest of the run that it
// names is found, and recover takes all of it back.
func TestKilledBeforeManifest(t *testing.T) {
	program := filepath.Join(build(t), "stint")
	for _, test := range []struct {
		name   string
		argv   func(d rotation) []string
		state  string // of the conversation after it
		before int    // its runs that were there before
	}{
		{"a turn", func(rotation) []string { return []string{"run", "told", "true"} }, "closed", 0},
		{"a checkpoint", func(d rotation) []string {
			id := d.open("sleep", "agent")
			require.NoError(t, os.WriteFile(filepath.Join(d.worktree(id), "work"), []byte("work\n"), 0o600))
			d.stint(0, "session", "checkpoint", id)
			return []string{"session", "checkpoint", id}
		}, "open", 1},
	} {
		d := newRotation(t, "TOKEN=first\n")
		d.config("[harness.told]\ncommand = [\"env\"]\nbegin = [\"-u\", \"{conversation}\"]\nrun = [\"sh\", \"-c\", \"{prompt}\"]\n")
		argv := append([]string{program}, test.argv(d)...)
		var at talk
		for try := 0; ; try++ {
			require.Less(t, try, tries, "%s: it was never killed there", test.name)
			said := strings.Join(d.texts(), "")
			named := regexp.MustCompile(`(?s)"runs": \[([^\]]*)\]`)
			count := func(text string) (n int) {
				for _, m := range named.FindAllStringSubmatch(text, -1) {
					n += strings.Count(m[1], `"`)
				}
				return n
			}
			was := count(said)
			d.killedAt(func() bool { return count(strings.Join(d.texts(), "")) > was }, argv...)
			if left := d.unmade(); len(left) == 1 {
				for _, c := range d.talks() {
					if n := len(c.Runs); n > 0 && c.Runs[n-1] == left[0] {
						at = c
					}
				}
			}
			if at.ID != "" {
				break
			}
			d.stint(0, "runs", "recover", "--discard")
			at = talk{}
		}
		run := at.Runs[len(at.Runs)-1]
		require.Equal(t, "open", at.State, test.name)
		out, _ := d.stint(1, "doctor")
		require.Contains(t, out, "leftover "+filepath.Join(d.stateDir(), "runs", run)+": a command that was killed left it, and no run came of it\n  mend  stint runs recover\n", test.name)
		require.Equal(t, 1, strings.Count(out, "  mend  "), "%s: %s", test.name, out)
		out, _ = d.stint(0, "runs", "recover", "--json")
		require.Regexp(t, `"unmade": \[\s*"`+run+`"\s*\]`, out, test.name)
		for _, c := range d.talks() {
			require.NotContains(t, c.Runs, run, test.name)
			if c.ID == at.ID {
				require.Equal(t, talk{at.ID, test.state, at.Session, at.Runs[:len(at.Runs)-1]}, c, test.name)
			}
		}
		require.Empty(t, d.unmade(), test.name)
		out, _ = d.stint(0, "runs", "recover")
		require.Equal(t, "nothing to recover\n", out, test.name)
		d.must(argv...)
	}
}

// texts are the documents of all conversations. One that is just being replaced
// is read whole: it is renamed into its place.
func (d rotation) texts() []string {
	var all []string
	files, _ := filepath.Glob(filepath.Join(d.stateDir(), "conversations", "*.json"))
	for _, file := range files {
		b, _ := os.ReadFile(file)
		all = append(all, string(b))
	}
	return all
}

// That a manifest is gone does not say that there never was one: its patch may be
// all that there is of the work, and stays until its user takes it away.
func TestRecoverKeepsAPatch(t *testing.T) {
	d := newRotation(t, "TOKEN=first\n")
	d.config("[harness.told]\ncommand = [\"sh\"]\nrun = [\"-c\", \"{prompt}\"]\n")
	d.must("git", "add", "stint.toml")
	d.must("git", "commit", "-qm", "configuration")
	id := d.open("sleep", "agent")
	require.NoError(t, os.WriteFile(filepath.Join(d.worktree(id), "work"), []byte("work\n"), 0o600))
	d.stint(0, "session", "checkpoint", id)
	d.stint(0, "session", "close", "--discard=run", id)
	d.stint(0, "run", "told", "echo work >work")
	runs, err := filepath.Glob(filepath.Join(d.stateDir(), "runs", "*"))
	require.NoError(t, err)
	require.Len(t, runs, 2)
	for _, run := range runs {
		patch := filepath.Join(run, "changes.patch")
		require.NoError(t, os.Remove(filepath.Join(run, "manifest.json")))
		out, said := d.stint(1, "runs", "recover")
		require.Empty(t, out)
		require.Equal(t, fmt.Sprintf("stint: run %q: its manifest is gone, and its patch may be all that is left of its work: take what you want of it by git apply %s, and remove %s then\n", filepath.Base(run), patch, run), said)
		d.must("git", "apply", patch)
		require.FileExists(t, "work")
		require.NoError(t, os.Remove("work"))
		out, _ = d.stint(1, "doctor")
		require.Contains(t, out, "document "+run+"/manifest.json: it is gone, and the patch beside it may be all that is left of the work of its run\n")
		mend := regexp.MustCompile(`(?m)^  mend  (rm -ri .*)$`).FindAllStringSubmatch(out, -1)
		require.Len(t, mend, 1, out)
		d.must("sh", "-c", "yes | ("+mend[0][1]+"\n)")
		require.NoDirExists(t, run)
		out, _ = d.stint(0, "runs", "recover")
		require.Equal(t, "nothing to recover\n", out)
	}
}

// A run that is just being made is not taken for one that was cut off.
func TestRecoverLeavesWhatIsBeingMade(t *testing.T) {
	d := newRotation(t, "TOKEN=first\n")
	dir := filepath.Join(d.stateDir(), "runs", "0123456789ab")
	require.NoError(t, os.MkdirAll(dir, 0o700))
	for _, name := range []string{"running.lock", "lock"} {
		holder := exec.Command("flock", filepath.Join(dir, name), "cat")
		in, err := holder.StdinPipe()
		require.NoError(t, err)
		require.NoError(t, holder.Start())
		require.Eventually(t, func() bool {
			return exec.Command("flock", "-n", filepath.Join(dir, name), "true").Run() != nil
		}, patience, pause)
		out, _ := d.stint(0, "runs", "recover")
		require.Equal(t, "nothing to recover\n", out, name)
		require.DirExists(t, dir)
		require.NoError(t, in.Close())
		require.NoError(t, holder.Wait())
	}
	out, _ := d.stint(0, "runs", "recover")
	require.Equal(t, "removed what there was of run 0123456789ab, which never came to be\n", out)
	require.NoDirExists(t, dir)
}

// A conversation that is left without a run is closed, but not where its session
// may go on in it: of one that does not read nobody knows.
func TestRecoverLeavesAConversation(t *testing.T) {
	d := newRotation(t, "TOKEN=first\n")
	id := d.open("sleep", "agent")
	const run = "0123456789ab"
	require.NoError(t, os.Mkdir(filepath.Join(d.stateDir(), "runs"), 0o700))
	require.NoError(t, os.Mkdir(filepath.Join(d.stateDir(), "runs", run), 0o700))
	file := d.conversations()[0]
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	named := strings.Replace(string(text), `"runs": []`, `"runs": ["`+run+`"]`, 1)
	require.NotEqual(t, string(text), named)
	require.NoError(t, os.WriteFile(file, []byte(named), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(d.stateDir(), "sessions", id, "session.json"), []byte("{"), 0o600))
	d.stint(0, "runs", "recover")
	was := d.talks()
	require.Equal(t, []talk{{was[0].ID, "open", id, []string{}}}, was)
}

// An agent that removes the folder of its own run is told where its work is, and
// doctor names what is left.
func TestRunWithoutItsManifest(t *testing.T) {
	d := newRotation(t, "TOKEN=first\n")
	d.config("[harness.told]\ncommand = [\"sh\"]\nrun = [\"-c\", \"{prompt}\"]\n")
	_, said := d.stint(1, "run", "told", `echo work >work; rm -r "`+d.stateDir()+`/runs/$STINT_RUN_ID"`)
	m := regexp.MustCompile(`^stint: run "(\w+)": its manifest is gone, so that its work cannot be saved: what there is of it is in "([^"]*)": take it from there; stint doctor says how to remove the rest\n$`).FindStringSubmatch(said)
	require.NotNil(t, m, said)
	work, err := os.ReadFile(filepath.Join(m[2], "work"))
	require.NoError(t, err)
	require.Equal(t, "work\n", string(work))
	d.stint(0, "runs", "recover")
	require.FileExists(t, filepath.Join(m[2], "work"), "recover knows nothing of it")
	out, _ := d.stint(1, "doctor")
	require.Contains(t, out, "worktree "+m[2]+": git lists it, and no session or run has it\n  mend  git -C ")
}
