package tui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/freeze-contracts/permafrost/internal/stint/runner"
	"github.com/freeze-contracts/permafrost/internal/stint/text"
)

// page is text to be read: all that is known of a row, or help.
type page struct {
	title string
	of    row  // the zero row for help
	stale bool // it is being read again

	lines  []line
	shown  []line // as they are laid out for a width
	width  int
	height int // that it was drawn in last
	wide   int // bytes of the longest line that is cut
	top    int // the first line on the screen
	left   int // the first column on the screen, of lines that are cut
}

type line struct {
	text  string
	style func(string) string
	cut   bool // at the edge of the screen, and not wrapped there
}

// patchMost is how much of a patch is shown, in bytes.
const patchMost = 8 << 20

// wrapped are the lines of a text that is wrapped at the edge.
func wrapped(s string) []line {
	var all []line
	for l := range strings.Lines(s) {
		all = append(all, line{text: text.Line(strings.TrimSuffix(l, "\n")), style: plain})
	}
	return all
}

// open is the page on a row. That of a run has its patch.
func open(r *runner.Runner, of row) *page {
	p := &page{title: "unreadable", of: of, lines: wrapped(of.text)}
	switch {
	case of.session:
		p.title = "session " + of.id
	case of.run:
		p.title = "run " + of.id
		p.lines = append(p.lines, patchOf(r, of.id)...)
	}
	return p
}

// patchOf are the lines of a run's patch, or why there are none.
func patchOf(r *runner.Runner, id string) []line {
	m, err := r.Runs.Get(id)
	if err != nil {
		return wrapped("\n" + text.Error(err) + "\n")
	}
	if m.PatchSHA256 == "" {
		return nil
	}
	patch, err := r.Runs.Patch(m)
	if err != nil {
		return wrapped("\n" + text.Error(err) + "\n")
	}
	return append(wrapped("\n"), diff(id, patch)...)
}

// diff is a patch in git's form.
func diff(id string, patch []byte) []line {
	var all []line
	more := len(patch) - patchMost
	inside := false // of a hunk, where --- is a line that was taken out
	for _, s := range text.Patch(patch[:min(len(patch), patchMost)]) {
		style := plain
		switch {
		case strings.HasPrefix(s, "diff --git "):
			inside, style = false, bold
		case strings.HasPrefix(s, "@@"):
			inside, style = true, place
		case inside && strings.HasPrefix(s, "+"):
			style = added
		case inside && strings.HasPrefix(s, "-"):
			style = removed
		}
		all = append(all, line{text: s, style: style, cut: true})
	}
	if more > 0 {
		all = append(all, wrapped(fmt.Sprintf("\n%d bytes more: stint runs diff %s\n", more, id))...)
	}
	return all
}

// lay lays the lines out for a width.
func (p *page) lay(width int) {
	if p.width == width && p.shown != nil {
		return
	}
	p.width, p.shown = width, make([]line, 0, len(p.lines))
	for _, l := range p.lines {
		if l.cut {
			p.shown, p.wide = append(p.shown, l), max(p.wide, len(l.text))
			continue
		}
		for s := range strings.SplitSeq(ansi.Wrap(l.text, width, ""), "\n") {
			p.shown = append(p.shown, line{text: s, style: l.style})
		}
	}
}

// draw is what is on so many lines of the screen.
func (p *page) draw(width, height int) []string {
	p.lay(width)
	p.height = height
	p.top = max(0, min(p.top, len(p.shown)-height))
	var all []string
	for _, l := range p.shown[p.top:min(p.top+height, len(p.shown))] {
		s := l.text
		if l.cut {
			s = window(s, p.left, width)
		}
		all = append(all, l.style(s))
	}
	return all
}

// window is a part of a line, marked where there is more of it.
func window(s string, left, width int) string {
	// A line may have megabytes, and no column that is seen has many bytes.
	s = strings.ToValidUTF8(s[:min(len(s), 16*(left+width))], "")
	if left > 0 {
		s = ansi.TruncateLeft(s, left+1, "…")
	}
	return ansi.Truncate(s, width, "…")
}

// where says which lines are on a screen of so many.
func (p *page) where(height int) string {
	if len(p.shown) <= height {
		return ""
	}
	return fmt.Sprintf("%d-%d of %d", p.top+1, min(p.top+height, len(p.shown)), len(p.shown))
}

// move is about what was drawn last.
func (p *page) move(a act) {
	const aside = 8
	switch a {
	case up:
		p.top--
	case down:
		p.top++
	case pageUp:
		p.top -= p.height
	case pageDn:
		p.top += p.height
	case first:
		p.top, p.left = 0, 0
	case last:
		p.top = len(p.shown)
	case left:
		p.left = max(0, p.left-aside)
	case right:
		p.left = min(p.left+aside, p.wide)
	}
	p.top = max(0, min(p.top, len(p.shown)-p.height))
}

// helpPage is all keys.
func helpPage() *page {
	var b strings.Builder
	fmt.Fprintln(&b, "What is shown is what waits for something: sessions that are not closed, and runs\nthat are neither applied nor discarded. v shows all.")
	where := ""
	for _, k := range Keys() {
		if k.Where != where {
			where = k.Where
			fmt.Fprintf(&b, "\n%s\n", where)
		}
		fmt.Fprintf(&b, "  %-14s %s\n", strings.Join(k.Keys, ", "), k.Does)
	}
	return &page{title: "keys", lines: wrapped(b.String())}
}
