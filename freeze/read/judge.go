package read

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/freeze-contracts/permafrost/freeze/fixture"
)

// pointer is a place in an answer and the one in the view that it is compared
// with.
type pointer struct{ got, view string }

// how an answer is compared with a view.
type how struct {
	refused  string         // where an answer names what the program refused; empty for nowhere
	warned   *regexp.Regexp // what standard error says where it refused something; nil for nothing
	pointers []pointer      // none for the whole
}

// question divides the arguments of read.
func question(args []string) (name string, h how, command []string, err error) {
	if len(args) > 0 {
		name, command = args[0], args[1:]
	}
	for len(command) > 1 && strings.HasPrefix(command[0], "-") {
		switch command[0] {
		case "-refused":
			h.refused = command[1]
		case "-warned":
			h.warned, err = regexp.Compile("(?m)^.*(?:" + command[1] + ").*$")
		default:
			err = errors.New(readUsage)
		}
		if err != nil {
			return name, h, nil, err
		}
		command = command[2:]
	}
	h.pointers = pointersOf(command)
	if command = command[len(h.pointers):]; len(command) == 0 {
		err = errors.New(readUsage)
	}
	return name, h, command, err
}

// pointersOf reads the pointers that a command line begins with.
func pointersOf(args []string) []pointer {
	var all []pointer
	for _, a := range args {
		if !strings.HasPrefix(a, "/") {
			break
		}
		got, view, two := strings.Cut(a, "=/")
		if !two {
			all = append(all, pointer{a, a})
			continue
		}
		all = append(all, pointer{got, "/" + view})
	}
	return all
}

// judge compares an answer with a view. An error says that there was nothing
// to compare, so that the script is wrong.
func (h how) judge(view, got fixture.Output, stderr string) (Outcome, string, error) {
	if got.Exit != 0 && got.Exit != view.Exit {
		return Refuses, said(stderr, got.Stdout), nil
	}
	if got.Exit != view.Exit {
		return Misreads, fmt.Sprintf("exits 0, the view with status %d", view.Exit), nil
	}
	if got.Exit != 0 && len(h.pointers) > 0 { // both refuse: there is no answer to point into
		return Reads, "", nil
	}
	refusal, err := h.refusal(view.Stdout, got.Stdout)
	if refusal != "" || err != nil {
		return Refuses, refusal, err
	}
	difference, err := differ(view.Stdout, got.Stdout, h.pointers)
	switch {
	case err != nil:
		return "", "", err
	case difference == "":
		return Reads, "", nil
	case got.Exit != 0: // both refuse, and not in the same words
		return Refuses, said(stderr, got.Stdout), nil
	case h.warned != nil && h.warned.MatchString(stderr):
		return Refuses, h.warned.FindString(stderr), nil
	}
	return Misreads, difference, nil
}

// refusal is the first of what an answer says was refused, where it names more
// than the view does.
func (h how) refusal(view, got []byte) (string, error) {
	if h.refused == "" {
		return "", nil
	}
	was, err := fixture.ParseDocument("stdout", view).Select(h.refused)
	if err != nil {
		return "", err
	}
	is, err := fixture.ParseDocument("stdout", got).Select(h.refused)
	if err != nil || len(is) <= len(was) {
		return "", err
	}
	if text, ok := is[len(was)].(string); ok {
		return text, nil
	}
	return shown(is[len(was)]), nil
}

// warning is a line that does not tell why a program refused.
var warning = regexp.MustCompile(`(?i)\bwarn\b|warning\b`)

// said is the line that tells why a program refused: the first one that is no
// warning, but the last where the first announces the calls that led there,
// and the one that follows where it is the place that node shows.
func said(stderr string, stdout []byte) string {
	text := strings.TrimSpace(stderr)
	if text == "" {
		text = strings.TrimSpace(string(stdout))
	}
	lines := strings.Split(text, "\n")
	if strings.HasPrefix(lines[0], "Traceback") {
		return lines[len(lines)-1]
	}
	for i, line := range lines {
		if strings.TrimSpace(line) != "" && !warning.MatchString(line) {
			return cmp.Or(thrown(lines[i:]), line)
		}
	}
	return lines[0]
}

// place is where in a source something was thrown.
var place = regexp.MustCompile(`^\S.*:[0-9]+$`)

// thrown is what node says of an error that nobody caught, if it does: below
// the place, that line of the source, and a mark.
func thrown(lines []string) string {
	if len(lines) < 4 || !place.MatchString(lines[0]) || !strings.Contains(lines[2], "^") || strings.Trim(lines[2], " \t^") != "" {
		return ""
	}
	for _, line := range lines[3:] {
		if strings.TrimSpace(line) != "" {
			return line
		}
	}
	return ""
}

