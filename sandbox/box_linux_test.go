package sandbox_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/freeze-contracts/permafrost/sandbox"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

func TestRun(t *testing.T) {
	b := start(t, sandbox.Config{Env: map[string]string{"OWN": "value"}})
	for _, c := range []struct {
		name           string
		cmd            sandbox.Cmd
		code           int
		stdout, stderr string
	}{
		{"exit code and both streams", sandbox.Cmd{Args: []string{"sh", "-c", "echo out; echo err >&2; exit 7"}}, 7, "out\n", "err\n"},
		{"a signal", sandbox.Cmd{Args: []string{"sh", "-c", "kill -TERM $$"}}, 128 + 15, "", ""},
		{"standard input", sandbox.Cmd{Args: []string{"cat"}, Stdin: strings.NewReader("in")}, 0, "in", ""},
		{"no standard input", sandbox.Cmd{Args: []string{"cat"}}, 0, "", ""},
		{"the project is where it starts", sandbox.Cmd{Args: []string{"sh", "-c", "pwd"}}, 0, b.Project() + "\n", ""},
		{"another folder", sandbox.Cmd{Args: []string{"sh", "-c", "pwd"}, Dir: "home"}, 0, b.Home() + "\n", ""},
		{"environment of box and call", sandbox.Cmd{Args: []string{"sh", "-c", "echo $OWN $MORE"}, Env: []string{"MORE=more"}}, 0, "value more\n", ""},
		{"environment of the call wins", sandbox.Cmd{Args: []string{"env"}, Env: []string{"OWN=other"}}, 0, strings.Join(with(b.Env(), "OWN=value", "OWN=other"), "\n") + "\n", ""},
		{"umask", sandbox.Cmd{Args: []string{"sh", "-c", "umask"}}, 0, "0022\n", ""},
		{"a role", sandbox.Cmd{Role: "greeter", Args: []string{"hello", "you"}}, 5, "hello you " + b.Root() + " " + b.Home() + "\n", ""},
		{"an unknown role", sandbox.Cmd{Role: "nobody"}, 2, "", "sandbox: role \"nobody\" is not one of those that this program names to sandbox.Main\n"},
		{"a daemon keeps the streams", sandbox.Cmd{Args: []string{"sh", "-c", "echo before; sleep 1000 & exit 3"}}, 3, "before\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			c.cmd.Stdout, c.cmd.Stderr = &stdout, &stderr
			code, err := b.Run(t.Context(), c.cmd)
			require.NoError(t, err)
			want := []any{c.code, c.stdout, c.stderr}
			if diff := cmp.Diff(want, []any{code, stdout.String(), stderr.String()}); diff != "" {
				t.Errorf("Run (-want +got)\n%s", diff)
			}
		})
	}
}

// All that a program wrote is there, also when it wrote more than a pipe holds
// and left somebody behind who keeps the pipe open.
func TestOutputSurvives(t *testing.T) {
	t.Parallel()
	b := start(t, sandbox.Config{})
	require.NoError(t, os.WriteFile(b.Project()+"/big", bytes.Repeat([]byte("0123456789abcdef"), 1<<16), 0o644))
	var out bytes.Buffer
	_, err := b.Run(t.Context(), sandbox.Cmd{Args: []string{"sh", "-c", "sleep 1000 & cat big; cat big >&2"}, Stdout: &out, Stderr: &out})
	require.NoError(t, err)
	require.Equal(t, 2<<20, out.Len())
}

// Whoever writes without end does not keep Run from returning.
func TestOutputWithoutEnd(t *testing.T) {
	t.Parallel()
	b := start(t, sandbox.Config{})
	ctx, cancel := contextFor(t, 10*time.Second)
	defer cancel()
	returned := make(chan error, 1)
	var out slowBuffer
	go func() {
		_, err := b.Run(ctx, sandbox.Cmd{Args: []string{"sh", "-c", "echo before; cat /dev/zero & sleep 0.1"}, Stdout: &out})
		returned <- err
	}()
	select {
	case err := <-returned:
		require.NoError(t, err)
		require.True(t, bytes.HasPrefix(out.Bytes(), []byte("before\n\x00")))
	case <-ctx.Done():
		t.Error("Run waits for who is left behind")
	}
}

// slowBuffer is a terminal, say: who writes is always ahead.
type slowBuffer struct{ bytes.Buffer }

func (s *slowBuffer) Write(p []byte) (int, error) {
	time.Sleep(30 * time.Millisecond)
	return s.Buffer.Write(p)
}

