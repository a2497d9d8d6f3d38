package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/freeze-contracts/permafrost/internal/stint/runner"
	"github.com/freeze-contracts/permafrost/internal/stint/text"
	"github.com/freeze-contracts/permafrost/readers/conversation"
	"github.com/spf13/cobra"
)

type (
	conversationAnswer struct {
		Conversation *conversation.Document `json:"conversation"`
	}
	conversationsAnswer struct {
		Conversations []*conversation.Document `json:"conversations"`
		Unreadable    []unreadable             `json:"unreadable"`
	}
	endAnswer struct {
		Conversation *conversation.Document `json:"conversation"`
		Already      bool                   `json:"already_closed"`
	}
)

func (a *app) conversations() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "conversations",
		Short: "Look at and close conversations with agents",
		Example: `  stint conversations list
  stint conversations close 3c9e0d71b2aa`,
		Args: cobra.ArbitraryArgs,
		RunE: needsCommand,
	}
	cmd.AddCommand(a.conversationsList(), a.conversationsShow(), a.conversationsClose())
	return cmd
}

func (a *app) conversationsList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the project's conversations",
		Example: `  stint conversations list
  stint conversations list --json`,
		Args: takes(),
		RunE: a.with(func(_ context.Context, r *runner.Runner, _ *cobra.Command, _ []string) error {
			docs, skipped, err := r.Conversations.Documents()
			if err != nil {
				return err
			}
			v := conversationsAnswer{append([]*conversation.Document{}, docs...), notRead(skipped)}
			return a.print(v, func(w io.Writer) { conversationsText(w, v) })
		}),
	}
}

func conversationsText(w io.Writer, v conversationsAnswer) {
	if len(v.Conversations) == 0 && len(v.Unreadable) == 0 {
		fmt.Fprintln(w, "no conversations")
	}
	if len(v.Conversations) > 0 {
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "ID\tSTATE\tHARNESS\tSESSION\tRUNS\tCREATED")
		for _, c := range v.Conversations {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%d\t%s\n", c.ID, c.State, text.Plain(c.Harness), cmp.Or(c.Session, "-"), len(c.Runs), text.Clock(c.CreatedAt))
		}
		t.Flush()
	}
	for _, u := range v.Unreadable {
		fmt.Fprintf(w, "unreadable: %s: %s\n", u.Path, u.Reason)
	}
}

func (a *app) conversationsShow() *cobra.Command {
	return &cobra.Command{
		Use:   "show CONVERSATION",
		Short: "Show all that is known of a conversation",
		Example: `  stint conversations show 3c9e0d71b2aa
  stint conversations show 3c9e0d71b2aa --json`,
		Args: takes("CONVERSATION"),
		RunE: a.with(func(_ context.Context, r *runner.Runner, _ *cobra.Command, args []string) error {
			c, err := r.Conversations.Get(args[0])
			if err != nil {
				return err
			}
			return a.print(conversationAnswer{c}, func(w io.Writer) { conversationText(w, c) })
		}),
	}
}

func conversationText(w io.Writer, c *conversation.Document) {
	for _, line := range [][2]string{
		{"conversation", c.ID}, {"state", string(c.State)}, {"harness", text.Plain(c.Harness)}, {"session", c.Session},
		{"known as", text.Plain(c.ProviderSession)}, {"runs", strings.Join(c.Runs, " ")}, {"created", text.Since(c.CreatedAt)}, {"closed", text.Since(c.ClosedAt)},
	} {
		if line[1] != "" {
			fmt.Fprintf(w, "%-12s %s\n", line[0], line[1])
		}
	}
}

func (a *app) conversationsClose() *cobra.Command {
	return &cobra.Command{
		Use:   "close CONVERSATION",
		Short: "Say that a conversation is over",
		Long: `close has a conversation be over: it cannot be continued. Its runs, and a session
that it is of, stay as they are. Closing a closed one changes nothing.`,
		Example: `  stint conversations close 3c9e0d71b2aa`,
		Args:    takes("CONVERSATION"),
		RunE: a.with(func(ctx context.Context, r *runner.Runner, _ *cobra.Command, args []string) error {
			c, already, err := r.CloseConversation(ctx, args[0])
			if err != nil {
				return err
			}
			return a.print(endAnswer{c, already}, func(w io.Writer) {
				if already {
					fmt.Fprintf(w, "conversation %s was closed before, nothing was done\n", c.ID)
					return
				}
				fmt.Fprintf(w, "closed conversation %s\n", c.ID)
			})
		}),
	}
}
