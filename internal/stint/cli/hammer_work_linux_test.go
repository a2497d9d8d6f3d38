package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// write leaves a file in the worktree of a session: by what its program is
// told, or if no session can just be ended from outside, and then with a commit
// now and then. No file is written twice.
func (h *hammer) write(ctx context.Context, hand *rand.Rand) error {
	id := h.one(hand)
	if id == "" {
		return nil
	}
	name, text := fmt.Sprintf("work-%d", h.fresh()), fmt.Sprintf("%x\n", hand.Uint64())
	how := "typed"
	if hand.IntN(2) == 0 && h.ending.TryLock() {
		defer h.ending.Unlock()
		how, text = "beside", text+strings.Repeat("\x00\xff", hand.IntN(9000))
		if !h.beside(id, name, text, hand) {
			return nil
		}
	} else if !h.typed(ctx, id, name, text) {
		h.count("write: " + how + ", and nobody there")
		return nil
	}
	h.count("write: " + how)
	h.wrote(id, name, text)
	return nil
}

func (h *hammer) wrote(id, name, text string) {
	h.count("write: done")
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.works[id] == nil {
		h.works[id] = make(map[string]string)
	}
	h.works[id][name] = text
}

func (h *hammer) worktree(id string) string {
	return filepath.Join(h.state, "workspaces", id, "worktree")
}

func (h *hammer) beside(id, name, text string, hand *rand.Rand) bool {
	if err := os.WriteFile(filepath.Join(h.worktree(id), name), []byte(text), []os.FileMode{0o644, 0o755}[hand.IntN(2)]); err != nil {
		return false // The session is closed.
	}
	if hand.IntN(3) == 0 {
		cmd := exec.Command("sh", "-c", `git add "$1" && git commit -qm "$1"`, "sh", name)
		cmd.Dir, cmd.Env = h.worktree(id), h.env
		if out, err := cmd.CombinedOutput(); err != nil {
			h.Logf("commit in %s: %s", id, out)
		} else {
			h.count("write: committed")
		}
	}
	return true
}

// typed tells whether the program of a session did what it was told. It may be
// ended before it does.
func (h *hammer) typed(ctx context.Context, id, name, text string) bool {
	for _, p := range h.panes(ctx) {
		if p.mark == id {
			h.ask(ctx, "send-keys", "-t", p.id, "-l", name+" "+text)
		}
	}
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); time.Sleep(pause) {
		if b, err := os.ReadFile(filepath.Join(h.worktree(id), name)); err == nil && string(b) == text {
			return true
		}
	}
	return false
}

// ask asks tmux; a server that has ended says nothing.
func (h *hammer) ask(ctx context.Context, args ...string) string {
	cmd := exec.CommandContext(ctx, "tmux", append([]string{"-u", "-S", h.socket}, args...)...)
	cmd.Env = h.env
	out, _ := cmd.Output()
	return string(out)
}

// marked is a pane of stint's.
type marked struct {
	mark, id string
	dead     bool
	pid      int
}

func (h *hammer) panes(ctx context.Context) []marked {
	var all []marked
	for line := range strings.Lines(h.ask(ctx, "list-panes", "-a", "-F", "#{@stint_session} #{pane_id} #{pane_dead} #{pane_pid}")) {
		if f := strings.Fields(line); len(f) == 4 {
			pid, _ := strconv.Atoi(f[3])
			all = append(all, marked{f[0], f[1], f[2] == "1", pid})
		}
	}
	return all
}

// agents are the processes of agents, by session.
func (h *hammer) agents() map[string][]int {
	all := make(map[string][]int)
	names, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range names {
		argv, _ := os.ReadFile(name)
		environ, _ := os.ReadFile(filepath.Join(filepath.Dir(name), "environ"))
		if !bytes.Contains(argv, []byte("\x00"+filepath.Join(h.dir, "agent")+"\x00")) {
			continue
		}
		for entry := range strings.SplitSeq(string(environ), "\x00") {
			if id, ok := strings.CutPrefix(entry, "STINT_SESSION_ID="); ok {
				pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
				all[id] = append(all[id], pid)
			}
		}
	}
	return all
}

// watch looks for a session with two agents at the same time.
func (h *hammer) watch(ctx context.Context) error {
	for ctx.Err() == nil {
		for id, pids := range h.agents() {
			// The first may have ended before the second was.
			alive := slices.DeleteFunc(pids, ended)
			if len(alive) > 1 {
				return fmt.Errorf("session %s has the agents %d at the same time", id, alive)
			}
		}
		h.count("watch: one agent each")
		time.Sleep(50 * time.Millisecond)
	}
	return nil
}

// list holds what is listed against what was known before it was asked for.
func (h *hammer) list(ctx context.Context, hand *rand.Rand) error {
	asked := []string{"session list --all --json", "runs list --json", "conversations list --json"}[hand.IntN(3)]
	h.mu.Lock()
	before, ids := maps.Clone(h.seen), slices.Clone(h.opened)
	if strings.HasPrefix(asked, "runs") {
		ids = slices.Collect(maps.Keys(h.saved))
	}
	h.mu.Unlock()
	out, _, err := h.call(ctx, strings.Fields(asked)...)
	type document struct {
		ID, Session string
		Revision    int
	}
	var v struct {
		Sessions, Runs, Conversations []document
		Unreadable                    []any
	}
	if err = errors.Join(err, json.Unmarshal([]byte(out), &v)); err != nil || len(v.Unreadable) > 0 {
		return fmt.Errorf("%s: %w: %s", asked, err, out)
	}
	listed := make(map[string]bool)
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, d := range slices.Concat(v.Sessions, v.Runs, v.Conversations) {
		listed[d.ID] = true
		if v.Conversations != nil {
			listed[d.Session] = true
		}
		if d.Revision < before[d.ID] {
			return fmt.Errorf("%s: %s has revision %d and had %d", asked, d.ID, d.Revision, before[d.ID])
		}
		h.seen[d.ID] = max(h.seen[d.ID], d.Revision)
	}
	for _, id := range ids {
		if !listed[id] {
			return fmt.Errorf("%s: %s is not listed", asked, id)
		}
	}
	return nil
}
