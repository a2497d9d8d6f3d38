package binding_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/binding"
	"github.com/freeze-contracts/permafrost/freeze/tree"
)

// boxes plays a program in three boxes, and in a fourth to freeze again.
func boxes(t *testing.T, program func(b *box)) ([]binding.Binding, []binding.Difference) {
	t.Helper()
	play := func(root string, seed uint64) *binding.Run {
		b := newBox(root, seed)
		program(b)
		return b.run()
	}
	a := play(rootA, 1)
	bs, ds := binding.Find(a, play(rootB, 2), play(rootA, 3), nil)
	if len(ds) == 0 {
		noDifference(t, "Again", binding.Again(frozen(a), bs, play(rootFresh, 4), nil))
	}
	return bs, ds
}

func TestNamesAreToldByBirth(t *testing.T) {
	_, ds := boxes(t, func(b *box) {
		for _, state := range []string{"open", "closed", "open again"} {
			b.put("home/s/"+b.uuid4()+".json", state)
		}
	})
	noDifference(t, "Find", ds)
}

// An index that lists the ids decides before the order of birth does: the boxes
// may make the files in any order.
func TestNamesAreToldByWhatOthersSay(t *testing.T) {
	_, ds := boxes(t, func(b *box) {
		first, second := b.uuid4(), b.uuid4()
		b.put("home/index", first+"\n"+second+"\n")
		files := []string{"home/s/" + first, "home/s/" + second}
		for n := range files {
			at := (n + int(b.seed)) % 2
			b.put(files[at], strings.Repeat("x", at))
		}
	})
	noDifference(t, "Find", ds)
}

// A name that is a time may be another file's in the other box.
func TestEqualTimesInNamesAreNoEqualNames(t *testing.T) {
	write := func(root string, first int64) *binding.Run {
		b := newBox(root, 1)
		b.put("home/at-"+strconv.FormatInt(first, 10), "first")
		b.put("home/at-"+strconv.FormatInt(first+1, 10), "second")
		r := b.run()
		r.To = time.Unix(first+2, 0)
		return r
	}
	start := newBox(rootA, 1).from.Unix()
	_, ds := binding.Find(write(rootA, start), write(rootB, start+1), nil, nil)
	noDifference(t, "Find", ds)
}

// What a fixture keeps of the order of birth is that of the names, whatever
// order an older file lists them in.
func TestFrozenNamesKeepTheirOrder(t *testing.T) {
	_, ds := boxes(t, func(b *box) {
		first, second := strconv.FormatInt(b.clock().UnixMilli(), 10), strconv.FormatInt(b.clock().UnixMilli(), 10)
		b.put("home/log", second+"\n"+first+"\n")
		b.put("home/at-"+first, "first")
		b.put("home/at-"+second, "second")
	})
	noDifference(t, "Find", ds)
}

// The clock of a file system may stand still for several files.
func TestNamesBornAtOneMomentAreToldByContent(t *testing.T) {
	_, ds := boxes(t, func(b *box) {
		moment := b.born
		for _, state := range []string{"open", "closed", "open again"} {
			id := b.uuid4()
			b.born = moment + 10
			b.dir("home/s/" + id)
			b.put("home/s/"+id+"/doc.json", `{"id":"`+id+`","state":"`+state+`"}`)
		}
	})
	noDifference(t, "Find", ds)
}

func TestNamesThatNothingTellsApart(t *testing.T) {
	_, ds := boxes(t, func(b *box) {
		b.put("home/s/"+b.uuid4(), "a")
		b.born--
		b.put("home/s/"+b.uuid4(), "a")
	})
	require.NotEmpty(t, ds)
	require.Contains(t, ds[0].Why, "nothing tells apart")
}

// A time is bound where both boxes agree, since the next one will not.
func TestEqualTimesAreBound(t *testing.T) {
	write := func(root string) *binding.Run {
		b := newBox(root, 1)
		b.put("home/a", b.from.Format(time.RFC3339)+" "+strconv.FormatInt(b.from.Unix(), 10)+" 2020-01-01T00:00:00Z\n")
		return b.run()
	}
	bs, ds := binding.Find(write(rootA), write(rootB), nil, nil)
	noDifference(t, "Find", ds)
	var times []string
	for _, b := range bs {
		if b.Kind == binding.Time {
			times = append(times, b.Value)
		}
	}
	require.ElementsMatch(t, []string{"2026-11-30T09:01:37Z", "1796029297"}, times)
}

func TestEqualTimesAreBoundBesideWhatDiffers(t *testing.T) {
	write := func(root string) *binding.Run {
		b := newBox(root, 1)
		b.put("home/a", b.from.Format(time.RFC3339)+" "+root+" 2020-01-01T00:00:00Z\n")
		return b.run()
	}
	bs, ds := binding.Find(write(rootA), write(rootB), nil, nil)
	noDifference(t, "Find", ds)
	require.Len(t, bs, 2)
	require.Equal(t, "2026-11-30T09:01:37Z", bs[1].Value)
}

func TestTimesMayCoincideInOneBox(t *testing.T) {
	write := func(root string, seed uint64, apart time.Duration) *binding.Run {
		b := newBox(root, seed)
		b.put("home/a", b.from.Format(time.RFC3339)+"\n"+b.from.Add(apart).Format(time.RFC3339)+"\n")
		r := b.run()
		r.To = r.To.Add(time.Minute)
		return r
	}
	_, ds := binding.Find(write(rootA, 1, 0), write(rootB, 2, time.Second), nil, nil)
	noDifference(t, "Find", ds)
	_, ds = binding.Find(write(rootA, 1, 0), write(rootB, 2, -time.Second/2), nil, nil)
	noDifference(t, "Find", ds)
	_, ds = binding.Find(write(rootA, 1, time.Second), write(rootB, 2, -time.Second), nil, nil)
	require.Len(t, ds, 1)
	require.Contains(t, ds[0].Why, "comes after")
}

