package tui

import (
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// list is rows of which one is chosen.
type list struct {
	name   string
	head   []string
	rows   []row    // that are shown
	total  int      // with those that are hidden
	spare  []string // columns that go where there is no room, the first one first
	widths []int    // of the columns; 0: nothing is in it
	at     int      // the chosen one
	top    int      // the first one on the screen
}

// fill takes new rows and stays with the one that was chosen.
func (l *list) fill(rows []row, everything bool) {
	chosen := ""
	if r := l.chosen(); r != nil {
		chosen = r.id
	}
	l.total = len(rows)
	l.rows = slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return r.over && !everything })
	if i := slices.IndexFunc(l.rows, func(r row) bool { return r.id == chosen }); i >= 0 {
		l.at = i
	}
	l.move(0)
	l.widths = make([]int, len(l.head))
	for _, cells := range rowCells(l.rows) {
		for i, c := range cells {
			l.widths[i] = max(l.widths[i], ansi.StringWidth(c))
		}
	}
	for i, name := range l.head { // One with nothing in it is left out.
		if l.widths[i] > 0 {
			l.widths[i] = max(l.widths[i], ansi.StringWidth(name))
		}
	}
}

// rowCells are those that are in columns.
func rowCells(rows []row) [][]string {
	all := make([][]string, 0, len(rows)+1)
	for _, r := range rows {
		if r.session || r.run {
			all = append(all, r.cells)
		}
	}
	return all
}

func (l *list) chosen() *row {
	if len(l.rows) == 0 {
		return nil
	}
	return &l.rows[l.at]
}

func (l *list) move(by int) { l.at = max(0, min(l.at+by, len(l.rows)-1)) }

// gap is between two columns, and before the first one, where the mark is.
const gap = 2

// layout is which columns there are on a screen, by their widths; 0: it is not
// there.
type layout []int

// layout fits the columns to a width. A time gives up its clock first; then
// columns go as a whole.
func (l *list) layout(width int) layout {
	to := slices.Clone(layout(l.widths))
	if i := slices.Index(l.head, created); to.width() > width {
		to[i] = min(to[i], len(time.DateOnly))
	}
	for _, name := range l.spare {
		if to.width() > width {
			to[slices.Index(l.head, name)] = 0
		}
	}
	return to
}

func (to layout) width() int {
	sum := 0
	for _, w := range to {
		if w > 0 {
			sum += gap + w
		}
	}
	return sum
}

// line is what a row has in the columns that are there.
func (to layout) line(cells []string) string {
	var b strings.Builder
	blanks := 0
	for i, c := range cells {
		if to[i] == 0 {
			continue
		}
		c = ansi.Truncate(c, to[i], "")
		b.WriteString(strings.Repeat(" ", blanks) + c)
		blanks = to[i] - ansi.StringWidth(c) + gap
	}
	return b.String()
}

// draw is the head and the rows around the chosen one, in so many lines.
func (l *list) draw(width, height int) []string {
	height--
	l.top = max(l.at-height+1, min(l.top, l.at, max(0, len(l.rows)-height)))
	to := l.layout(width)
	all := []string{bold(ansi.Truncate("  "+to.line(l.head), width, "…"))}
	for i := l.top; i < min(l.top+height, len(l.rows)); i++ {
		mark, style := "  ", plain
		if i == l.at {
			mark, style = "> ", reverse
		}
		line := l.rows[i].cells[0]
		if len(l.rows[i].cells) > 1 {
			line = to.line(l.rows[i].cells)
		}
		all = append(all, style(ansi.Truncate(mark+line, width, "…")))
	}
	if len(l.rows) == 0 {
		all = append(all, "  "+l.none())
	}
	return all
}

func (l *list) none() string {
	if l.total > 0 {
		return "no " + l.name + " that wait for anything: v shows all"
	}
	return "no " + l.name
}
