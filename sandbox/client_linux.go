package sandbox

import (
	"context"
	"fmt"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// client is the caller's end of a wire: it matches replies to requests.
type client struct {
	wire *wire
	gone chan struct{} // closed when the other side is

	mu      sync.Mutex
	last    uint64
	waiting map[uint64]chan reply
}

func newClient(w *wire) *client {
	c := &client{wire: w, gone: make(chan struct{}), waiting: map[uint64]chan reply{}}
	go c.read()
	return c
}

func (c *client) read() {
	defer close(c.gone)
	for {
		var r reply
		if _, err := c.wire.receive(&r); err != nil {
			return
		}
		c.mu.Lock()
		answer := c.waiting[r.ID]
		delete(c.waiting, r.ID)
		c.mu.Unlock()
		if answer != nil {
			answer <- r
		}
	}
}

// ask sends a request; its reply comes on the channel.
func (c *client) ask(r request, files ...*os.File) (uint64, <-chan reply, error) {
	answer := make(chan reply, 1)
	c.mu.Lock()
	c.last++
	r.ID = c.last
	c.waiting[r.ID] = answer
	c.mu.Unlock()
	if err := c.wire.send(r, files...); err != nil {
		return 0, nil, err
	}
	return r.ID, answer, nil
}

func (c *client) signal(id uint64, s unix.Signal) {
	// A client that is gone has no program left to signal.
	_ = c.wire.send(request{ID: id, Signal: s})
}

func (c *client) call(ctx context.Context, r request) (reply, error) {
	_, answer, err := c.ask(r)
	if err != nil {
		return reply{}, err
	}
	return c.wait(ctx, answer)
}

func (c *client) wait(ctx context.Context, answer <-chan reply) (reply, error) {
	select {
	case r := <-answer:
		return r, nil
	case <-ctx.Done():
		return reply{}, ctx.Err()
	case <-c.gone:
	}
	select { // the last reply may have come just before
	case r := <-answer:
		return r, nil
	default:
		return reply{}, errGone
	}
}

func (r reply) err(what string) error {
	if r.Error == "" {
		return nil
	}
	return fmt.Errorf("%s: %s", what, r.Error)
}
