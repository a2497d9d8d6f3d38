package runner

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"
	"time"
)

// mostUnread is how much of what an agent printed is kept for who reads slowly.
const mostUnread = 16 << 20

// standstill is for how long a reader takes nothing who reads no more. It is
// less than is waited for the output of an agent that has ended.
const standstill = time.Second

// backlog hands on what an agent prints to a reader who may be slow, or stand
// still: that must hold up neither the agent nor the saving of its work. What a
// reader who stands still has not read beyond mostUnread is dropped, and told.
type backlog struct {
	mu      sync.Mutex
	held    bytes.Buffer
	lost    int       // bytes that were dropped since the last that was held
	read    time.Time // when the reader took something last
	stalled bool      // it took nothing for long, and all was full
	closed  bool

	more, taken chan struct{} // that there is, and that there was something taken
	over        chan struct{} // closed when all was handed on
}

func newBacklog(to io.Writer) *backlog {
	l := &backlog{read: time.Now(), more: make(chan struct{}, 1), taken: make(chan struct{}, 1), over: make(chan struct{})}
	go l.hand(to)
	return l
}

// Write never fails: that nobody listens any more is no reason to end an agent.
func (l *backlog) Write(b []byte) (int, error) {
	for !l.add(b) {
		select {
		case <-l.taken:
		case <-time.After(standstill):
		}
	}
	return len(b), nil
}

// add keeps b or, where the reader stands still, drops it. It does neither as
// long as there is no room and the reader may make some.
func (l *backlog) add(b []byte) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held.Len()+len(b) > mostUnread {
		l.stalled = l.stalled || time.Since(l.read) >= standstill
		if l.stalled {
			l.lost += len(b)
		}
		return l.stalled
	}
	l.tellLost()
	l.held.Write(b)
	wake(l.more)
	return true
}

func (l *backlog) tellLost() {
	if l.lost > 0 {
		fmt.Fprintf(&l.held, "\nstint: %d bytes that the agent printed here are lost: nobody read\n", l.lost)
		l.lost = 0
	}
}

// hand writes what is held, until there is nothing more to come.
func (l *backlog) hand(to io.Writer) {
	defer close(l.over)
	// In small pieces, so that one who reads slowly is seen to read.
	piece := make([]byte, 4<<10)
	for {
		l.mu.Lock()
		if l.closed {
			l.tellLost()
		}
		n, _ := l.held.Read(piece)
		closed := l.closed
		l.mu.Unlock()
		switch {
		case n > 0:
			to.Write(piece[:n])
			l.mu.Lock()
			l.read, l.stalled = time.Now(), false
			l.mu.Unlock()
			wake(l.taken)
		case closed:
			return
		default:
			<-l.more
		}
	}
}

// flush says that nothing more is to come, and waits for the reader; of one who
// was interrupted not for long.
func (l *backlog) flush(ctx context.Context) {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	wake(l.more)
	select {
	case <-l.over:
		return
	case <-ctx.Done():
	}
	select {
	case <-l.over:
	case <-time.After(hangup):
	}
}

// wake tells whoever waits, or is about to.
func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
