package cli

import (
	"bytes"
	"io"

	"github.com/spf13/cobra"
)

// completionAnswer is the shape of freeze completion --json.
type completionAnswer struct {
	Shell  string `json:"shell"`
	Script string `json:"script"`
}

func (a *app) completionCommand() *cobra.Command {
	shells := []string{"bash", "zsh", "fish"}
	return &cobra.Command{
		Use:   "completion bash|zsh|fish",
		Short: "print the script by which a shell completes the command lines of freeze",
		Long: `completion prints a script for a shell. With it, the tab key completes commands,
flags, and what there is in the project of the current folder: releases, tags
and families.`,
		Example: `  freeze completion bash >~/.local/share/bash-completion/completions/freeze
  freeze completion zsh >~/.zfunc/_freeze
  freeze completion fish >~/.config/fish/completions/freeze.fish`,
		Args:      exactArgs(1),
		ValidArgs: shells,
		RunE: func(cmd *cobra.Command, args []string) error {
			var script bytes.Buffer
			if err := completionScript(cmd.Root(), args[0], &script); err != nil {
				return err
			}
			if a.json {
				return writeJSON(a.stdout, completionAnswer{args[0], script.String()})
			}
			_, err := script.WriteTo(a.stdout)
			return err
		},
	}
}

func completionScript(root *cobra.Command, shell string, w io.Writer) error {
	switch shell {
	case "bash":
		return root.GenBashCompletionV2(w, true)
	case "zsh":
		return root.GenZshCompletion(w)
	case "fish":
		return root.GenFishCompletion(w, true)
	}
	return usagef("there is no script for %q; there are bash, zsh, fish", shell)
}
