package sandbox

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Stop ends everything in the box and proves it gone. It removes nothing. A
// box that cannot be proved empty is a *HeldError; Stop may be tried again.
// After Stop no program can be started, and none can call the box's tmux.
func (b *Box) Stop(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.stop(ctx)
}

func (b *Box) stop(ctx context.Context) error {
	if b.stopped {
		return nil
	}
	patience := b.patience
	if deadline, ok := ctx.Deadline(); ok {
		// What is left of it is for the answer to come back.
		patience = min(patience, time.Until(deadline)*9/10)
	}
	r, err := b.control.call(ctx, request{Stop: &stop{Patience: nanoseconds(patience)}})
	if errors.Is(err, errGone) {
		return b.stopWithout(ctx, patience)
	}
	if err = errors.Join(err, r.err("supervisor")); err != nil {
		return fmt.Errorf("box %q: %w", b.place, err)
	}
	return b.take(*r.Report)
}

func (b *Box) take(r report) error {
	b.ended = append(b.ended, r.Ended...)
	if r.Held {
		return &HeldError{Root: b.Root(), Left: r.Left, Why: r.Why}
	}
	b.stopped = true
	return nil
}

// Remove deletes the box. It is refused before Stop has succeeded.
func (b *Box) Remove() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.remove()
}

func (b *Box) remove() error {
	switch {
	case b.removed:
		return nil
	case !b.stopped:
		return fmt.Errorf("box %q: not proved empty, so it is not removed: Stop it first", b.place)
	}
	r, err := b.control.call(context.Background(), request{Remove: true})
	if errors.Is(err, errGone) {
		err = b.place.remove()
	}
	if err = errors.Join(err, r.err("supervisor")); err != nil {
		return fmt.Errorf("removing box %q: %w", b.place, err)
	}
	b.removed = true
	b.hangUp()
	return nil
}

// Close stops the box and removes it. It may be called again, also after an
// error.
func (b *Box) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.stop(context.Background()); err != nil {
		return err
	}
	return b.remove()
}

func (b *Box) hangUp() {
	b.control.wire.conn.Close()
	b.programs.wire.conn.Close()
	<-b.left
}
