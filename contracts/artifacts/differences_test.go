package artifacts_test

import (
	"bytes"
	"flag"
	"maps"
	"os"
	"path"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"
	"golang.org/x/mod/semver"

	"github.com/freeze-contracts/permafrost/contracts"
	"github.com/freeze-contracts/permafrost/internal/stint/cli"
)

// difference is where today's code deliberately answers otherwise than the
// releases before one did.
type difference struct {
	before string
	added  string // to the answer of this command; empty: it was there, in whatever answer
	member string // by its name
	as     func(t *testing.T, v string) string
	why    string
}

// differences are all of them. One that no fixture needs any more fails.
var differences = []difference{
	{"v0.2.0", "", "schema", func(*testing.T, string) string { return strconv.Itoa(today) }, "a document is upgraded as it is read"},
	{"v0.2.0", "", "created_at", fromSeconds, inSeconds},
	{"v0.2.0", "", "updated_at", fromSeconds, inSeconds},
	{"v0.2.0", "", "applied_at", fromSeconds, inSeconds},
	{"v0.2.0", "", "discarded_at", fromSeconds, inSeconds},
	{"v0.3.0", "status", "drift", func(*testing.T, string) string { return "[" }, "status tells which sessions run with an older env file"},
}

const inSeconds = "schema 1 had times in seconds since 1970, which order nothing that happens within one"

func fromSeconds(t *testing.T, v string) string {
	t.Helper()
	seconds, err := strconv.ParseInt(v, 10, 64)
	require.NoError(t, err)
	return strconv.Quote(time.Unix(seconds, 0).UTC().Format("2006-01-02T15:04:05.000Z"))
}

// commands are those of the views by which the scenarios end, without --json.
var commands = map[string]string{"list": "runs list", "show": "runs show RUN", "diff": "runs diff RUN", "conversations": "conversations list", "project": "status"}

// What today's commands answer is what the release's own answered last, member
// for member, but for the differences.
func TestPrinted(t *testing.T) {
	needed := make(map[string]bool)
	contracts.Each(t, "artifacts", func(t *testing.T, f *contracts.Fixture) {
		p := look(t, f)
		asked := maps.Clone(commands)
		maps.Copy(asked, p.asked)
		for _, view := range f.Views() {
			if asked[view] == "" {
				continue
			}
			f.Equal(t, "r10.exit", f.View(view).Exit, 0)
			want := members(t, f.View(view).Stdout)
			for _, d := range differences {
				if d.added == asked[view] && semver.Compare(f.Release, d.before) < 0 {
					want["/"+d.member] = ""
				}
				for pointer, value := range want {
					if semver.Compare(f.Release, d.before) < 0 && path.Base(pointer) == d.member {
						needed[d.member] = true
						want[pointer] = d.as(t, value)
						f.Equal(t, "r10.difference", want[pointer] == value, false)
					}
				}
			}
			id := "r10.printed"
			if strings.HasPrefix(asked[view], "conversations ") {
				id = "r11.printed"
			}
			f.Equal(t, id, members(t, p.stint(t, asked[view])), want)
		}
		f.Unchanged(t)
	})
	if strings.Contains(flag.Lookup("test.run").Value.String(), "/") {
		return // some of the fixtures were left out
	}
	for _, d := range differences {
		if !needed[d.member] {
			t.Errorf("difference %q before %s (%s): no fixture needs it", d.member, d.before, d.why)
		}
	}
}

// stint is what a command of today's prints.
func (p place) stint(t *testing.T, command string) []byte {
	t.Helper()
	names := []string{"TALK", p.talkID}
	if len(p.ids) > 0 {
		names = append(names, "RUN", p.ids[0])
	}
	args := append(strings.Fields(strings.NewReplacer(names...).Replace(command)), "--json")
	t.Chdir(p.main.Dir)
	var stdout, stderr bytes.Buffer
	require.Zero(t, cli.Main(args, p.env(), os.Stdin, &stdout, &stderr), "%q: %s", args, &stderr)
	return stdout.Bytes()
}

// members are the values in an answer, by pointer.
func members(t *testing.T, answer []byte) map[string]string {
	t.Helper()
	all := make(map[string]string)
	flatten(t, "", answer, all)
	return all
}

func flatten(t *testing.T, at string, v jsontext.Value, into map[string]string) {
	t.Helper()
	into[at] = v.Kind().String()
	switch v = bytes.TrimSpace(v); v.Kind() {
	case '{':
		var members map[string]jsontext.Value
		require.NoError(t, json.Unmarshal(v, &members), at)
		for name, member := range members {
			flatten(t, at+"/"+name, member, into)
		}
	case '[':
		var elements []jsontext.Value
		require.NoError(t, json.Unmarshal(v, &elements), at)
		for i, element := range elements {
			flatten(t, at+"/"+strconv.Itoa(i), element, into)
		}
	default:
		into[at] = string(v)
	}
}
