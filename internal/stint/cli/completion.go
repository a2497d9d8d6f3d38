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
		err := root.GenBashCompletionV2(w, true)
		io.WriteString(w, bashWords)
		return err
	case "zsh":
		return root.GenZshCompletion(w)
	}
	return root.GenFishCompletion(w, true)
}

// bashWords takes the place of what cobra has to find the words of a line, which
// needs the package bash-completion. Without the package the words are those of
// bash, but that = and : end none: what no blank divides is one. The line counts
// up to the cursor.
const bashWords = `
__stint_init_completion()
{
    COMPREPLY=()
    if declare -F _get_comp_words_by_ref >/dev/null 2>&1; then
        _get_comp_words_by_ref "$@" cur prev words cword
        return
    fi
    local i word before= left=${COMP_LINE:0:COMP_POINT} blank
    words=()
    for ((i = 0; i <= COMP_CWORD; i++)); do
        blank=${left%%[![:space:]]*}
        left=${left#"$blank"}
        word=${COMP_WORDS[i]}
        ((i < COMP_CWORD)) || word=$left
        left=${left#"$word"}
        if [[ ${#words[@]} -gt 0 && -z $blank && -n $word && ( -z ${word//[=:]/} || -z ${before//[=:]/} ) ]]; then
            words[${#words[@]}-1]+=$word
        else
            words+=("$word")
        fi
        before=$word
    done
    cword=$((${#words[@]} - 1))
    cur=${words[cword]}
    prev=
    ((cword == 0)) || prev=${words[cword-1]}
}
`
