package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/cut"
	"github.com/freeze-contracts/permafrost/freeze/diff"
	"github.com/freeze-contracts/permafrost/freeze/read"
	"github.com/freeze-contracts/permafrost/freeze/report"
	"github.com/freeze-contracts/permafrost/freeze/shard"
)

// docs/freeze-json.md has a table for each command, with every field and no
// other.
func TestJSONIsDocumented(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "freeze-json.md"))
	require.NoError(t, err)
	documented := map[string][]string{}
	for _, section := range strings.Split(string(data), "\n## ")[1:] {
		title, body, _ := strings.Cut(section, "\n")
		command := strings.Trim(title, "`")
		for _, m := range regexp.MustCompile("(?m)^\\| `(/[^`]*)` \\| ([^|]*[^| ]) +\\|").FindAllStringSubmatch(body, -1) {
			documented[command] = append(documented[command], m[1]+" "+m[2])
		}
	}
	want := map[string][]string{
		"freeze VERSION":            fields("", reflect.TypeFor[cut.Report]()),
		"freeze init":               fields("", reflect.TypeFor[begun]()),
		"freeze new":                fields("", reflect.TypeFor[begun]()),
		"freeze check":              fields("", reflect.TypeFor[checkReport]()),
		"freeze diff":               fields("", reflect.TypeFor[diff.Report]()),
		"freeze read":               fields("", reflect.TypeFor[read.Report]()),
		"freeze mutate":             fields("", reflect.TypeFor[mutateReport]()),
		"freeze mutate --generated": fields("", reflect.TypeFor[generatedReport]()),
		"freeze report":             fields("", reflect.TypeFor[report.Report]()),
		"freeze list":               fields("", reflect.TypeFor[[]row]()),
		"freeze completion":         fields("", reflect.TypeFor[completionAnswer]()),
		"freeze doctor":             fields("", reflect.TypeFor[doctorReport]()),
		"freeze reap":               fields("", reflect.TypeFor[[]reaped]()),
	}
	for command := range want {
		slices.Sort(want[command])
		slices.Sort(documented[command])
	}
	if d := cmp.Diff(want, documented); d != "" {
		t.Errorf("docs/freeze-json.md (-real +documented):\n%s", d)
	}
}

// fields lists the values that a type has as JSON, by their pointers.
func fields(pointer string, of reflect.Type) []string {
	switch {
	case of == reflect.TypeFor[time.Time]():
		return []string{pointer + " time"}
	case of.Kind() == reflect.Slice:
		return fields(pointer+"/*", of.Elem())
	case of.Kind() != reflect.Struct:
		return []string{pointer + " " + map[reflect.Kind]string{reflect.String: "string", reflect.Bool: "boolean", reflect.Int: "number", reflect.Int64: "number", reflect.Uint64: "number"}[of.Kind()]}
	}
	var all []string
	for field := range of.Fields() {
		if !field.IsExported() {
			continue
		}
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		below := fields(pointer+"/"+name, field.Type)
		if strings.HasPrefix(options, "omit") {
			for i := range below {
				below[i] = strings.TrimSuffix(below[i], "?") + "?"
			}
		}
		all = append(all, below...)
	}
	return all
}

// docs/report.md has each flag of the command, and no other.
func TestReportFlagsAreDocumented(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "report.md"))
	require.NoError(t, err)
	var documented, want []string
	for _, m := range regexp.MustCompile("(?m)^\\| `--([a-z]+)`").FindAllStringSubmatch(string(data), -1) {
		documented = append(documented, m[1])
	}
	(&app{}).reportCommand().Flags().VisitAll(func(f *pflag.Flag) { want = append(want, f.Name) })
	slices.Sort(documented)
	if d := cmp.Diff(want, documented); d != "" {
		t.Errorf("docs/report.md (-real +documented):\n%s", d)
	}
}

// What a program printed may be no UTF-8, which JSON cannot hold.
func TestWriteJSONOfAnyText(t *testing.T) {
	report := cut.Report{Releases: []cut.ReleaseReport{{Version: "v1.0.0", Error: "caf\xe9: no such note"}}}
	var out bytes.Buffer
	require.NoError(t, writeJSON(&out, report))
	require.Contains(t, out.String(), "caf\uFFFD: no such note")

	file := filepath.Join(t.TempDir(), "part.json")
	a := &app{quiet: true}
	require.NoError(t, a.write(shardOptions{Shard: shard.Shard{N: 1}, file: file}, partFreeze, shard.State{}, nil, nil, report))
	part, err := shard.Read(file)
	require.NoError(t, err)
	require.Contains(t, string(part.Result), "caf\uFFFD: no such note")
}
