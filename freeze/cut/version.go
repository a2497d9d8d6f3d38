package cut

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"github.com/freeze-contracts/permafrost/sandbox"
)

// versionPattern finds a whole semantic version, with or without its v, and with
// whatever pre-release or build it has: v1.2.0-rc.1 is not v1.2.0.
var versionPattern = regexp.MustCompile(`\bv?([0-9]+\.[0-9]+\.[0-9]+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?)\b`)

// What a program may take to say its version.
const (
	versionTime = 10 * time.Second
	versionText = 64 << 10 // bytes of each stream
)

// limited keeps what a program prints, and stops it once that is too much.
type limited struct {
	text bytes.Buffer // not embedded: io.Copy would find its ReadFrom
	stop context.CancelCauseFunc
}

func (l *limited) Write(data []byte) (int, error) {
	if l.text.Len()+len(data) > versionText {
		err := fmt.Errorf("printed more than %d bytes", versionText)
		l.stop(err)
		return 0, err
	}
	return l.text.Write(data)
}

// verifyVersion asks the release's own program, in a box of its own, which
// version it is. A pre-release or the wrong binary is never frozen under a
// release's name.
func verifyVersion(ctx context.Context, box sandbox.Config, program string, args []string, want string) (err error) {
	b, err := sandbox.Start(ctx, box)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	command := append([]string{program}, args...)
	ctx, cancel := context.WithTimeoutCause(ctx, versionTime, fmt.Errorf("has not ended after %s", versionTime))
	defer cancel()
	ctx, tooMuch := context.WithCancelCause(ctx)
	defer tooMuch(nil)
	stdout, stderr := limited{stop: tooMuch}, limited{stop: tooMuch}
	code, err := b.Run(ctx, sandbox.Cmd{Args: command, Stdout: &stdout, Stderr: &stderr})
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return fmt.Errorf("release %s: %q: %w; see version_args in freeze.toml", want, strings.Join(command, " "), err)
	}
	if code != 0 {
		return fmt.Errorf("release %s: %q exited %d%s", want, strings.Join(command, " "), code, said(stderr.text.String()+stdout.text.String()))
	}
	if err := matchVersion(stdout.text.String(), want); err != nil {
		return fmt.Errorf("release %s: %q: %w", want, strings.Join(command, " "), err)
	}
	return nil
}

// matchVersion requires that the first line of a program's version text names
// exactly one version, and that it is the wanted one.
func matchVersion(text, want string) error {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	var found []string
	for _, m := range versionPattern.FindAllStringSubmatch(line, -1) {
		if v := "v" + m[1]; !slices.Contains(found, v) {
			found = append(found, v)
		}
	}
	switch {
	case len(found) == 0:
		return fmt.Errorf("the program prints %q, which names no version; see version_args in freeze.toml", line)
	case len(found) > 1:
		return fmt.Errorf("the program prints %q, which names %d versions; see version_args in freeze.toml", line, len(found))
	case semver.Compare(found[0], want) != 0 || semver.Build(found[0]) != semver.Build(want):
		return fmt.Errorf("the program says that it is %s, so it is not frozen as %s", found[0], want)
	}
	return nil
}

// said is the end of what a program printed, ready to follow a message.
func said(text string) string {
	const most = 5
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return ", and said nothing"
	}
	lines := strings.Split(text, "\n")
	return "; its last lines:\n" + strings.Join(lines[max(0, len(lines)-most):], "\n")
}
