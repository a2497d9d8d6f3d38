package config_test

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/freeze-contracts/permafrost/freeze/config"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// The reference is complete: every key that Config has stands in it, and it
// promises none that Config lacks.
func TestReferenceKeys(t *testing.T) {
	documented := firstColumn(t, `[a-z_]+\.(?:NAME\.)?[a-z_]+`)
	accepted := keys("", reflect.TypeFor[config.Config]())
	slices.Sort(documented)
	slices.Sort(accepted)
	if diff := cmp.Diff(accepted, documented); diff != "" {
		t.Errorf("docs/freeze-toml.md (-accepted +documented)\n%s", diff)
	}
}

func TestReferenceKinds(t *testing.T) {
	text := reference(t)
	_, table, ok := strings.Cut(text, "| kind | the value is |\n")
	require.True(t, ok)
	table, _, _ = strings.Cut(table, "\n\n")
	var documented []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z]+)` \\|").FindAllStringSubmatch(table, -1) {
		documented = append(documented, row[1])
	}
	if diff := cmp.Diff(config.BindingKinds(), documented); diff != "" {
		t.Errorf("kinds (-accepted +documented)\n%s", diff)
	}
}

func TestReferencePlaceholders(t *testing.T) {
	documented := firstColumn(t, `\{[a-z]+\}`)
	if diff := cmp.Diff([]string{"{bin}", "{home}", "{project}", "{version}"}, documented); diff != "" {
		t.Errorf("placeholders (-accepted +documented)\n%s", diff)
	}
	for _, p := range documented {
		if got := (config.Places{Bin: "x", Home: "x", Project: "x", Version: "x"}).Expand(p); got != "x" {
			t.Errorf("Expand(%q) = %q: documented, and not expanded", p, got)
		}
	}
}

// Every example of the reference loads; a part of a file is completed with the
// tables it leaves out.
func TestReferenceExamples(t *testing.T) {
	blocks := regexp.MustCompile("(?s)```toml\n(.*?)```").FindAllStringSubmatch(reference(t), -1)
	require.NotEmpty(t, blocks)
	for _, block := range blocks {
		example := block[1]
		for _, table := range []string{
			"[subject]\nname = \"notes\"\nversion_args = []\n",
			"[provider]\nkind = \"git\"\nbuild = [\"make\", \"BIN={bin}\"]\n",
			"[family.notes]\nroots = [\"{home}\"]\n",
		} {
			if header, _, _ := strings.Cut(table, "\n"); !strings.Contains(example, header) {
				example += table
			}
		}
		dir := t.TempDir()
		script := filepath.Join(dir, "fixtures/scenarios/editor.sh")
		require.NoError(t, os.MkdirAll(filepath.Dir(script), 0o755))
		require.NoError(t, os.WriteFile(script, nil, 0o755))
		path := filepath.Join(dir, config.Name)
		require.NoError(t, os.WriteFile(path, []byte(example), 0o644))
		_, err := config.Load(path)
		require.NoError(t, err, example)
	}
}

func reference(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/freeze-toml.md")
	require.NoError(t, err)
	return string(text)
}

// firstColumn returns what stands alone in the first column of a table.
func firstColumn(t *testing.T, pattern string) []string {
	t.Helper()
	var found []string
	for _, row := range regexp.MustCompile("(?m)^\\| `("+pattern+")` \\|").FindAllStringSubmatch(reference(t), -1) {
		found = append(found, row[1])
	}
	require.NotEmpty(t, found)
	return found
}

// keys returns the dotted keys of a type, NAME where the user chooses one.
func keys(prefix string, t reflect.Type) []string {
	switch {
	case t.Kind() == reflect.Map && t.Elem().Kind() == reflect.Struct:
		return keys(prefix+".NAME", t.Elem())
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
		return keys(prefix, t.Elem())
	case t.Kind() != reflect.Struct:
		return []string{strings.TrimPrefix(prefix, ".")}
	}
	var all []string
	for field := range t.Fields() {
		if tag := field.Tag.Get("toml"); tag != "-" {
			all = append(all, keys(prefix+"."+tag, field.Type)...)
		}
	}
	return all
}