// A floating-point number of seconds in its shortest form has seven digits
// after the dot, or fewer where the last ones are zero.
func TestFloatingSeconds(t *testing.T) {
	fraction := map[uint64]string{1: "1234567", 2: "123457", 3: "12346", 4: "7654321"}
	_, ds := boxes(t, func(b *box) {
		b.put("home/a.json", fmt.Sprintf(`{"time": %d.%s}`, b.from.Unix()+1, fraction[b.seed]))
	})
	noDifference(t, "Find", ds)
	fraction[2] = "12"
	_, ds = boxes(t, func(b *box) {
		b.put("home/a.json", fmt.Sprintf(`{"time": %d.%s}`, b.from.Unix()+1, fraction[b.seed]))
	})
	require.Len(t, ds, 1)
	require.Contains(t, ds[0].Why, "7 digits of a second against 2")
}

func TestWhatChanceExplains(t *testing.T) {
	tests := []struct {
		name, a, b string
		chance     bool
	}{
		{"zeros at the end", "2026-11-30T09:01:38.123456789Z", "2026-11-30T09:03:15.123457Z", true},
		{"zeros kept", "2026-11-30T09:01:38.123456789Z", "2026-11-30T09:03:15.120Z", false},
		{"hex without a letter", "83746501", "10293847", true},
		{"numbers", "837", "102", false},
		{"numbers of other lengths", "83746501", "102938470", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			write := func(root string, seed uint64, text string) *binding.Run {
				b := newBox(root, seed)
				b.put("home/a", text)
				r := b.run()
				r.To = r.To.Add(time.Minute)
				return r
			}
			_, ds := binding.Find(write(rootA, 1, tt.a), write(rootB, 2, tt.b), nil, nil)
			require.Len(t, ds, 1)
			require.Equal(t, tt.chance, ds[0].Chance, ds[0].Error())
		})
	}
}

func TestRulesThatCannotBeUsed(t *testing.T) {
	tests := []struct {
		rule binding.Rule
		want string
	}{
		{binding.Rule{File: "[", Pointer: "/a", Kind: binding.Decimal}, "file: syntax error in pattern"},
		{binding.Rule{File: "a", Pointer: "a", Kind: binding.Decimal}, `pointer "a": neither empty, /STEP..., #name nor #target`},
		{binding.Rule{File: "a", Pointer: "/a", Kind: binding.ID}, `kind "id": recognised without a declaration, or unknown`},
		{binding.Rule{File: "a", Pointer: "/a", Kind: binding.Derived}, "kind derived without the name of its derivation"},
		{binding.Rule{File: "a", Pointer: "/a", Kind: binding.Date}, "kind date without its layout"},
		{binding.Rule{File: "a", Pointer: "/a", Kind: binding.Opaque, Pattern: "("}, "error parsing regexp"},
	}
	for _, tt := range tests {
		_, ds := binding.Find(&binding.Run{Root: rootA}, &binding.Run{Root: rootB}, nil, []binding.Rule{tt.rule})
		require.Len(t, ds, 1)
		require.Contains(t, ds[0].Error(), tt.want)
	}
}

func TestDifferenceSaysWhatAMaintainerNeeds(t *testing.T) {
	write := func(root string, pid string) *binding.Run {
		return &binding.Run{Root: root, Entries: []tree.Entry{{Path: "home/s.json", Type: tree.File, Data: []byte(`{"proc":{"pid":` + pid + `}}`)}}}
	}
	_, ds := binding.Find(write(rootA, "4242"), write(rootB, "5151"), nil, nil)
	require.Len(t, ds, 1)
	require.EqualError(t, ds[0], `"home/s.json" at /proc/pid (byte 15): "4242" against "5151": a number that nothing declares; `+
		`if it belongs to the box (a pid, a size), declare it with this file and pointer as kind decimal`)
}

func TestPrefixes(t *testing.T) {
	tests := []struct {
		name string
		cut  func(b *box, id string) string
		want string
	}{
		{"of a bound id", func(_ *box, id string) string { return id[:5] }, ""},
		{"too short to tell", func(_ *box, id string) string { return id[:3] }, "begins no bound id (4 characters are the fewest)"},
		{"of none", func(b *box, _ string) string { return b.hex(5) }, "begins no bound id"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			write := func(root string, seed uint64) *binding.Run {
				b := newBox(root, seed)
				id := b.hex(16)
				// The prefix comes first: it waits until the id is known.
				b.put("home/a.json", `{"short":"job-`+tt.cut(b, id)+`","id":"`+id+`"}`)
				return b.run()
			}
			rules := []binding.Rule{{File: "home/a.json", Pointer: "/short", Kind: binding.Prefix}}
			bs, ds := binding.Find(write(rootA, 1), write(rootB, 2), write(rootA, 3), rules)
			if tt.want == "" {
				noDifference(t, "Find", ds)
				require.True(t, slices.ContainsFunc(bs, func(b binding.Binding) bool { return b.Kind == binding.Prefix && len(b.Value) == 5 }))
				return
			}
			require.Len(t, ds, 1)
			require.Contains(t, ds[0].Why, tt.want)
		})
	}
}
