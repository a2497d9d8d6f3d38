package cli_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
)

var (
	hammerFor  = flag.Duration("hammer", 3*time.Second, "how long two hands are at work on the same sessions")
	hammerSeed = flag.Uint64("hammer-seed", 0, "what they do, as an earlier test logged it; 0 is another each time")
)

// typist writes each line that is typed to it into the file that it names.
const typist = `#!/bin/sh
while read -r name text; do printf '%s\n' "$text" >"$name"; done
`

// hammer is a desk at which two hands are at work, and what they were told.
type hammer struct {
	rotation
	program, state string

	// ending is held by whatever may end a session. Who writes into a worktree
	// and is no program of the session's cannot be kept from it meanwhile, so
	// work is only typed then.
	ending sync.RWMutex

	mu     sync.Mutex
	calls  map[string]int               // by command and outcome
	opened []string                     // ids
	closed map[string]bool              // by id
	works  map[string]map[string]string // content by session and file, that is known to have been written
	saved  map[string]save              // by run
	put    map[string]bool              // runs that were applied
	seen   map[string]int               // revisions, by document
	made   int                          // names and values

	// What both hands go for in a round, at its begin and every other time.
	purpose []string
	target  string

	verified map[string]map[string]string // hashes of the files in a run, that were looked at
}

// save is what a checkpoint has to hold: the work from before it.
type save struct {
	session string
	works   map[string]string
}

func newHammer(t *testing.T) *hammer {
	t.Helper()
	program := filepath.Join(build(t), "stint")
	h := &hammer{
		program: program, rotation: newRotation(t, "TOKEN=0\n"), calls: make(map[string]int), closed: make(map[string]bool), put: make(map[string]bool),
		works: make(map[string]map[string]string), verified: make(map[string]map[string]string), saved: make(map[string]save), seen: make(map[string]int),
	}
	h.script("agent", typist)
	h.state = h.stateDir()
	h.env = append(h.env, "TMPDIR="+filepath.Join(h.dir, "tmp"))
	require.NoError(t, os.Mkdir(filepath.Join(h.dir, "tmp"), 0o700))
	return h
}

// Two hands open, checkpoint, close, restart and list the same sessions, and no
// document, no work and no session is lost. All is looked at as often as both
// have made a few calls, and that no conversation has two agents at any time.
func TestHammer(t *testing.T) {
	h := newHammer(t)
	seed := *hammerSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-hammer-seed %d", seed)
	t.Cleanup(func() { h.log() })
	clash, hands := rand.New(rand.NewPCG(seed, 0)), []*rand.Rand{rand.New(rand.NewPCG(seed, 1)), rand.New(rand.NewPCG(seed, 2))}
	rounds := 0
	for end := time.Now().Add(*hammerFor); rounds < 4 || time.Now().Before(end); rounds++ {
		h.purpose, h.target = purposes(clash), ""
		h.target = h.one(clash)
		watching, stop := context.WithCancel(t.Context())
		var watch, round errgroup.Group
		watch.Go(func() error { return h.watch(watching) })
		for i, hand := range hands {
			first := [][]deed{{h.open, h.open}, {h.finish, h.lastWord}, {nil, nil}}[rounds%3][i]
			round.Go(func() error { return h.work(t.Context(), hand, first) })
		}
		err := round.Wait()
		stop()
		require.NoError(t, errors.Join(err, watch.Wait()))
		h.check()
		if rounds%4 == 3 {
			h.must("git", "add", "-A")
			h.must("git", "commit", "-qm", "taken", "--allow-empty")
		}
	}
	clear(h.verified)
	h.check()
	for _, done := range []string{"open: done", "write: done"} {
		require.Positive(t, h.calls[done], done)
	}
}

func (h *hammer) log() {
	for _, name := range slices.Sorted(maps.Keys(h.calls)) {
		h.Logf("%5d %s", h.calls[name], name)
	}
}

// deed is one thing that a hand does.
type deed = func(context.Context, *rand.Rand) error

