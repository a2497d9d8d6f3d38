package binding

import "time"

// judgeDate weighs two values of which each may be a moment of its own run,
// written in a layout of the program's own. Boxes are in UTC.
func (c *comparison) judgeDate(layout, xs, ys string) verdict {
	x, isX := c.a.window.date(layout, xs)
	y, isY := c.b.window.date(layout, ys)
	switch {
	case xs == ys && !(x.inside && y.inside):
		return verdict{}
	case !isX || !isY:
		none := xs
		if isX {
			none = ys
		}
		return differ("declared date, but %q is none as %q", none, layout)
	case !x.inside || !y.inside:
		return differ("a date outside of its own box's run: neither a constant nor made in the run")
	}
	return verdict{kind: Date, a: x, b: y}
}

// date reads a moment, which lasts as long as the layout cannot tell it from
// the next one.
func (w window) date(layout, text string) (clock, bool) {
	at, err := time.Parse(layout, text)
	if err != nil {
		return clock{}, false
	}
	c := clock{at: at.UnixNano(), unit: int64(unitOf(layout))}
	c.inside = c.at <= w.to && w.from < c.at+c.unit
	return c, true
}

func unitOf(layout string) time.Duration {
	at := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	for _, unit := range []time.Duration{time.Second, time.Minute, time.Hour} {
		if at.Format(layout) != at.Add(unit).Format(layout) {
			return unit
		}
	}
	return 24 * time.Hour
}

func isDate(layout, text string) bool {
	_, err := time.Parse(layout, text)
	return err == nil
}
