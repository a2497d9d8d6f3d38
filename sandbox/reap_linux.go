package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// lostDescendants is why a box whose supervisor died is kept.
const lostDescendants = "its supervisor died and it had no namespace, so nobody can tell any more what was started in it: " +
	"when you know that nothing of it runs, remove the folder"

// Boxes lists the boxes of this user under /tmp.
func Boxes() ([]Found, error) {
	roots, err := filepath.Glob(filepath.Join(tempDir(), "fz.*"))
	if err != nil {
		return nil, err
	}
	var boxes []Found
	for _, root := range roots {
		found, ok, err := place(root).inspect()
		if err == nil && ok { // one that cannot be looked at hides no other

			boxes = append(boxes, found)
		}
	}
	return boxes, nil
}

// inspect tells what is known of a box, and whether it is one.
func (p place) inspect() (found Found, ok bool, err error) {
	f, err := openFolder(p)
	if err != nil {
		return Found{}, false, nil
	}
	defer f.close()
	if !f.isOwn() {
		return Found{}, false, nil
	}
	r, err := f.readRecord()
	if errors.Is(err, os.ErrNotExist) {
		found, ok = f.inspectStub()
		return found, ok, nil
	}
	if err != nil {
		return Found{}, false, nil // the record of something else
	}
	found = Found{Root: string(p), Owner: f.hasOwner(r), Started: r.Started}
	if r.Founder != nil {
		found.Founder = r.Founder.PID
	}
	if !found.Owner {
		found.Spent = r.Supervisor == nil || r.Proved
		found.Left, err = f.left()
	}
	return found, true, err
}

// Reap ends what holds a box that was kept, proves it empty and removes it. A
// box whose owner lives is left alone and an error.
func Reap(ctx context.Context, box Found) error {
	f, err := openFolder(place(box.Root))
	if errors.Is(err, os.ErrNotExist) {
		return nil // its supervisor has removed it meanwhile
	}
	if err != nil {
		return fmt.Errorf("box %q: %w", box.Root, err)
	}
	defer f.close()
	if !f.isOwn() {
		return fmt.Errorf("box %q: it belongs to another user, so it is left alone", box.Root)
	}
	r, err := f.readRecord()
	if errors.Is(err, os.ErrNotExist) {
		err = f.removeStub()
		if err == nil {
			return nil
		}
	}
	if err != nil {
		return fmt.Errorf("box %q: %w", box.Root, err)
	}
	if f.hasOwner(r) {
		return fmt.Errorf("box %q: its owner lives, so it is left alone", box.Root)
	}
	return f.reap(ctx)
}

func (f *folder) reap(ctx context.Context) error {
	// Held to the end: a supervisor that is only just starting waits for the
	// lock, and then finds no box.
	owner, err := f.takeOver()
	if err != nil {
		return fmt.Errorf("box %q: %w", f.place, err)
	}
	defer owner.Close()
	came, err := f.endOrphan(ctx, defaultPatience)
	if err != nil {
		return fmt.Errorf("box %q: %w", f.place, err)
	}
	if came.Held {
		return &HeldError{Root: string(f.place), Left: came.Left, Why: came.Why}
	}
	return f.remove()
}

// hasOwner tells whether a supervisor lives, or is just being started.
func (f *folder) hasOwner(r record) bool {
	if r.Supervisor == nil {
		return r.Founder != nil && !r.Founder.gone()
	}
	if r.Boot == bootID() && !r.Supervisor.gone() {
		return true // whatever was put in the place of its lock
	}
	owner, err := f.open("owner", os.O_RDWR)
	if err != nil {
		return false
	}
	defer owner.Close()
	return isLockedByOther(owner)
}

// left lists what holds a box. The lease is not taken for that: whoever has it
// counts as a holder.
func (f *folder) left() ([]Process, error) {
	l, err := newLookout(f, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil // it never got so far that something could run in it
	}
	if err != nil {
		return nil, err
	}
	defer l.lease.Close()
	sockets, err := listening(string(f.place))
	if err != nil {
		return nil, err
	}
	var s sight
	err = l.processes(&s, sockets)
	return s.left, err
}

// takeOver gets the lock that a supervisor holds for life. Whoever lists boxes
// has it for a moment.
func (f *folder) takeOver() (*os.File, error) {
	owner, err := f.open("owner", os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(time.Second); !tryLock(owner); time.Sleep(lookEvery) {
		if time.Now().After(deadline) {
			owner.Close()
			return nil, errors.New("its owner lives, so it is left alone")
		}
	}
	return owner, nil
}

// endOrphan ends and proves what it can of a box without a supervisor. That
// nothing is left of what was started in it is known in three ways: the
// supervisor said so before it went, the kernel ended all with the namespace,
// or the machine was started again.
func (f *folder) endOrphan(ctx context.Context, patience time.Duration) (report, error) {
	r, err := f.readRecord()
	if err != nil {
		return report{}, err
	}
	if r.Proved {
		return report{}, nil
	}
	if err := f.checkRecorded(r); err != nil {
		return report{}, err
	}
	l, err := newLookout(f, 0)
	if errors.Is(err, os.ErrNotExist) && r.Supervisor == nil {
		return report{}, nil
	}
	if err != nil {
		return report{}, err
	}
	defer l.lease.Close()
	if r.Init != nil {
		l.none = r.Init.gone
	}
	e := ending{lookout: &l, pause: time.Sleep}
	came, err := e.run(ctx, patience)
	known := r.Supervisor == nil || r.Init != nil || r.Emptied || r.Boot != bootID()
	if err == nil && !came.Held && !known {
		came.Held, came.Why = true, lostDescendants
	}
	return came, err
}

// stopWithout is Stop for a box whose supervisor was killed.
func (b *Box) stopWithout(ctx context.Context, patience time.Duration) error {
	b.hangUp()
	owner, err := b.folder.takeOver()
	if err != nil {
		return fmt.Errorf("box %q: %w", b.place, err)
	}
	defer owner.Close()
	came, err := b.folder.endOrphan(ctx, patience)
	if err != nil {
		return fmt.Errorf("box %q: %w", b.place, err)
	}
	return b.take(came)
}
