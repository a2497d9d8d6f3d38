// Command demo makes the repositories of the subjects in a folder:
//
//	demo FOLDER [NAME...]
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/freeze-contracts/permafrost/internal/subjects"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintf(os.Stderr, "usage: demo FOLDER [NAME...]; names are %q\n", subjects.Names())
		os.Exit(2)
	}
	names := os.Args[2:]
	if len(names) == 0 {
		names = subjects.Names()
	}
	for _, name := range names {
		if err := subjects.Build(context.Background(), name, filepath.Join(os.Args[1], name)); err != nil {
			fmt.Fprintln(os.Stderr, "demo:", err)
			os.Exit(1)
		}
	}
}
