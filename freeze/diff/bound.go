package diff

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/freeze-contracts/permafrost/freeze/binding"
)

// bound is the bindings of one entry, which say what in it belongs to the box.
type bound []at

type at struct {
	binding.Occurrence
	kind  binding.Kind
	value string
	form  string // what stands in for the value: {id uuid v4}
}

// boundIn gathers the bindings by the path of the entry that they occur in.
func boundIn(bs []binding.Binding) map[string]bound {
	all := make(map[string]bound)
	for _, b := range bs {
		for _, o := range b.At {
			all[o.Path] = append(all[o.Path], at{o, b.Kind, b.Value, form(b)})
		}
	}
	for _, entry := range all {
		// The longest first: one value may begin with another.
		slices.SortStableFunc(entry, func(x, y at) int { return cmp.Compare(len(y.value), len(x.value)) })
	}
	return all
}

// set replaces the bound values that occur in text, which stands at pointer in
// one of the places where.
func (b bound) set(text, pointer string, where ...string) string {
	var forms []string
	for _, o := range b {
		if slices.Contains(where, o.Where) && (o.Pointer == pointer || o.Pointer == "" || pointer == anywhere) {
			forms = append(forms, o.value, o.form)
		}
	}
	if len(forms) == 0 {
		return text
	}
	// All at once: a short value may occur in what stands in for another.
	return strings.NewReplacer(forms...).Replace(text)
}

// whole is the form of data that is random by design from end to end, or
// nothing.
func (b bound) whole(data []byte) string {
	for _, o := range b {
		if o.kind == binding.Opaque && o.Where == "text" && o.Pointer == "" && o.value == string(data) {
			return o.form
		}
	}
	return ""
}

// anywhere is for what has no pointer of its own: keys, names, targets.
const anywhere = "*"

// form says what a bound value is, all that matters of it to another box.
func form(b binding.Binding) string {
	switch b.Kind {
	case binding.Path:
		return "{root}"
	case binding.Time:
		return "{time " + timeForm(b.Value) + "}"
	case binding.ID:
		return "{id " + idForm(b.Value) + "}"
	case binding.Derived:
		// The literal part may be a version of the derivation.
		return "{" + cmp.Or(b.Derive, "derived") + " " + hexRun.ReplaceAllStringFunc(b.Value, func(h string) string {
			return fmt.Sprintf("hex%d", len(h))
		}) + "}"
	case binding.Date:
		return "{date " + dateForm(b.Value) + "}"
	case binding.Opaque:
		return fmt.Sprintf("{opaque %d bytes}", len(b.Value))
	default:
		return "{" + string(b.Kind) + "}"
	}
}

var (
	hexRun    = regexp.MustCompile(`[0-9a-fA-F]{7,}`)
	uuidForm  = regexp.MustCompile(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-([0-9a-fA-F])[0-9a-fA-F]{3}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`)
	hexForm   = regexp.MustCompile(`^[0-9a-fA-F]+$`)
	clockForm = regexp.MustCompile(`^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$`)
	unixForm  = regexp.MustCompile(`^(\d+)(\.\d+)?$`)
)

func idForm(value string) string {
	if m := uuidForm.FindStringSubmatch(value); m != nil {
		return "uuid v" + m[1]
	}
	if hexForm.MatchString(value) {
		return fmt.Sprintf("hex %d digits", len(value))
	}
	if len(value) == 26 {
		return "ulid"
	}
	return fmt.Sprintf("%d characters", len(value))
}

var (
	secondPart = regexp.MustCompile(`(:\d\d)[.,]\d+`)
	datePart   = regexp.MustCompile(`\p{L}+|\d+`)
)

// dateForm is what a date has in common with others in its layout: words, and
// numbers of so many digits that each day and hour has them.
func dateForm(value string) string {
	value = secondPart.ReplaceAllString(value, "$1.0")
	return datePart.ReplaceAllStringFunc(value, func(part string) string {
		switch {
		case part[0] < '0' || part[0] > '9':
			return "Aa"
		case len(part) <= 2:
			return "0"
		}
		return strings.Repeat("0", len(part))
	})
}

func timeForm(value string) string {
	if m := clockForm.FindStringSubmatch(value); m != nil {
		zone := "UTC"
		if m[2] != "Z" {
			zone = "with offset"
		}
		// Writers drop trailing zeros, so digits count by threes.
		return "RFC 3339 " + [...]string{"s", "ms", "us", "ns"}[min((len(m[1])+2)/3, 3)] + " " + zone
	}
	if m := unixForm.FindStringSubmatch(value); m != nil {
		if m[2] != "" {
			return "unix s with fraction"
		}
		unit := map[int]string{10: "s", 13: "ms", 16: "us", 19: "ns"}[len(m[1])]
		return "unix " + cmp.Or(unit, fmt.Sprintf("%d digits", len(m[1])))
	}
	return fmt.Sprintf("%d characters", len(value))
}
