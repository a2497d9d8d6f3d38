package binding_test

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/freeze-contracts/permafrost/freeze/binding"
	"github.com/freeze-contracts/permafrost/freeze/tree"
)

// box stands for one box in which a program ran: it hands out what the machine
// would have given the program. The same seed gives the same ids and times
// under any root, which is what a thaw is measured against.
type box struct {
	root    string
	seed    uint64
	now     time.Time
	from    time.Time
	rand    *rand.Rand
	entries []tree.Entry
	born    int64
}

func newBox(root string, seed uint64) *box {
	from := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC).Add(time.Duration(seed) * 97 * time.Second)
	return &box{root: root, seed: seed, now: from, from: from, rand: rand.New(rand.NewPCG(seed, 7)), born: 1}
}

// clock is the time now; every look at it takes a moment.
func (b *box) clock() time.Time {
	b.now = b.now.Add(time.Duration(b.rand.IntN(3_000_000_000)) + 1)
	return b.now
}

func (b *box) bytes(n int) []byte {
	p := make([]byte, n)
	for i := range p {
		p[i] = byte(b.rand.Uint32())
	}
	return p
}

func (b *box) hex(digits int) string { return hex.EncodeToString(b.bytes((digits + 1) / 2))[:digits] }

func (b *box) uuid4() string {
	p := b.bytes(16)
	p[6], p[8] = p[6]&0x0f|0x40, p[8]&0x3f|0x80
	return dashed(p)
}

func (b *box) uuid7() string {
	p := b.bytes(16)
	ms := b.clock().UnixMilli()
	for i := range 6 {
		p[i] = byte(ms >> (40 - 8*i))
	}
	p[6], p[8] = p[6]&0x0f|0x70, p[8]&0x3f|0x80
	return dashed(p)
}

func dashed(p []byte) string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", p[:4], p[4:6], p[6:8], p[8:10], p[10:])
}

func (b *box) ulid() string {
	const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	out, ms := make([]byte, 26), b.clock().UnixMilli()
	for i := 9; i >= 0; i-- {
		out[i], ms = letters[ms&31], ms>>5
	}
	for i := 10; i < 26; i++ {
		out[i] = letters[b.rand.IntN(32)]
	}
	return string(out)
}

func (b *box) pid() int { return 300 + b.rand.IntN(30000) }

// put writes a file, making its folders.
func (b *box) put(name, data string) {
	b.add(tree.Entry{Path: name, Type: tree.File, Mode: 0o600, Data: []byte(data)})
}

func (b *box) link(name, target string) {
	b.add(tree.Entry{Path: name, Type: tree.Symlink, Target: target})
}

func (b *box) dir(name string) {
	if name == "home" || name == "project" || name == "." || b.has(name) {
		return
	}
	b.dir(path.Dir(name))
	b.born++
	b.entries = append(b.entries, tree.Entry{Path: name, Type: tree.Dir, Mode: 0o700, Born: b.born})
}

func (b *box) has(name string) bool {
	return slices.ContainsFunc(b.entries, func(e tree.Entry) bool { return e.Path == name })
}

func (b *box) add(e tree.Entry) {
	b.dir(path.Dir(e.Path))
	b.born++
	e.Born = b.born
	b.entries = append(b.entries, e)
}

func (b *box) run() *binding.Run {
	es := slices.Clone(b.entries)
	slices.SortFunc(es, func(x, y tree.Entry) int { return strings.Compare(x.Path, y.Path) })
	return &binding.Run{Root: b.root, From: b.from, To: b.now.Add(time.Second), Entries: es,
		Known: map[string]string{"host": "builder-7", "user": "ada", "uid": "1007", "tmux": "3.3a", "git": "2.39.5"}}
}

// frozen is a run as a fixture gives it back: without times of birth.
func frozen(r *binding.Run) *binding.Run {
	out := *r
	out.Entries = slices.Clone(r.Entries)
	for i := range out.Entries {
		out.Entries[i].Born = 0
	}
	return &out
}

func sha256Hex(s string) string { h := sha256.Sum256([]byte(s)); return hex.EncodeToString(h[:]) }
func sha1Hex(s string) string   { h := sha1.Sum([]byte(s)); return hex.EncodeToString(h[:]) }
func md5Hex(s string) string    { h := md5.Sum([]byte(s)); return hex.EncodeToString(h[:]) }
func b64(s string) string       { return base64.StdEncoding.EncodeToString([]byte(s)) }
func jsonSlash(s string) string { return strings.ReplaceAll(s, "/", `\/`) }
func escape(s string) string    { return url.QueryEscape(s) }
func dashes(s string) string    { return strings.ReplaceAll(s, "/", "-") }
func nano(t time.Time) string   { return t.Format(time.RFC3339Nano) }
func milli(t time.Time) string  { return t.Format("2006-01-02T15:04:05.000Z07:00") }
func micro(t time.Time) string  { return t.Format("2006-01-02T15:04:05.000000Z07:00") }

const (
	rootA     = "/tmp/fz.hjkmnpqr"
	rootB     = "/tmp/fz.bx/zxwvtsrqpnm"
	rootFresh = "/tmp/fz.ttrrkkjjhh"
)

func noDifference(t *testing.T, what string, ds []binding.Difference) {
	t.Helper()
	for _, d := range ds {
		t.Errorf("%s: false alarm: %v", what, d)
	}
	if len(ds) > 0 {
		t.FailNow()
	}
}
