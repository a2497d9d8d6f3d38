package report

import (
	"bytes"
	_ "embed"
	"html/template"
	"io"

	"github.com/freeze-contracts/permafrost/internal/plain"
)

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string
	//go:embed page.js
	pageJS string
)

// HTML writes the report as one page that needs nothing else: no other file,
// no network, and a script only for the search.
func (r *Report) HTML(w io.Writer) error {
	page, err := template.New("page").Funcs(template.FuncMap{
		"css": func() template.CSS { return template.CSS(pageCSS) },
		"js":  func() template.JS { return template.JS(pageJS) },

		"count": count, "size": size, "seconds": seconds, "short": short, "join": join, "few": few, "slug": slug, "parts": parts,
		"families": families, "cell": (*Report).cell, "pairs": pairTable, "verb": verb,
		"suites": suites, "tally": tallyOf, "changes": changes, "documents": documents, "kinds": kinds,
		"regressions": regressionTable, "byFolder": byFolder, "mutants": mutantTable, "askedOf": suiteTable, "catches": catchTables, "useless": useless, "notable": notable,
		"verdicts": verdicts, "plots": (*Report).plots, "timings": (*Report).timings, "percent": percent,
	}).Parse(pageHTML)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := page.Execute(&b, r); err != nil {
		return err
	}
	// What turns the direction of writing, or is not seen at all, is written out.
	_, err = io.WriteString(w, plain.Lines(b.String()))
	return err
}
