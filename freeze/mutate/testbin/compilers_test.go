package testbin_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/mutate/source"
	"github.com/freeze-contracts/permafrost/freeze/mutate/testbin"
)

// The compilers that go has started end with an interruption, too.
func TestInterruptedCompiler(t *testing.T) {
	for name, run := range map[string]func(context.Context, testbin.Builder) error{
		"Build": func(ctx context.Context, b testbin.Builder) error {
			_, err := b.Build(ctx, ".", b.Dir)
			return err
		},
		"Load": func(ctx context.Context, b testbin.Builder) error {
			_, err := source.Load(ctx, b.Dir, b.Env, ".")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write := func(name, text string, mode os.FileMode) {
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), mode))
			}
			write("go.mod", "module example.org/slow\n", 0o644)
			write("slow.go", "package slow\n", 0o644)
			write("slow_test.go", "package slow\n", 0o644)
			// A compiler of this package that does not end; all else is as it is.
			pid := filepath.Join(dir, "pid")
			write("slowly", "#!/bin/sh\ncase \"$TOOLEXEC_IMPORTPATH $2\" in example.org/slow*-V=full) ;; example.org/slow*) echo $$ >\""+pid+"\"; exec sleep 600 ;; esac\nexec \"$@\"\n", 0o755)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			got := make(chan error, 1)
			env := append(os.Environ(), "GOFLAGS=-toolexec="+filepath.Join(dir, "slowly"))
			go func() { got <- run(ctx, testbin.Builder{Dir: dir, Env: env}) }()
			var text []byte
			require.Eventually(t, func() bool {
				text, _ = os.ReadFile(pid)
				return bytes.HasSuffix(text, []byte("\n"))
			}, time.Minute, 5*time.Millisecond)
			cancel()
			require.ErrorIs(t, <-got, context.Canceled)
			require.Eventually(t, func() bool {
				return exec.Command("kill", "-0", string(bytes.TrimSpace(text))).Run() != nil
			}, time.Minute, 5*time.Millisecond, "the compiler still runs")
		})
	}
}
