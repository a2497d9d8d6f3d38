package cli_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/freeze-contracts/permafrost/internal/stint/cli"
	"github.com/freeze-contracts/permafrost/internal/stint/project"
	"github.com/freeze-contracts/permafrost/readers"
	doc "github.com/freeze-contracts/permafrost/readers/session"
	"github.com/stretchr/testify/require"
)

// bench is a project with a tmux server of its own.
type bench struct {
	*testing.B
	env         []string
	dir, socket string
}

func newBench(b *testing.B) bench {
	b.Helper()
	// Sockets have short names.
	top, err := os.MkdirTemp("", "stint")
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, os.RemoveAll(top)) })
	top, err = filepath.EvalSymlinks(top)
	require.NoError(b, err)
	w := bench{b, append(os.Environ(), "HOME="+top, "STINT_STATE_DIR="+filepath.Join(top, "state"), "GIT_CONFIG_NOSYSTEM=1", "TMUX=",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.test", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.test"),
		filepath.Join(top, "repo"), filepath.Join(top, "tmux")}
	require.NoError(b, os.Mkdir(w.dir, 0o700))
	b.Chdir(w.dir)
	w.run("git", "init", "-q")
	w.stint("init", "--harness", "cat")
	f, err := os.OpenFile("stint.toml", os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(b, err)
	_, err = fmt.Fprintf(f, "[tmux]\nsocket = %q\n", w.socket)
	require.NoError(b, err)
	require.NoError(b, f.Close())
	w.run("git", "add", ".")
	w.run("git", "commit", "-qm", "one")
	return w
}

func (w bench) run(name string, args ...string) {
	w.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = w.dir, w.env
	out, err := cmd.CombinedOutput()
	require.NoError(w, err, "%s %q: %s", name, args, out)
}

func (w bench) stint(args ...string) string {
	w.Helper()
	var out, errs strings.Builder
	require.Zero(w, cli.Main(args, w.env, os.Stdin, &out, &errs), "%q: %s", args, &errs)
	return out.String()
}

// fill writes documents of n open sessions.
func (w bench) fill(n int) {
	w.Helper()
	p, err := project.Locate(w.Context(), w.env, w.dir)
	require.NoError(w, err)
	print, err := p.NewFingerprint(w.Context())
	require.NoError(w, err)
	head, err := p.Tree.Head(w.Context())
	require.NoError(w, err)
	for i := range n {
		id, place, now := fmt.Sprintf("%012x", i+1), p.Place(), readers.At(time.Now())
		d := doc.Document{
			Head:  readers.Head{Schema: doc.Schema, ID: id, ProjectID: p.ID, Revision: 2, CreatedAt: now, UpdatedAt: now},
			State: doc.Open, Harness: "cat", Branch: doc.Branch(id), Base: head, Fingerprint: print, OpenedAt: now,
			Paths: doc.Paths{Repository: place.Repository, WorkspaceRoot: place.WorkspaceRoot(id), Worktree: place.Worktree(id), RunRoot: place.RunRoot(id)},
		}
		d.Tmux.Socket = w.socket
		d.Tmux.Session = place.TmuxNames(&d)[0]
		content, err := d.Encode()
		require.NoError(w, err)
		name := filepath.Join(p.StateDir, filepath.FromSlash(doc.File(id)))
		require.NoError(w, os.MkdirAll(filepath.Dir(name), 0o700))
		require.NoError(w, os.WriteFile(name, content, 0o600))
	}
}

func (w bench) time(do func()) time.Duration {
	began := time.Now()
	do()
	return time.Since(began)
}

// What list and status take for each document, beside what git and tmux take
// once: the time of the command less that in a project of one session.
func BenchmarkList(b *testing.B) {
	for _, command := range []string{"session list", "status"} {
		for _, n := range []int{10, 100, 1000, 10000} {
			b.Run(fmt.Sprintf("%s/%d", strings.ReplaceAll(command, " ", "-"), n), func(b *testing.B) {
				few, many := newBench(b), newBench(b)
				few.fill(1)
				many.fill(n)
				require.Equal(b, n, strings.Count(many.stint("session", "list"), " fresh "))
				quiet := func(w bench) func() {
					return func() {
						b.Chdir(w.dir)
						require.Zero(b, cli.Main(strings.Fields(command), w.env, os.Stdin, io.Discard, io.Discard))
					}
				}
				var once, all time.Duration
				for b.Loop() {
					once += few.time(quiet(few))
					all += many.time(quiet(many))
				}
				b.ReportMetric(float64(once.Milliseconds())/float64(b.N), "ms/once")
				b.ReportMetric(float64((all-once).Microseconds())/float64(b.N*(n-1)), "µs/document")
			})
		}
	}
}

// Opening and closing a session, and closing one whose program is gone, against
// the commands of git and tmux that make and remove the same.
func BenchmarkOpenClose(b *testing.B) {
	w := newBench(b)
	w.run("tmux", "-S", w.socket, "new-session", "-d", "-s", "keep", "cat")
	b.Cleanup(func() { w.run("tmux", "-S", w.socket, "kill-server") })
	bare := filepath.Join(filepath.Dir(w.dir), "bare")
	var opened, closed, gone, made, removed time.Duration
	id := ""
	open := func() {
		id = strings.TrimSuffix(strings.Fields(w.stint("session", "open", "--no-attach"))[2], ":")
	}
	for b.Loop() {
		open()
		w.run("tmux", "-S", w.socket, "kill-session", "-t", "=stint-"+id)
		gone += w.time(func() { w.stint("session", "close", id) })
		w.run("git", "branch", "-q", "-D", "stint/"+id)
		opened += w.time(open)
		closed += w.time(func() { w.stint("session", "close", id) })
		made += w.time(func() {
			w.run("git", "worktree", "add", "-q", "-b", "bare", bare)
			w.run("tmux", "-S", w.socket, "new-session", "-d", "-s", "bare", "-c", bare, "cat")
		})
		removed += w.time(func() {
			w.run("tmux", "-S", w.socket, "kill-session", "-t", "=bare")
			w.run("git", "worktree", "remove", bare)
		})
		w.run("git", "branch", "-q", "-D", "bare", "stint/"+id)
	}
	b.ReportMetric(float64(opened.Milliseconds())/float64(b.N), "ms/open")
	b.ReportMetric(float64(closed.Milliseconds())/float64(b.N), "ms/close")
	b.ReportMetric(opened.Seconds()/made.Seconds(), "open/bare")
	b.ReportMetric(closed.Seconds()/removed.Seconds(), "close/bare")
	b.ReportMetric(gone.Seconds()/removed.Seconds(), "gone/bare")
}
