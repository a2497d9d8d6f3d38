package testbin_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/mutate/testbin"
)

// An interruption while go lists packages is told as one, and not as a package
// without tests.
func TestInterruptedList(t *testing.T) {
	for name, list := range map[string]func(context.Context, testbin.Builder) error{
		"Find": func(ctx context.Context, b testbin.Builder) error {
			_, _, err := b.Find(ctx, ".")
			return err
		},
		"Suites": func(ctx context.Context, b testbin.Builder) error {
			_, err := b.Suites(ctx, []string{"."})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			began := filepath.Join(dir, "began")
			require.NoError(t, os.WriteFile(filepath.Join(dir, "go"), []byte("#!/bin/sh\n: >\"$BEGAN\"\nexec sleep 600\n"), 0o755))
			t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
			ctx, cancel := context.WithCancelCause(t.Context())
			interrupted := errors.New("interrupted")
			got := make(chan error, 1)
			go func() { got <- list(ctx, testbin.Builder{Dir: dir, Env: append(os.Environ(), "BEGAN="+began)}) }()
			require.Eventually(t, func() bool { _, err := os.Stat(began); return err == nil }, time.Minute, 5*time.Millisecond)
			cancel(interrupted)
			require.Equal(t, interrupted, <-got)
		})
	}
}
