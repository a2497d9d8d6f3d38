package contracts

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/freeze-contracts/permafrost/freeze/binding"
	"github.com/freeze-contracts/permafrost/freeze/fixture"
	"github.com/freeze-contracts/permafrost/freeze/tree"
)

// moves are the values of a scenario that another place changes.
type moves struct {
	to    map[string]string         // value when frozen, to value now
	count map[string]map[string]int // by path in the box and value when frozen
	// Files in which a value stands in another spelling than the plain one, or
	// is derived from content: plain replacement does not tell what becomes of
	// them.
	other map[string]bool
}

func (k *checking) moves(ctx context.Context, s *fixture.Scenario, root string) (*moves, error) {
	m := &moves{to: make(map[string]string), count: make(map[string]map[string]int), other: make(map[string]bool)}
	for _, b := range s.Bindings {
		if b.Kind != binding.Path && b.Kind != binding.Derived {
			continue
		}
		now, known := root, true
		if b.Kind == binding.Derived {
			var err error
			if now, known, err = k.derived(ctx, b, root); err != nil {
				return nil, err
			}
		}
		m.to[b.Value] = now
		for _, at := range b.At {
			m.at(b.Value, at, known)
		}
	}
	return m, nil
}

func (m *moves) at(value string, at binding.Occurrence, known bool) {
	switch {
	case at.Where == "name":
		return
	case !known, at.Spelling != "" && at.Spelling != "raw":
		m.other[at.Path] = true
	}
	if m.count[at.Path] == nil {
		m.count[at.Path] = make(map[string]int)
	}
	m.count[at.Path][value] += at.Count
}

// derived is a derived value at the new root, if its inputs are paths only.
func (k *checking) derived(ctx context.Context, b binding.Binding, root string) (now string, known bool, err error) {
	inputs := make(map[string]string)
	var all strings.Builder
	for _, in := range b.Inputs {
		name, rest, ok := strings.Cut(strings.TrimPrefix(in, "{"), "}")
		switch {
		case !ok || !strings.HasPrefix(in, "{"):
			return "", false, nil
		case name != "root":
			rest = "/" + name + rest
		}
		inputs[in] = root + rest
		all.WriteString(root + rest)
	}
	text := []byte(all.String())
	switch b.Derive {
	case "sha256":
		sum := sha256.Sum256(text)
		now = hex.EncodeToString(sum[:])
	case "sha1":
		sum := sha1.Sum(text)
		now = hex.EncodeToString(sum[:])
	case "md5":
		sum := md5.Sum(text)
		now = hex.EncodeToString(sum[:])
	default:
		now, err = k.derive(ctx, b.Derive, inputs)
		return now, true, err
	}
	if strings.ToUpper(b.Value) == b.Value {
		now = strings.ToUpper(now)
	}
	return now[:len(b.Value)], true, nil
}

func (m *moves) plain(box string) bool { return !m.other[box] }

// apply is the content of an entry with every value that moves replaced, and
// an error if one does not stand in it exactly as often as recorded.
func (m *moves) apply(e tree.Entry) ([]byte, error) {
	// A value may begin with another one: a digest, and a prefix of it.
	values := slices.SortedFunc(maps.Keys(m.to), func(a, b string) int { return len(b) - len(a) })
	rest := slices.Concat(e.Data, []byte(e.Target))
	got := make(map[string]int)
	var out []byte
	for len(rest) > 0 {
		at := slices.IndexFunc(values, func(v string) bool { return bytes.HasPrefix(rest, []byte(v)) })
		if at < 0 {
			out, rest = append(out, rest[0]), rest[1:]
			continue
		}
		got[values[at]]++
		out, rest = append(out, m.to[values[at]]...), rest[len(values[at]):]
	}
	for _, v := range values {
		if got[v] != m.count[e.Path][v] {
			return nil, fmt.Errorf("%q: %q stands in it %d times, recorded are %d", e.Path, v, got[v], m.count[e.Path][v])
		}
	}
	return out, nil
}
