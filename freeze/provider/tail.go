package provider

import (
	"io"
	"strings"
	"sync"
)

const (
	tailLines = 20
	tailBytes = 4096
)

// tail passes on what is written to it and remembers the end.
type tail struct {
	to  io.Writer
	end []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.end = append(t.end, p...)
	if n := len(t.end) - tailBytes; n > 0 {
		t.end = append(t.end[:0], t.end[n:]...)
	}
	// A log that cannot be written is no reason to stop a build.
	_, _ = t.to.Write(p)
	return len(p), nil
}

// String returns the last lines, indented, ready to follow a message.
func (t *tail) String() string {
	text := strings.TrimSpace(strings.ToValidUTF8(string(t.end), "?"))
	if text == "" {
		return ", it printed nothing"
	}
	lines := strings.Split(text, "\n")
	lines = lines[max(len(lines)-tailLines, 0):]
	return "; its last lines:\n\t" + strings.Join(lines, "\n\t")
}

// shared is a log of several builds at once.
type shared struct {
	mu sync.Mutex
	to io.Writer
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.to.Write(p)
}
