package binding

import (
	"bytes"
	"fmt"
	"strings"
)

// verdict is what one token of the first capture against its partner in the
// second comes to: bound, literal (neither kind nor why), or a difference.
type verdict struct {
	kind   Kind
	derive string
	inputs []string
	a, b   clock  // of a time
	why    string // of a difference
	chance bool
}

func differ(format string, args ...any) verdict { return verdict{why: fmt.Sprintf(format, args...)} }

// judge weighs a pair of tokens. Whether an id has
// the same partner everywhere is seen at the end, see checkPartners.
func (c *comparison) judge(ta *text, x token, tb *text, y token) verdict {
	xs, ys := ta.data[x.start:x.end], tb.data[y.start:y.end]
	switch {
	case x.class == rootToken || y.class == rootToken:
		return c.judgeRoot(x, xs, y, ys)
	case x.rule != nil || y.rule != nil:
		return c.judgeRuled(x, string(xs), y, string(ys))
	case x.class == clockToken && y.class == clockToken:
		return judgeClock(x.clock, xs, y.clock, ys)
	case bytes.Equal(xs, ys):
		return verdict{}
	}
	if v, is := c.judgeDigest(x, string(xs), y, string(ys)); is {
		return v
	}
	return c.judgeValue(ta, x, string(xs), tb, y, string(ys))
}

func (c *comparison) judgeRoot(x token, xs []byte, y token, ys []byte) verdict {
	switch {
	case x.class != rootToken || y.class != rootToken:
		return differ("a path of the box in one, and none in the other")
	case x.spelling != y.spelling:
		return differ("the box's path is spelled in another way: %s against %s", x.spelling, y.spelling)
	case x.count != y.count:
		return differ("base64 that holds %d paths of the box against %d", x.count, y.count)
	case x.spelling == base64Std || x.spelling == base64URL:
		a, _ := decodeBase64(xs, x.spelling)
		b, _ := decodeBase64(ys, y.spelling)
		if !bytes.Equal(bytes.ReplaceAll(a, []byte(c.a.run.Root), nil), bytes.ReplaceAll(b, []byte(c.b.run.Root), nil)) {
			return differ("base64 that differs in more than the box's path; only a path is bound in there")
		}
	}
	return verdict{kind: Path}
}

func judgeClock(x clock, xs []byte, y clock, ys []byte) verdict {
	equal := bytes.Equal(xs, ys)
	switch {
	case equal && !(x.inside && y.inside):
		return verdict{}
	case !x.inside || !y.inside:
		return differ("a time outside of its own box's run: neither a constant nor made in the run")
	case clockForm(xs) != clockForm(ys):
		return differ("a time in another form: %s against %s", clockForm(xs), clockForm(ys))
	}
	if same, chance := fractions(xs, ys); !same {
		return verdict{chance: chance, why: fmt.Sprintf("a time with %d digits of a second against %d", fractionLen(xs), fractionLen(ys))}
	}
	return verdict{kind: Time, a: x, b: y}
}

// judgeDigest looks whether either token is the digest of a path.
func (c *comparison) judgeDigest(x token, xs string, y token, ys string) (v verdict, is bool) {
	hexes := func(c class) bool { return c == hexToken || c == decimalToken || c == clockToken }
	if !hexes(x.class) || !hexes(y.class) {
		return verdict{}, false
	}
	rx, isX := c.a.recipe(xs)
	ry, isY := c.b.recipe(ys)
	switch {
	case !isX && !isY:
		return verdict{}, false
	case isX && !isY:
		return differ("the %s of %q in the first, and not of the same path in the second", rx.algorithm, rx.input), true
	case isY && !isX:
		return differ("the %s of %q in the second, and not of the same path in the first", ry.algorithm, ry.input), true
	case rx.algorithm != ry.algorithm || rx.input != ry.input:
		return differ("the %s of %q against the %s of %q", rx.algorithm, rx.input, ry.algorithm, ry.input), true
	case len(xs) != len(ys):
		return differ("%d digits of the %s of %q against %d", len(xs), rx.algorithm, rx.input, len(ys)), true
	case !sameForm(idForm(hexToken, xs), idForm(hexToken, ys)):
		return differ("the %s of %q in another case", rx.algorithm, rx.input), true
	}
	return verdict{kind: Derived, derive: rx.algorithm, inputs: []string{rx.input}}, true
}

// judgeValue weighs two different values that no rule and no digest explains.
func (c *comparison) judgeValue(ta *text, x token, xs string, tb *text, y token, ys string) verdict {
	kind, ok := idClass(x, xs, y, ys)
	switch {
	case !ok && x.class == clockToken || !ok && y.class == clockToken:
		return differ("a time of this run against what is none, or is in another unit")
	case x.class == decimalToken && y.class == decimalToken:
		v := differ("a number that nothing declares; if it belongs to the box (a pid, a size), declare it with this file and pointer as kind decimal")
		v.chance = len(xs) >= minID && len(xs) == len(ys)
		return v
	case !ok:
		return differ("%s against %s", describe(x, xs), describe(y, ys))
	case !sameForm(idForm(kind, xs), idForm(kind, ys)) || len(xs) != len(ys):
		return differ("an id in another form: %s against %s", describe(x, xs), describe(y, ys))
	case c.a.git.objectID(c.a, ta, xs) || c.b.git.objectID(c.b, tb, ys):
		return differ("a git object id, which is never bound: with fixed dates, identity and content both boxes make the same")
	case regular(kind, xs) || regular(kind, ys):
		return differ("too regular for an id: a counter, or a number padded with zeros")
	case alike(kind, xs, ys):
		return differ("too much alike for an id: more than half of its characters are the same in both boxes")
	}
	if v := c.judgeIDTime(kind, xs, ys); v.why != "" {
		return v
	}
	return verdict{kind: ID}
}

func (c *comparison) judgeIDTime(kind class, xs, ys string) verdict {
	x, timed := c.a.window.idTime(kind, xs)
	y, _ := c.b.window.idTime(kind, ys)
	if timed && (!x.inside || !y.inside) {
		return differ("an id whose time is outside of its own box's run")
	}
	return verdict{}
}

// idClass is the class of id that both tokens can be. Hex digits may happen to
// be decimal ones in one box and not in the other.
func idClass(x token, xs string, y token, ys string) (class, bool) {
	hexes := func(t token, s string) bool {
		return t.class == hexToken || t.class == decimalToken || t.class == clockToken && strings.IndexByte(s, '.') < 0 && strings.IndexByte(s, '-') < 0
	}
	switch {
	case x.class == y.class && (x.class == uuidToken || x.class == ulidToken):
		return x.class, true
	case hexes(x, xs) && hexes(y, ys) && (x.class == hexToken || y.class == hexToken) && len(xs) >= minID && len(ys) >= minID:
		return hexToken, true
	}
	return 0, false
}

// sameForm takes digits alone, which have no case, for either case.
func sameForm(x, y string) bool {
	return x == y || x == "" || y == "" ||
		strings.HasPrefix(x, " ") && strings.HasSuffix(y, x) || strings.HasPrefix(y, " ") && strings.HasSuffix(x, y)
}

func describe(t token, text string) string {
	switch t.class {
	case uuidToken:
		return "a uuid (" + strings.TrimSpace(idForm(uuidToken, text)) + ")"
	case ulidToken:
		return "a ulid (" + idForm(ulidToken, text) + " case)"
	case hexToken:
		return fmt.Sprintf("%d hex digits (%s case)", len(text), idForm(hexToken, text))
	case clockToken:
		return "a time"
	}
	return fmt.Sprintf("%d digits", len(text))
}
