package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/freeze-contracts/permafrost/freeze/cut"
)

// progress shows long work: on a terminal a line for each scenario that is
// done and, below them, a bar for the whole; elsewhere the lines alone.
type progress struct {
	w     io.Writer
	live  bool // a terminal: the bar is redrawn in place
	color bool
	width int

	mu          sync.Mutex
	done, total int
	running     []string // what is under way, oldest first
}

// progress returns nil where nothing is to be shown.
func (a *app) progress() *progress {
	if a.quiet {
		return nil
	}
	p := &progress{w: a.stderr, width: 80}
	if f, ok := a.stderr.(*os.File); ok && term.IsTerminal(int(f.Fd())) && a.getenv("TERM") != "dumb" {
		p.live = true
		p.color = a.getenv("NO_COLOR") == ""
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 20 {
			p.width = w
		}
	}
	return p
}

// show takes one event of the work.
func (p *progress) show(e cut.Event) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	name := strings.Trim(e.Version+" "+e.Name, " ")
	switch e.Kind {
	case cut.Planned:
		p.total += e.Count
	case cut.Began:
		p.running = append(p.running, name)
	case cut.Ended:
		p.done++
		p.remove(name)
		p.line(fmt.Sprintf("%s  %s  %s", p.paint(fmt.Sprintf("%-9s", e.Status), e.Status.Bad()), name, e.Elapsed.Round(10*time.Millisecond)))
	case cut.Said:
		p.line(strings.TrimPrefix(name+": "+e.Text, ": "))
	}
	p.bar()
}

// end takes the bar away.
func (p *progress) end() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}

func (p *progress) remove(name string) {
	for i, r := range p.running {
		if r == name {
			p.running = append(p.running[:i], p.running[i+1:]...)
			return
		}
	}
}

func (p *progress) line(s string) {
	p.clear()
	fmt.Fprintln(p.w, s)
}

func (p *progress) clear() {
	if p.live {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

func (p *progress) bar() {
	if !p.live || p.total == 0 {
		return
	}
	const cells = 20
	full := cells * p.done / p.total
	s := fmt.Sprintf("[%s%s] %d/%d %s", strings.Repeat("#", full), strings.Repeat(".", cells-full), p.done, p.total, strings.Join(p.running, ", "))
	if r := []rune(s); len(r) >= p.width {
		s = string(r[:p.width-1])
	}
	fmt.Fprint(p.w, "\r\x1b[K"+s)
}

// paint gives a word its colour.
func (p *progress) paint(text string, bad bool) string {
	if !p.color {
		return text
	}
	color := "32" // green
	if bad {
		color = "31" // red
	}
	return "\x1b[" + color + "m" + text + "\x1b[0m"
}
