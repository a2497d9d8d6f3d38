// Freeze freezes what each release of a command-line program leaves on disk,
// and proves that the next release still reads it.
package main

import (
	"os"

	"github.com/freeze-contracts/permafrost/freeze/cli"
	"github.com/freeze-contracts/permafrost/freeze/read"
	"github.com/freeze-contracts/permafrost/freeze/scenario"
	"github.com/freeze-contracts/permafrost/sandbox"
)

func main() {
	sandbox.Main(scenario.Role(), read.Role())
	os.Exit(cli.Main(os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}
