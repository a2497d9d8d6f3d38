package cli

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

type completionAnswer struct {
	Shell  string `json:"shell"`
	Script string `json:"script"`
}

func (a *app) completion() *cobra.Command {
	shells := []string{"bash", "zsh", "fish"}
	return &cobra.Command{
		Use:   "completion bash|zsh|fish",
		Short: "Print the script by which a shell completes stint's command lines",
		Long: `completion prints a script for a shell. With it, the tab key completes commands,
flags, and what there is in the project of the current folder: ids of sessions,
runs and conversations, work items, harnesses, states.`,
		Example: `  stint completion bash >~/.local/share/bash-completion/completions/stint
  stint completion zsh >~/.zfunc/_stint
  stint completion fish >~/.config/fish/completions/stint.fish`,
		Args:      takes("bash, zsh or fish"),
		ValidArgs: shells,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(shells, args[0]) {
				return misuse(cmd, fmt.Errorf("there is no script for %q; there are %s", args[0], strings.Join(shells, ", ")))
			}
			var script bytes.Buffer
			if err := generate(cmd.Root(), args[0], &script); err != nil {
				return err
			}
			return a.print(completionAnswer{args[0], script.String()}, func(w io.Writer) { script.WriteTo(w) })
		},
	}
}

func generate(root *cobra.Command, shell string, w io.Writer) error {
	switch shell {
	case "bash":
		return root.GenBashCompletionV2(w, true)
	case "zsh":
		return root.GenZshCompletion(w)
	}
	return root.GenFishCompletion(w, true)
}
