package tui

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// list is rows of which one is chosen.
type list struct {
	name   string
	head   []string
	rows   []row // that are shown
	total  int   // with those that are hidden
	widths []int // of the columns
	at     int   // the chosen one
	top    int   // the first one on the screen
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
	for _, cells := range append(rowCells(l.rows), l.head) {
		for i, c := range cells {
			l.widths[i] = max(l.widths[i], ansi.StringWidth(c))
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

// draw is the head and the rows around the chosen one, in so many lines.
func (l *list) draw(width, height int) []string {
	height--
	l.top = max(l.at-height+1, min(l.top, l.at, max(0, len(l.rows)-height)))
	all := []string{bold(ansi.Truncate("  "+l.columns(l.head), width, "…"))}
	for i := l.top; i < min(l.top+height, len(l.rows)); i++ {
		mark, style := "  ", plain
		if i == l.at {
			mark, style = "> ", reverse
		}
		line := l.rows[i].cells[0]
		if len(l.rows[i].cells) > 1 {
			line = l.columns(l.rows[i].cells)
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

func (l *list) columns(cells []string) string {
	var b strings.Builder
	for i, c := range cells {
		b.WriteString(c)
		if i < len(cells)-1 {
			b.WriteString(strings.Repeat(" ", l.widths[i]-ansi.StringWidth(c)+2))
		}
	}
	return b.String()
}
