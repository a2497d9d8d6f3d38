package config

import (
	"regexp"
	"strings"
)

// Places are the values of the placeholders.
type Places struct {
	Bin     string // {bin}
	Home    string // {home}
	Project string // {project}
	Version string // {version}, without its leading v
}

// Expand replaces the placeholders in s. Load has refused those that do not
// exist, and those that have no meaning where they stand.
func (p Places) Expand(s string) string {
	return strings.NewReplacer(
		"{bin}", p.Bin,
		"{home}", p.Home,
		"{project}", p.Project,
		"{version}", strings.TrimPrefix(p.Version, "v"),
	).Replace(s)
}

// ExpandAll is Expand for each of a command's words.
func (p Places) ExpandAll(words []string) []string {
	expanded := make([]string, len(words))
	for i, w := range words {
		expanded[i] = p.Expand(w)
	}
	return expanded
}

// placeholders returns what in s reads as a placeholder, known or not. The
// shell's ${NAME} in upper case does not.
func placeholders(s string) []string {
	return regexp.MustCompile(`\{[a-z_]+\}`).FindAllString(s, -1)
}
