package binding

import (
	"strings"
)

// judgeRuled weighs two tokens of which a rule covers at least one.
func (c *comparison) judgeRuled(x token, xs string, y token, ys string) verdict {
	if x.rule != y.rule {
		return differ("declared in one capture, and in the other the declared place holds something else")
	}
	r := x.rule
	// What a pattern leaves out is not derived, and so the same in every box.
	if r.Kind == Derived && r.pattern != nil && xs == ys && !r.pattern.MatchString(xs) {
		return verdict{}
	}
	for _, s := range []string{xs, ys} {
		if r.pattern != nil && !r.pattern.MatchString(s) {
			return differ("declared %s, but %q does not match the declared pattern %q", r.Kind, s, r.Pattern)
		}
	}
	switch r.Kind {
	case Decimal:
		if len(xs) != len(ys) && (padded(xs) || padded(ys)) {
			return differ("a declared number of %d digits with leading zeros against %d", len(xs), len(ys))
		}
	case Opaque:
		return judgeOpaque(xs, ys)
	case Date:
		return c.judgeDate(r.Layout, xs, ys)
	case Derived:
		if len(xs) != len(ys) {
			return differ("declared derived by %s: %d bytes against %d", r.Derive, len(xs), len(ys))
		}
		return verdict{kind: Derived, derive: r.Derive, inputs: r.Inputs}
	}
	return verdict{kind: r.Kind}
}

func padded(number string) bool {
	number = strings.TrimPrefix(number, "-")
	return len(number) > 1 && number[0] == '0' && number[1] != '.'
}

func judgeOpaque(xs, ys string) verdict {
	switch {
	case len(xs) != len(ys):
		return differ("declared opaque: %d bytes against %d", len(xs), len(ys))
	case xs == "":
		return verdict{}
	case xs == ys:
		v := differ("declared opaque, which is random by design, but the same in both boxes: take the declaration away")
		v.chance = len(xs) < 4
		return v
	}
	return verdict{kind: Opaque}
}

// judgePrefix finds the bound id that both words begin. It is asked when all
// ids are known.
func (c *comparison) judgePrefix(xs, ys string) verdict {
	const shortest = 4
	for x, y := range c.fromA {
		if len(xs) >= shortest && len(xs) == len(ys) && strings.HasPrefix(x, xs) && strings.HasPrefix(y, ys) {
			return verdict{kind: Prefix}
		}
	}
	if xs == ys {
		return verdict{}
	}
	return differ("declared the prefix of an id, but it begins no bound id (%d characters are the fewest)", shortest)
}
