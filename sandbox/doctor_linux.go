package sandbox

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/freeze-contracts/permafrost/internal/tmux"
)

// Doctor tells what this machine has of what boxes need. It starts a box and
// proves it empty, rather than guess from the machine's settings.
func Doctor() []Finding {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return append([]Finding{tmuxFinding(ctx), gitFinding(ctx)}, boxFindings(ctx)...)
}

func tmuxFinding(ctx context.Context) Finding {
	f := Finding{Name: "tmux", Remedy: "install tmux 3.2 or newer"}
	v, err := tmux.ReadVersion(ctx, "")
	if err != nil {
		f.Detail = err.Error()
		return f
	}
	f.Detail = "tmux " + v.Name
	return f.passed(v.AtLeast(3, 2))
}

func gitFinding(ctx context.Context) Finding {
	f := Finding{Name: "git", Remedy: "install git"}
	out, err := exec.CommandContext(ctx, "git", "--version").Output()
	if err != nil {
		f.Detail = err.Error()
		return f
	}
	f.Detail = strings.TrimSpace(string(out))
	return f.passed(true)
}

func boxFindings(ctx context.Context) []Finding {
	box := Finding{Name: "box", Remedy: "a box needs /tmp to be writable and to allow programs to run"}
	spaces := Finding{Name: "namespaces", Remedy: "boxes work without; with user namespaces allowed (or as root, with /proc mountable) " +
		"the kernel also ends what a killed supervisor leaves"}
	started := time.Now()
	b, err := Start(ctx, Config{})
	if err != nil {
		box.Detail = err.Error()
		return []Finding{box}
	}
	spaces.Detail = b.Namespace()
	if spaces.Detail == "" {
		spaces.Detail = "none with a /proc of its own"
	}
	spaces = spaces.passed(b.Namespace() != "")
	if err := b.Close(); err != nil {
		box.Detail = err.Error()
		return []Finding{box, spaces}
	}
	box.Detail = fmt.Sprintf("started, proved empty and removed in %d ms", time.Since(started).Milliseconds())
	return []Finding{box.passed(true), spaces}
}

func (f Finding) passed(ok bool) Finding {
	f.OK = ok
	if ok {
		f.Remedy = ""
	}
	return f
}
