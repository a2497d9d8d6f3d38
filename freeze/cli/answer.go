package cli

import (
	"errors"
	"fmt"
	"io"
)

// answer is standard output, and remembers that it could not be written to:
// who redirects an answer to a full disk must not take its rest for the whole.
type answer struct {
	to  io.Writer
	err error // the first one
}

func (a *answer) Write(data []byte) (int, error) {
	n, err := a.to.Write(data)
	if a.err == nil {
		a.err = err
	}
	return n, err
}

// failed is err, or that the answer is not whole where err does not say so.
func (a *answer) failed(err error) error {
	if a.err == nil || errors.Is(err, a.err) || err != nil && !errors.Is(err, errSaid) {
		return err
	}
	return fmt.Errorf("standard output: %w", a.err)
}
