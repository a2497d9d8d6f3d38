package script

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/freeze-contracts/permafrost/sandbox/script/begin"
	"github.com/rogpeppe/go-internal/testscript"
)

// MaxOutput is how many bytes a command of a script may print on each of
// standard output and standard error. testscript holds all of it in memory.
const MaxOutput = 16 << 20

// bounds ends the commands that print too much. Each is begun by this binary,
// which hands its output over and becomes the command: then what it prints
// comes through here.
type bounds struct {
	program string // this binary
	limit   string // how long the script may take

	mu   sync.Mutex
	told []overrun
}

// overrun is what a command did wrong, as it is told.
type overrun struct {
	line int // of an exec; 0 for Exec, whose caller fails at its line
	err  error
}

// boundsKey is where testscript keeps the bounds for commands of a role.
type boundsKey struct{}

// Exec is ts.Exec for a command that may print no more than MaxOutput.
func Exec(ts *testscript.TestScript, command string, args ...string) error {
	b := ts.Value(boundsKey{}).(*bounds)
	err := ts.Exec(b.program, append([]string{begin.Word, "0", command}, args...)...)
	if o, ok := b.take(func(o overrun) bool { return o.line == 0 }); ok {
		return o.err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return errors.New(b.tooLong())
	}
	return err
}

// tooLong is what to say of a command that was ended by the script's deadline.
func (b *bounds) tooLong() string {
	return fmt.Sprintf("it still ran when the script had taken %s, its limit, and was ended", b.limit)
}

// take returns the first that is meant, once.
func (b *bounds) take(meant func(overrun) bool) (overrun, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.IndexFunc(b.told, meant)
	if i < 0 {
		return overrun{}, false
	}
	o := b.told[i]
	b.told = slices.Delete(b.told, i, i+1)
	return o, true
}

func (b *bounds) tell(line int, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.told = append(b.told, overrun{line, err})
}

// tooMuch names the stream and the limit.
func tooMuch(stream string) error {
	return fmt.Errorf("it was ended, since it printed more than %d MiB on %s, the limit of a command: have it print less, or redirect it to a file (sh -c 'COMMAND >FILE')", MaxOutput>>20, stream)
}

// words are what the lines of a script have before the command of exec.
func (b *bounds) words(line int) string {
	return " '" + strings.ReplaceAll(b.program, "'", "''") + "' " + begin.Word + " " + strconv.Itoa(line)
}

// rewrite puts words into each exec of a script.
func (b *bounds) rewrite(script []byte, lines []Line) ([]byte, error) {
	all := strings.Split(string(script), "\n")
	for _, l := range lines {
		if l.Command() != "exec" || len(l.Args()) == 0 || strings.HasPrefix(l.Args()[0].Text, "&") {
			continue
		}
		words, err := split(l.Text)
		if err != nil {
			return nil, err
		}
		end := 0
		for _, w := range words[:len(words)-len(l.Args())] {
			end += strings.Index(l.Text[end:], w.Raw) + len(w.Raw)
		}
		all[l.N-1] = l.Text[:end] + b.words(l.N) + l.Text[end:]
	}
	return []byte(strings.Join(all, "\n")), nil
}

// plain is testscript's log as of the script that was written.
func (b *bounds) plain(log string, lines []Line) string {
	for _, l := range lines {
		log = strings.ReplaceAll(log, b.words(l.N), "")
		log = strings.ReplaceAll(log, strings.Join([]string{b.program, begin.Word, strconv.Itoa(l.N), ""}, " "), "")
	}
	return log
}

// forward copies a stream until its end or the limit, beyond which it calls end.
func forward(to io.WriteCloser, from io.ReadCloser, end func()) {
	defer to.Close()
	defer from.Close()
	if n, err := io.Copy(to, io.LimitReader(from, MaxOutput)); n < MaxOutput || err != nil {
		return
	}
	if n, _ := from.Read(make([]byte, 1)); n > 0 {
		end()
	}
}
