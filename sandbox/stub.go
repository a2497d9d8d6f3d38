package sandbox

import (
	"context"
	"time"
)

// Box is a running box.
type Box struct {
	place place
	env   []string
}

// Found is a box kept from an earlier run.
type Found struct {
	Root    string    `json:"root"`
	Owner   bool      `json:"owner"` // its supervisor lives: leave it alone
	Started time.Time `json:"started"`
	Left    []Process `json:"left"` // what holds it
}

// Finding is one thing that this machine has or lacks.
type Finding struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Remedy string `json:"remedy,omitempty"`
}

type layer uint8

func (e *HeldError) Error() string                                  { panic("unbuilt") }
func Main(roles ...Role)                                            { panic("unbuilt") }
func FreshRoot(n int) string                                        { panic("unbuilt") }
func Start(ctx context.Context, cfg Config) (*Box, error)           { panic("unbuilt") }
func (b *Box) Run(ctx context.Context, c Cmd) (code int, err error) { panic("unbuilt") }
func (b *Box) Install(dir string) error                             { panic("unbuilt") }
func (in *Inside) Install(dir string) error                         { panic("unbuilt") }
func (b *Box) SetFault(f Fault) error                               { panic("unbuilt") }
func (in *Inside) SetFault(f Fault) error                           { panic("unbuilt") }
func (b *Box) Firings() ([]Firing, error)                           { panic("unbuilt") }
func (in *Inside) Firings() ([]Firing, error)                       { panic("unbuilt") }
func (b *Box) Tripwires() ([]string, error)                         { panic("unbuilt") }
func (b *Box) Ended() []Process                                     { panic("unbuilt") }
func (b *Box) Namespace() string                                    { panic("unbuilt") }
func (b *Box) Stop(ctx context.Context) error                       { panic("unbuilt") }
func (b *Box) Remove() error                                        { panic("unbuilt") }
func (b *Box) Close() error                                         { panic("unbuilt") }
func Boxes() ([]Found, error)                                       { panic("unbuilt") }
func Reap(ctx context.Context, f Found) error                       { panic("unbuilt") }
func Doctor() []Finding                                             { panic("unbuilt") }
