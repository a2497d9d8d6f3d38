package script

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/freeze-contracts/permafrost/sandbox"
)

// Test plays each file that pattern names as a parallel subtest, each in a box
// of its own made from cfg, and requires the proof that the box is empty. The
// role is Plain's, which the TestMain hands to sandbox.Main.
//
// A machine without the tmux that cfg asks for skips the test, or fails it
// where PERMAFROST_CHECK=1 says that everything must be there.
func Test(t *testing.T, cfg sandbox.Config, pattern string) {
	t.Helper()
	if _, err := exec.LookPath("tmux"); cfg.Tmux && err != nil {
		if os.Getenv("PERMAFROST_CHECK") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no script is named by %q (%v)", pattern, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			test(t, cfg, file)
		})
	}
}

func test(t *testing.T, cfg sandbox.Config, file string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	if end, ok := t.Deadline(); ok {
		var cancel context.CancelFunc
		// Before the test binary ends itself, and with it what it knows.
		ctx, cancel = context.WithDeadline(ctx, end.Add(-time.Until(end)/5))
		defer cancel()
	}
	box, err := sandbox.Start(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := box.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := Play(ctx, box, "script", file, data); err != nil {
		t.Error(err)
	}
}