func TestRunErrors(t *testing.T) {
	t.Parallel()
	b := start(t, sandbox.Config{Tools: []string{"sh", "cat"}})
	for _, c := range []struct {
		name string
		cmd  sandbox.Cmd
		want string
	}{
		{"a program of the machine that is no tool", sandbox.Cmd{Args: []string{"git"}}, `running "git": it is not in the box, which has cat sh: name it under tools ([box] tools in freeze.toml)`},
		{"a folder that is not there", sandbox.Cmd{Args: []string{"sh"}, Dir: "nowhere"}, `working folder "` + b.Root() + `/nowhere" is not there`},
		{"no program", sandbox.Cmd{}, "no program named"},
	} {
		_, err := b.Run(t.Context(), c.cmd)
		require.ErrorContains(t, err, c.want, c.name)
	}
}

// Nothing of the caller's environment comes in.
func TestEnvironment(t *testing.T) {
	t.Setenv("TMUX", "/tmp/somebody,1,0")
	t.Setenv("SECRET_TOKEN", "secret")
	t.Setenv("LISTEN_FDS", "3")
	t.Setenv("GIT_DIR", "/nowhere")
	b := start(t, sandbox.Config{Tmux: true})
	names := map[string]bool{}
	for _, entry := range strings.Split(strings.TrimSpace(sh(t, b, "env -u PWD env")), "\n") {
		name, _, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, "GIT_CONFIG_") {
			names[name] = true
		}
	}
	want := map[string]bool{}
	for _, name := range strings.Fields(`HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_CACHE_HOME XDG_RUNTIME_DIR
		TMPDIR TMUX_TMPDIR PATH SHELL TERM LC_ALL TZ PAGER PERMAFROST_BOX GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE
		GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE GIT_TEMPLATE_DIR GIT_TERMINAL_PROMPT GIT_CEILING_DIRECTORIES`) {
		want[name] = true
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("names in the environment (-want +got)\n%s", diff)
	}
	require.Equal(t, b.Bin()+"\n", sh(t, b, `echo $PATH`))
}

// A pane runs a plain shell: a login shell would have read the machine's
// profile, which resets PATH.
func TestPaneKeepsPath(t *testing.T) {
	t.Parallel()
	b := start(t, sandbox.Config{Tmux: true})
	sh(t, b, `tmux new-session -d; tmux send-keys 'echo "$PATH $0" >seen.new; exec env sh -c "cat seen.new >seen; sleep 1000"' Enter`)
	seen := b.Project() + "/seen"
	eventually(t, "the pane's answer", func() bool {
		data, _ := os.ReadFile(seen)
		return bytes.HasSuffix(data, []byte("\n"))
	})
	data, err := os.ReadFile(seen)
	require.NoError(t, err)
	require.Equal(t, b.Bin()+" /bin/sh\n", string(data))
}

// A repository made in a box holds nothing of the machine or its git version,
// and two boxes make the same one.
func TestGit(t *testing.T) {
	t.Parallel()
	script := `git init -q && echo x >f && git add f && git commit -qm one && git rev-parse HEAD && git symbolic-ref HEAD`
	a, b := start(t, sandbox.Config{}), start(t, sandbox.Config{})
	inA := sh(t, a, script)
	require.Equal(t, inA, sh(t, b, script))
	require.Contains(t, inA, "refs/heads/main")
	for _, dir := range []string{"hooks", "description"} {
		require.NoFileExists(t, filepath.Join(a.Project(), ".git", dir))
	}
	require.Equal(t, "Box <box@example.invalid> 2020-01-01T00:00:00+00:00\n", sh(t, a, `git log -1 --format='%an <%ae> %aI'`))
}

