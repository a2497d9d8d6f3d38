package sandbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// margin is what a supervisor may take beyond the time that it was given.
	margin = 5 * time.Second
	// removeLimit is more than the removal of any box takes.
	removeLimit = 10 * time.Minute
	wakeEvery   = 200 * time.Millisecond
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
	r, err := b.order(ctx, request{Stop: &stop{Patience: nanoseconds(patience)}}, patience+margin)
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
	r, err := b.order(context.Background(), request{Remove: true}, removeLimit)
	if errors.Is(err, errGone) {
		err = b.folder.remove()
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

// hangUp waits for the end of a supervisor that has nothing left to do.
func (b *Box) hangUp() {
	b.control.wire.conn.Close()
	b.programs.wire.conn.Close()
	limited, cancel := context.WithTimeout(context.Background(), margin)
	defer cancel()
	go b.keepAwake(limited)
	select {
	case <-b.left:
	case <-limited.Done():
		b.supervisor.Process.Kill()
		<-b.left
	}
}

// order asks the supervisor for what takes a limited time. One that does not
// answer is lost: it is ended, and by the kernel its init with all that is in
// the namespace.
func (b *Box) order(ctx context.Context, r request, limit time.Duration) (reply, error) {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	go b.keepAwake(limited)
	answer, err := b.control.call(limited, r)
	if limited.Err() == nil || ctx.Err() != nil || !errors.Is(err, limited.Err()) {
		return answer, err
	}
	b.supervisor.Process.Kill()
	<-b.left
	return reply{}, errGone
}

// keepAwake lets the box's machinery go on that somebody stopped: what runs in
// the box may, being of the same user.
func (b *Box) keepAwake(ctx context.Context) {
	for {
		b.supervisor.Process.Signal(unix.SIGCONT)
		if b.init != nil {
			signalProcess(b.init.PID, b.init.Start, unix.SIGCONT)
		}
		select {
		case <-ctx.Done():
			return
		case <-b.left:
			return
		case <-time.After(wakeEvery):
		}
	}
}
