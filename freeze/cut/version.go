package cut

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
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

// Answer is what a program said and did.
type Answer struct {
	Stdout, Stderr string
	Code           int
	Wrote          bool   // below HOME or in the project
	Root           string // of the box
}

// Ask runs commands in a box of their own, one after the other up to the first
// that fails, and returns the answer of the last. Each ends within some seconds
// and prints no book.
func Ask(ctx context.Context, box sandbox.Config, commands ...[]string) (a Answer, err error) {
	b, err := sandbox.Start(ctx, box)
	if err != nil {
		return a, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	for _, command := range commands {
		if a, err = ask(ctx, b, command); err != nil || a.Code != 0 {
			break
		}
	}
	a.Root = b.Root()
	for _, dir := range []string{b.Home(), b.Project()} {
		entries, _ := os.ReadDir(dir) // a program that removed it has written
		a.Wrote = a.Wrote || len(entries) > 0
	}
	return a, err
}

func ask(ctx context.Context, b *sandbox.Box, command []string) (Answer, error) {
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
		err = fmt.Errorf("%q: %w", strings.Join(command, " "), err)
	}
	return Answer{Stdout: stdout.text.String(), Stderr: stderr.text.String(), Code: code}, err
}

// Failed is what to say of an answer that is no success.
func (a Answer) Failed(command []string) error {
	return fmt.Errorf("%q exited %d%s", strings.Join(command, " "), a.Code, said(a.Stderr+a.Stdout))
}

// verifyVersion asks the release's own program, in a box of its own, which
// version it is. A pre-release or the wrong binary is never frozen under a
// release's name.
func verifyVersion(ctx context.Context, box sandbox.Config, program string, args []string, want string) error {
	command := append([]string{program}, args...)
	a, err := Ask(ctx, box, command)
	var held *sandbox.HeldError
	switch {
	case errors.As(err, &held):
		return err
	case err != nil:
		return fmt.Errorf("release %s: %w; see version_args in freeze.toml", want, err)
	case a.Code != 0:
		return fmt.Errorf("release %s: %w", want, a.Failed(command))
	}
	if err := matchVersion(a.Stdout, want); err != nil {
		return fmt.Errorf("release %s: %q: %w", want, strings.Join(command, " "), err)
	}
	return nil
}

// matchVersion requires that a program's version text names the wanted version.
func matchVersion(text, want string) error {
	found, err := VersionIn(text)
	if err != nil {
		return fmt.Errorf("%w; see version_args in freeze.toml", err)
	}
	if semver.Compare(found, want) != 0 || semver.Build(found) != semver.Build(want) {
		return fmt.Errorf("the program says that it is %s, so it is not frozen as %s", found, want)
	}
	return nil
}

// VersionIn returns the one version that the first line of a program's version
// text names, with its v.
func VersionIn(text string) (string, error) {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	var found []string
	for _, m := range versionPattern.FindAllStringSubmatch(line, -1) {
		if v := "v" + m[1]; !slices.Contains(found, v) {
			found = append(found, v)
		}
	}
	switch {
	case len(found) == 0:
		return "", fmt.Errorf("the program prints %q, which names no version", line)
	case len(found) > 1:
		return "", fmt.Errorf("the program prints %q, which names %d versions", line, len(found))
	}
	return found[0], nil
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