// differ tells the first difference, or nothing.
func differ(view, got []byte, pointers []pointer) (string, error) {
	want, is := fixture.ParseDocument("stdout", view), fixture.ParseDocument("stdout", got)
	if len(pointers) == 0 {
		if want.Kind == fixture.Binary || is.Kind == fixture.Binary {
			return binary(view, got), nil
		}
		if inLines(want) && inLines(is) { // pointers count them from 1
			return arrays("", want.Root.([]any), is.Root.([]any), 1), nil
		}
		return difference("", want.Root, is.Root), nil
	}
	for _, p := range pointers {
		d, err := differAt(want, is, p)
		if d != "" || err != nil {
			return d, err
		}
	}
	return "", nil
}

func inLines(d fixture.Document) bool {
	return d.Kind == fixture.Text || d.Kind == fixture.JSONLines
}

func binary(view, got []byte) string {
	if string(view) == string(got) {
		return ""
	}
	return fmt.Sprintf("the answer is not the view's %d bytes", len(view))
}

func differAt(want, is fixture.Document, p pointer) (string, error) {
	wanted, err := want.Select(p.view)
	if err != nil {
		return "", err
	}
	if len(wanted) == 0 {
		if err := empty(want, p.view); err != nil {
			return "", err
		}
	}
	got, err := is.Select(p.got)
	if err != nil {
		return "", err
	}
	if len(got) == 0 && len(wanted) > 0 {
		return fmt.Sprintf("%s is not there, the view has %s", p.got, shown(wanted[0])), nil
	}
	if len(got) != len(wanted) {
		return fmt.Sprintf("%s is there %d times, in the view %d times", p.got, len(got), len(wanted)), nil
	}
	for i := range got {
		if d := difference(p.got, wanted[i], got[i]); d != "" {
			return d, nil
		}
	}
	return "", nil
}

// empty refuses a pointer at nothing, unless a * in it stands for the elements
// of a list that has none: a misspelt one would compare nothing.
func empty(d fixture.Document, at string) error {
	list, _, starred := strings.Cut(at, "/*")
	lists, err := d.Select(list)
	if err != nil {
		return err
	}
	none := func(v any) bool {
		switch v := v.(type) {
		case []any:
			return len(v) == 0
		case map[string]any:
			return len(v) == 0
		}
		return false
	}
	if starred && len(lists) > 0 && none(lists[0]) {
		return nil
	}
	return fmt.Errorf("the view has nothing at %s", at)
}

// difference tells the first place at which two values are not alike.
func difference(at string, want, got any) string {
	switch want := want.(type) {
	case map[string]any:
		if got, ok := got.(map[string]any); ok {
			return objects(at, want, got)
		}
	case []any:
		if got, ok := got.([]any); ok {
			return arrays(at, want, got, 0)
		}
	}
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return fmt.Sprintf("%s is %s, in the view %s", named(at), shown(got), shown(want))
}

func objects(at string, want, got map[string]any) string {
	both := maps.Clone(want)
	maps.Copy(both, got)
	for _, key := range slices.Sorted(maps.Keys(both)) {
		place := at + "/" + fixture.PointerToken(key)
		w, wanted := want[key]
		g, is := got[key]
		switch {
		case !wanted:
			return fmt.Sprintf("%s is %s, the view has none", place, shown(g))
		case !is:
			return fmt.Sprintf("%s is not there, the view has %s", place, shown(w))
		}
		if d := difference(place, w, g); d != "" {
			return d
		}
	}
	return ""
}

func arrays(at string, want, got []any, first int) string {
	for i := range min(len(want), len(got)) {
		if d := difference(at+"/"+strconv.Itoa(first+i), want[i], got[i]); d != "" {
			return d
		}
	}
	if len(want) != len(got) {
		return fmt.Sprintf("%s has %d elements, in the view %d", named(at), len(got), len(want))
	}
	return ""
}

func named(at string) string {
	if at == "" {
		return "the answer"
	}
	return at
}

// shown is a value, cut short.
func shown(v any) string {
	const most = 60 // characters
	text := ""
	switch v := v.(type) {
	case map[string]any:
		return fmt.Sprintf("an object of %d members", len(v))
	case []any:
		return fmt.Sprintf("a list of %d elements", len(v))
	case string:
		text = strconv.Quote(v)
	case nil:
		return "null"
	default:
		text = fmt.Sprint(v)
	}
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "..."
	}
	return text
}
