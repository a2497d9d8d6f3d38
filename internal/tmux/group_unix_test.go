//go:build unix

package tmux_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/freeze-contracts/permafrost/internal/tmux"
	"github.com/stretchr/testify/require"
)

// A terminal sends C-c to a whole group, and its end also. Neither reaches a
// client that is at work.
func TestClientIsInAGroupOfItsOwn(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tmux"), []byte("#!/bin/sh\nps -o pgid= -p $$\n"), 0o755))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	out, err := tmux.User{Socket: filepath.Join(dir, "s"), Env: os.Environ()}.Run(t.Context(), "list-sessions")
	require.NoError(t, err)
	group, err := strconv.Atoi(strings.TrimSpace(out))
	require.NoError(t, err)
	require.NotEqual(t, syscall.Getpgrp(), group)
}
