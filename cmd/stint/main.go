// Command stint runs coding-agent sessions: each in a git worktree and a tmux
// session of its own, closed without losing work.
package main

import (
	"os"

	"github.com/freeze-contracts/permafrost/internal/stint/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr)) }
