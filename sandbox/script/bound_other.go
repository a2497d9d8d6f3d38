//go:build !linux

package script

import "errors"

// Boxes need Linux.
func (b *bounds) serve() (close func() error, err error) { return nil, errors.ErrUnsupported }
