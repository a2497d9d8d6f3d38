//go:build !linux

package sandbox

import (
	"context"
	"errors"
	"runtime"
)

// Box is a running box.
type Box struct {
	place place
	env   []string
}

type layer uint8

func errNotHere() error {
	return errors.New("a box needs Linux, and this is " + runtime.GOOS)
}

// Main does nothing: no box was started here.
func Main(...Role) {}

// Start says that a box needs Linux.
func Start(context.Context, Config) (*Box, error) { return nil, errNotHere() }

// The methods of a box that cannot be there.

func (*Box) Run(context.Context, Cmd) (int, error) { return 0, errNotHere() }
func (*Box) Install(string) error                  { return errNotHere() }
func (*Box) SetFault(Fault) error                  { return errNotHere() }
func (*Box) Firings() ([]Firing, error)            { return nil, errNotHere() }
func (*Box) Tripwires() ([]string, error)          { return nil, errNotHere() }
func (*Box) Namespace() string                     { return "" }
func (*Box) FirstPID() int                         { return 0 }
func (*Box) Ended() []Process                      { return nil }
func (*Box) Stop(context.Context) error            { return errNotHere() }
func (*Box) Remove() error                         { return errNotHere() }
func (*Box) Close() error                          { return errNotHere() }

func (*Inside) Install(string) error         { return errNotHere() }
func (*Inside) SetFault(Fault) error         { return errNotHere() }
func (*Inside) Firings() ([]Firing, error)   { return nil, errNotHere() }
func (*Inside) Tripwires() ([]string, error) { return nil, errNotHere() }

// Boxes lists none.
func Boxes() ([]Found, error) { return nil, nil }

// Reap says that a box needs Linux.
func Reap(context.Context, Found) error { return errNotHere() }

// Doctor says that a box needs Linux.
func Doctor() []Finding {
	return []Finding{{Name: "linux", Detail: errNotHere().Error(), Remedy: "run it on Linux, or in a container"}}
}
