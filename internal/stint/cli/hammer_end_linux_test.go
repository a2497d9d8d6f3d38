package cli_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

var runOf = regexp.MustCompile(`^saved session \w+ as run (\w+) `)

func (h *hammer) save(ctx context.Context, hand *rand.Rand) error {
	return h.saveOne(ctx, h.one(hand))
}

func (h *hammer) saveOne(ctx context.Context, id string) error {
	if id == "" {
		return nil
	}
	h.mu.Lock()
	before := save{id, maps.Clone(h.works[id])}
	h.mu.Unlock()
	out, done, err := h.call(ctx, "session", "checkpoint", id)
	if done {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.saved[runOf.FindStringSubmatch(out)[1]] = before
	}
	return err
}

func (h *hammer) end(ctx context.Context, hand *rand.Rand) error {
	return h.endOne(ctx, h.one(hand))
}

func (h *hammer) endOne(ctx context.Context, id string) error {
	if id == "" {
		return nil
	}
	h.ending.RLock()
	defer h.ending.RUnlock()
	_, done, err := h.call(ctx, "session", "close", id)
	if done {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.closed[id] = true
	}
	return err
}

// finish saves and closes the session that both hands go for.
func (h *hammer) finish(ctx context.Context, _ *rand.Rand) error {
	return errors.Join(h.saveOne(ctx, h.target), h.endOne(ctx, h.target))
}

// lastWord has the program of that session leave work after it was found that
// there is none that would be lost, and before it is ended.
func (h *hammer) lastWord(ctx context.Context, hand *rand.Rand) error {
	document := filepath.Join(h.state, "sessions", h.target, "session.json")
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if b, err := os.ReadFile(document); err != nil || bytes.Contains(b, []byte(`"state": "clos`)) {
			break
		}
	}
	name, text := fmt.Sprintf("last-%d", h.fresh()), fmt.Sprintf("%x\n", hand.Uint64())
	if h.target != "" && h.typed(ctx, h.target, name, text) {
		h.count("write: the last word")
		h.wrote(h.target, name, text)
	}
	return nil
}