// work does a few things, the first at the same time as the other hand; if it
// is not told which that is, something to a session.
func (h *hammer) work(ctx context.Context, hand *rand.Rand, first deed) error {
	deeds := []deed{
		h.write, h.write, h.write, h.write, h.save, h.save, h.save, h.save, h.end, h.end, h.end, h.end, h.restart, h.restart, h.recover,
		h.open, h.open, h.open, h.list, h.list, h.status, h.apply, h.turn,
	}
	const more, onSessions = 7, 15
	if first == nil {
		first = deeds[hand.IntN(onSessions)]
	}
	err := first(ctx, hand)
	for n := 0; n < more && err == nil; n++ {
		err = deeds[hand.IntN(len(deeds))](ctx, hand)
	}
	return err
}

// fresh is a number that was not there before.
func (h *hammer) fresh() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.made++
	return h.made
}

// purposes are the arguments that say what a session is for.
func purposes(hand *rand.Rand) []string {
	switch n := hand.IntN(6); n {
	case 0:
		return nil
	case 1:
		return []string{"--standing", "triage"}
	default:
		return []string{"--work-item", fmt.Sprintf("github:octo/repo#%d", n)}
	}
}

func (h *hammer) open(ctx context.Context, hand *rand.Rand) error {
	purpose := h.purpose
	if hand.IntN(2) == 0 {
		purpose = purposes(hand)
	}
	out, done, err := h.call(ctx, append([]string{"session", "open", "agent", "--no-attach"}, purpose...)...)
	if done {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.opened = append(h.opened, opened.FindStringSubmatch(out)[1])
	}
	return err
}

// one is a session: the one that both go for, or mostly one that is not known
// to be closed.
func (h *hammer) one(hand *rand.Rand) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.target != "" && hand.IntN(2) == 0 {
		return h.target
	}
	ids := slices.Clone(h.opened)
	if hand.IntN(10) > 0 {
		ids = slices.DeleteFunc(ids, func(id string) bool { return h.closed[id] })
	}
	if len(ids) == 0 {
		return ""
	}
	return ids[hand.IntN(len(ids))]
}

func (h *hammer) restart(ctx context.Context, hand *rand.Rand) error {
	args := []string{"session", "restart", "--all"}
	if id := h.one(hand); id != "" && hand.IntN(2) == 0 {
		args[2] = id
	} else if hand.IntN(3) == 0 {
		args = append(args[:2], "--work-item", fmt.Sprintf("github:octo/repo#%d", 2+hand.IntN(4)))
	}
	if hand.IntN(3) == 0 {
		args = append(args, "--force")
	}
	out, _, err := h.call(ctx, args...)
	for of, row := range rows(out) {
		outcome, why, _ := strings.Cut(row, " ")
		if outcome == "failed" || outcome == "stale" || outcome == "unverified" {
			return errors.Join(err, fmt.Errorf("%s: %s: %s %s", args, of, outcome, why))
		}
		h.count("restart of one: " + outcome)
	}
	return err
}

// turn rotates the env file, whole or not at all.
func (h *hammer) turn(context.Context, *rand.Rand) error {
	n := h.fresh()
	next := filepath.Join(h.dir, fmt.Sprintf("next-%d", n))
	h.count("rotate: done")
	return errors.Join(os.WriteFile(next, fmt.Appendf(nil, "TOKEN=%d\n", n), 0o600), os.Rename(next, filepath.Join(h.dir, "secrets.env")))
}

func (h *hammer) status(ctx context.Context, _ *rand.Rand) error {
	out, _, err := h.call(ctx, "status", "--json")
	var v struct{ Unreadable, Tmux_unknown []any }
	if err := errors.Join(err, json.Unmarshal([]byte(out), &v)); err != nil || len(v.Unreadable)+len(v.Tmux_unknown) > 0 {
		return fmt.Errorf("status: %w: %s", err, out)
	}
	return nil
}

func (h *hammer) recover(ctx context.Context, hand *rand.Rand) error {
	args := []string{"session", "recover"}
	if id := h.one(hand); id != "" && hand.IntN(2) == 0 {
		args = append(args, id)
	}
	h.ending.RLock()
	defer h.ending.RUnlock()
	_, _, err := h.call(ctx, args...)
	return err
}

func (h *hammer) apply(ctx context.Context, hand *rand.Rand) error {
	h.mu.Lock()
	runs := slices.Sorted(maps.Keys(h.saved))
	h.mu.Unlock()
	if len(runs) == 0 {
		return nil
	}
	run := runs[max(hand.IntN(len(runs)), hand.IntN(len(runs)))]
	_, done, err := h.call(ctx, "runs", "apply", run)
	if done {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.put[run] = true
	}
	return err
}
