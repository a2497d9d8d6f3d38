//go:build !unix

package tmux

import (
	"context"
	"errors"
	"io"
)

func (u User) lock(context.Context) (io.Closer, error) {
	return nil, errors.ErrUnsupported // there is no tmux
}
