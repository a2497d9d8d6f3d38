package tmux

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// Version is what `tmux -V` says: 3.3a is {3, 3}. Name is the whole of it.
type Version struct {
	Major, Minor int
	Name         string
}

// AtLeast tells whether v is major.minor or newer.
func (v Version) AtLeast(major, minor int) bool {
	return v.Major > major || v.Major == major && v.Minor >= minor
}

// ReadVersion asks a tmux program for its version. Empty means "tmux" on PATH.
func ReadVersion(ctx context.Context, program string) (Version, error) {
	if program == "" {
		program = "tmux"
	}
	out, err := exec.CommandContext(ctx, program, "-V").Output()
	if err != nil {
		return Version{}, fmt.Errorf("%s -V: %w", program, err)
	}
	return parseVersion(strings.TrimSpace(string(out)))
}

// ErrMissing is a "tmux" that is not on PATH.
var ErrMissing = errors.New("tmux is not on PATH, and sessions run in it: install tmux 3.2 or newer")

// ErrTooOld is a tmux that lacks what a User's server is asked for.
var ErrTooOld = errors.New("3.2 or newer is needed: update it")

// Supported refuses a "tmux" on PATH that is too old for a User's server:
// new-session has its -e from 3.2 on.
func Supported(ctx context.Context) error {
	v, err := ReadVersion(ctx, "")
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return ErrMissing
	case err == nil && !v.AtLeast(3, 2):
		return fmt.Errorf("tmux is %s: %w", v.Name, ErrTooOld)
	}
	return err
}

// parseVersion takes "tmux 3.3a", "tmux next-3.6" and the like.
func parseVersion(said string) (Version, error) {
	m := regexp.MustCompile(`(\d+)\.(\d+)`).FindStringSubmatch(said)
	if m == nil {
		return Version{}, fmt.Errorf("tmux -V says %q, which holds no version", said)
	}
	major, errMajor := strconv.Atoi(m[1])
	minor, errMinor := strconv.Atoi(m[2])
	if errMajor != nil || errMinor != nil {
		return Version{}, fmt.Errorf("tmux -V says %q, which holds no version", said)
	}
	return Version{Major: major, Minor: minor, Name: strings.TrimPrefix(said, "tmux ")}, nil
}
