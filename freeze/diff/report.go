package diff

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/freeze-contracts/permafrost/internal/plain"
)

// JSON writes the report as one JSON document.
func (r *Report) JSON(w io.Writer) error {
	text, err := json.Marshal(r, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// Text writes the report for a terminal.
func (r *Report) Text(w io.Writer) error {
	var out bytes.Buffer
	fmt.Fprintln(&out, r.Headline())
	var last Change
	for _, c := range r.Changes {
		if c.Kind != last.Kind || c.Family != last.Family {
			fmt.Fprintf(&out, "\n%s, %s\n", c.Family, c.Kind)
		}
		if c.Document != last.Document || c.Kind != last.Kind || c.Family != last.Family {
			fmt.Fprintf(&out, "  %s\n", plain.Line(c.Document))
		}
		last = c
		fmt.Fprintf(&out, "    %s  (%s)\n", c.Sentence(), strings.Join(c.Scenarios, ", "))
		for _, line := range c.Hunk() {
			fmt.Fprintf(&out, "      %s\n", line)
		}
	}
	r.apart(&out, "\nonly in %s, not compared: %s\n")
	for _, u := range r.Unread {
		fmt.Fprintf(&out, "\n%s\n", cut(u.String()))
	}
	_, err := w.Write(out.Bytes())
	return err
}

// Markdown writes the report for a release note or a pull request.
func (r *Report) Markdown(w io.Writer) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "## %s\n", r.Headline())
	var last Change
	for _, c := range r.Changes {
		if c.Kind != last.Kind || c.Family != last.Family {
			fmt.Fprintf(&out, "\n### %s, %s\n\n| document | change | scenarios |\n| --- | --- | --- |\n", c.Family, c.Kind)
		}
		last = c
		cells := []string{plain.Code(plain.Line(c.Document)), plain.Code(c.Sentence()), strings.Join(c.Scenarios, ", ")}
		for _, line := range c.Hunk() {
			cells[1] += "<br>" + plain.Code(line)
		}
		fmt.Fprintf(&out, "| %s |\n", strings.Join(cells, " | "))
	}
	r.apart(&out, "\nOnly in %s, not compared: %s\n")
	for _, u := range r.Unread {
		fmt.Fprintf(&out, "\n%s\n", plain.Code(cut(u.String())))
	}
	_, err := w.Write(out.Bytes())
	return err
}

// Headline counts what changed, in one line.
func (r *Report) Headline() string {
	documents := make(map[string]bool)
	for _, c := range r.Changes {
		documents[c.Family+"\x00"+c.Document] = true
	}
	return fmt.Sprintf("%s to %s: %s in %s, %s compared", r.A, r.B,
		plain.Count(len(r.Changes), "change"), plain.Count(len(documents), "document"), plain.Count(len(r.Compared), "scenario"))
}

func (r *Report) apart(out *bytes.Buffer, format string) {
	if len(r.OnlyA) > 0 {
		fmt.Fprintf(out, format, r.A, strings.Join(r.OnlyA, ", "))
	}
	if len(r.OnlyB) > 0 {
		fmt.Fprintf(out, format, r.B, strings.Join(r.OnlyB, ", "))
	}
}

// Sentence is the change in one line.
func (c Change) Sentence() string {
	switch c.What {
	case DocumentAdded, DocumentRemoved, Lines:
		return string(c.What)
	case FieldAdded:
		return fmt.Sprintf("%s: %s, %s", c.pointer(), c.What, short(c.New))
	case FieldRemoved:
		return fmt.Sprintf("%s: %s, %s", c.pointer(), c.What, short(c.Old))
	}
	change := fmt.Sprintf("%s %s -> %s", c.What, short(c.Old), short(c.New))
	if c.Pointer == "" {
		return change
	}
	return c.pointer() + ": " + change
}

func (c Change) pointer() string { return cmp.Or(plain.Line(c.Pointer), "the whole") }

// Hunk is a change of text line by line.
func (c Change) Hunk() []string {
	if c.What != Lines {
		return nil
	}
	const most = 20
	var lines []string
	for _, side := range []struct{ sign, text string }{{"-", c.Old}, {"+", c.New}} {
		all := slices.Collect(strings.Lines(side.text))
		for _, line := range all[:min(len(all), most)] {
			lines = append(lines, side.sign+cut(strings.TrimSuffix(line, "\n")))
		}
		if len(all) > most {
			lines = append(lines, fmt.Sprintf("%s... %d lines more", side.sign, len(all)-most))
		}
	}
	return lines
}

// short cuts what is too long for a line; the JSON form has all of it.
func short(text string) string {
	if text == "" {
		return "nothing"
	}
	return cut(text)
}

func cut(text string) string {
	const longest = 160
	text = plain.Line(text)
	if r := []rune(text); len(r) > longest {
		return fmt.Sprintf("%s... (%d characters more)", string(r[:longest]), len(r)-longest)
	}
	return text
}
