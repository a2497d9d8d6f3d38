package report

import (
	"cmp"
	"fmt"
	"html/template"
	"path"
	"slices"
	"strings"

	"github.com/freeze-contracts/permafrost/freeze/read"
	"github.com/freeze-contracts/permafrost/internal/plain"
)

// count is a number of things: 1 file, 2,345 files.
func count(n int, thing string) string { return grouped(int64(n)) + " " + plain.Things(n, thing) }

// grouped is a number with a comma between each three digits.
func grouped(n int64) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// size is a number of bytes, in units of 1024.
func size(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

// seconds is a time in milliseconds, for people.
func seconds(ms int64) string {
	switch {
	case ms == 0:
		return "0 s"
	case ms < 10_000:
		return fmt.Sprintf("%.2f s", float64(ms)/1000)
	case ms < 120_000:
		return fmt.Sprintf("%.1f s", float64(ms)/1000)
	}
	return fmt.Sprintf("%d min %02d s", ms/60_000, ms/1000%60)
}

// short is a commit as people quote it.
func short(commit string) string { return commit[:min(len(commit), 12)] }

func join(words []string) string { return strings.Join(words, ", ") }

// few names some of many.
func few(words []string) string {
	const most = 4
	if len(words) <= most+1 {
		return join(words)
	}
	return fmt.Sprintf("%s and %d more", join(words[:most]), len(words)-most)
}

// parts is a name of several parts that a narrow column may break between them.
func parts(name string) template.HTML {
	return template.HTML(strings.ReplaceAll(template.HTMLEscapeString(name), "/", "/<wbr>"))
}

// slug is text as a part of an anchor.
func slug(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, strings.ToLower(text))
}

// folder is the one of a file's path.
func folder(file string) string { return path.Dir(file) }

// verb is an outcome behind a number: 1 refuses, 2 refuse.
func verb(n int, outcome read.Outcome) string {
	if n == 1 {
		return "1 " + string(outcome)
	}
	return grouped(int64(n)) + " " + strings.TrimSuffix(string(outcome), "s")
}

// group has the things of one name together.
type group[T any] struct {
	Name string
	All  []T
}

// grouping puts things together by name, and keeps their order.
func grouping[T any](all []T, name func(T) string) []group[T] {
	var groups []group[T]
	for _, t := range all {
		i := slices.IndexFunc(groups, func(g group[T]) bool { return g.Name == name(t) })
		if i < 0 {
			i = len(groups)
			groups = append(groups, group[T]{Name: name(t)})
		}
		groups[i].All = append(groups[i].All, t)
	}
	return groups
}

func sortedGroups[T any](all []T, name func(T) string) []group[T] {
	groups := grouping(all, name)
	slices.SortFunc(groups, func(a, b group[T]) int { return cmp.Compare(a.Name, b.Name) })
	return groups
}