func TestStartErrors(t *testing.T) {
	t.Parallel()
	taken := hiddenRoot() // an empty folder of another name would be reaped
	require.NoError(t, os.Mkdir(taken, 0o700))
	link := sandbox.FreshRoot(8)
	require.NoError(t, os.Symlink(taken, link))
	t.Cleanup(func() { os.Remove(link); os.Remove(taken) })
	root := sandbox.FreshRoot(8)
	for _, c := range []struct {
		name string
		cfg  sandbox.Config
		want string
	}{
		{"a folder that exists", sandbox.Config{Root: taken}, "file exists"},
		{"a relative root", sandbox.Config{Root: "tmp/x"}, "want an absolute, clean path"},
		{"odd characters", sandbox.Config{Root: "/tmp/a b"}, "want an absolute, clean path"},
		{"a root that is not clean", sandbox.Config{Root: "/tmp/../tmp/x"}, "want an absolute, clean path"},
		{"a socket path too long", sandbox.Config{Root: "/tmp/" + strings.Repeat("g", 101)}, "would take 108 bytes, a socket path can take 107"},
		{"a root too long to be bound", sandbox.Config{Root: "/tmp/" + strings.Repeat("g", 36)}, "41 bytes"},
		{"a symlink above", sandbox.Config{Root: link + "/x"}, `use "` + taken + `/x"`},
		{"no such parent", sandbox.Config{Root: "/tmp/nowhere.at.all/x"}, "no such file"},
		{"a missing tool", sandbox.Config{Root: root, Tools: []string{"no-such-tool"}}, `tool "no-such-tool", named under tools ([box] tools in freeze.toml): not found on this machine's PATH`},
		{"a tool with a folder", sandbox.Config{Root: root, Tools: []string{"../sh"}}, `tool "../sh": want the name of a program`},
		{"tmux as a tool", sandbox.Config{Root: root, Tools: []string{"tmux"}}, `ask for it by tmux ([box] tmux = true in freeze.toml)`},
		{"a missing stand-in", sandbox.Config{Root: root, StandIns: map[string]string{"codex": "/proc/nowhere"}}, `stand-in "codex"`},
		{"a missing CLI", sandbox.Config{Root: root, CLI: "/proc/nowhere"}, `installing "/proc/nowhere"`},
	} {
		b, err := sandbox.Start(context.Background(), c.cfg)
		require.ErrorContains(t, err, c.want, c.name)
		require.Nil(t, b)
		require.NoDirExists(t, root, c.name)
	}
	left, err := os.ReadDir(taken)
	require.NoError(t, err)
	require.Empty(t, left)
}

// A tool that is a script finds what runs it only in the box: the shim of a
// version manager would end there with a message about bash.
func TestScriptsAsTools(t *testing.T) {
	dir := t.TempDir()
	for name, line := range map[string]string{
		"shim": "#!/usr/bin/env bash", "split": "#!/usr/bin/env -S A=1 node --flag", "plain": "#!/bin/sh", "none": "",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(line+"\n"), 0o755))
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	for _, c := range []struct {
		tools []string
		want  string // empty: the box starts
	}{
		{[]string{"shim"}, `tool "shim" is the script "` + dir + `/shim", which "bash" runs, and that is not in the box`},
		{[]string{"split"}, `which "node" runs`},
		{[]string{"shim", "bash"}, ""},
		{[]string{"plain", "none"}, ""},
	} {
		b, err := sandbox.Start(context.Background(), sandbox.Config{Tools: c.tools})
		if c.want != "" {
			require.ErrorContains(t, err, c.want)
			continue
		}
		require.NoError(t, err, "%v", c.tools)
		require.NoError(t, b.Close())
	}
}

// A start that is called off leaves nothing, with and without a namespace.
func TestStartCalledOff(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, plain := range []bool{false, true} {
		root := sandbox.FreshRoot(8)
		_, err := sandbox.Start(ctx, sandbox.Config{Root: root, NoNamespace: plain})
		require.EqualError(t, err, `box "`+root+`": context canceled`)
		require.ErrorIs(t, err, context.Canceled)
		require.NoDirExists(t, root)
	}
}

func TestFreshRoot(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 1000 {
		root := sandbox.FreshRoot(8)
		require.Regexp(t, `^/tmp/fz\.[g-z]{8}$`, root)
		require.NotRegexp(t, `fz\..*[aeiou]`, root)
		require.False(t, seen[root])
		seen[root] = true
	}
}

// What is installed replaces what was there, by a rename: a program that runs
// keeps its file.
func TestInstall(t *testing.T) {
	t.Parallel()
	first, second := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(first+"/app", []byte("#!/bin/sh\necho one\n"), 0o755))
	require.NoError(t, os.Mkdir(second+"/lib", 0o755))
	require.NoError(t, os.WriteFile(second+"/lib/app.sh", []byte("#!/bin/sh\necho two\n"), 0o755))
	require.NoError(t, os.Symlink("lib/app.sh", second+"/app"))
	b := start(t, sandbox.Config{CLI: first})
	require.Equal(t, "one\n", sh(t, b, "app"))
	require.NoError(t, b.Install(second))
	require.Equal(t, "two\n", sh(t, b, "app"))
}

// with replaces one entry.
func with(env []string, old, new string) []string {
	env[slices.Index(env, old)] = new
	return env
}
