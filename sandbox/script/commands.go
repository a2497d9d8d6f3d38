package script

import (
	"context"
	"fmt"
	"regexp"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

const (
	// waitFor is how long screen waits for what it is told to see.
	waitFor = 20 * time.Second
	// glance is the time between two looks at a screen.
	glance = 40 * time.Millisecond
)

// screen TARGET [-wait REGEXP] takes a pane's screen as standard output, as
// soon as it shows what REGEXP matches.
func (m mux) cmdScreen(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("unsupported: ! screen")
	}
	var want *regexp.Regexp
	switch {
	case len(args) == 1:
	case len(args) == 3 && args[1] == "-wait":
		re, err := regexp.Compile("(?m)" + args[2])
		ts.Check(err)
		want = re
	default:
		ts.Fatalf("usage: screen TARGET [-wait REGEXP]")
	}
	m.need(ts)
	text, err := m.await(args[0], want)
	fmt.Fprint(ts.Stdout(), text)
	ts.Check(err)
}

// await looks at target until want matches; a nil want matches at once.
func (m mux) await(target string, want *regexp.Regexp) (string, error) {
	for deadline := time.Now().Add(waitFor); ; time.Sleep(glance) {
		text, err := m.screen(target)
		switch {
		case err == nil && (want == nil || want.MatchString(text)):
			return text, nil
		case want == nil:
			return "", err
		case time.Now().Before(deadline):
		case err != nil:
			return "", fmt.Errorf("no screen after %s: %w", waitFor, err)
		default:
			return text, fmt.Errorf("screen of %q: nothing matches %q after %s", target, want.String()[len("(?m)"):], waitFor)
		}
	}
}

// keys TARGET [-l] KEY... types into a pane, in tmux's names for keys (Enter,
// C-c) or, with -l, to the letter.
func (m mux) cmdKeys(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("unsupported: ! keys")
	}
	if len(args) < 2 {
		ts.Fatalf("usage: keys TARGET [-l] KEY...")
	}
	m.need(ts)
	p, err := m.find(args[0])
	ts.Check(err)
	if args[1] == "-l" {
		err = m.server.SendText(context.Background(), p.ID, args[2:]...)
	} else {
		err = m.server.SendKeys(context.Background(), p.ID, args[1:]...)
	}
	ts.Check(err)
}

func (m mux) need(ts *testscript.TestScript) {
	if !m.there() {
		ts.Fatalf("this box has no tmux: set tmux = true under [box]")
	}
}
