// Package subjects makes the programs that freeze is developed against: small
// ones in two languages, in two releases each, and a hostile one, every one in
// a git repository of its own with its freeze.toml and scenarios.
package subjects

import (
	"context"
	"testing"
)

// Names lists the subjects.
func Names() []string { return []string{"shell", "python", "hostile"} }

// Build makes the repository of the named subject in dir, which must not
// exist: its releases as commits with tags, and its scenarios.
func Build(ctx context.Context, name, dir string) error { panic("unbuilt") }

// Make is Build in a temporary folder of the test.
func Make(t testing.TB, name string) (repo string) { panic("unbuilt") }
