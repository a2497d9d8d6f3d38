//go:build !unix

package group

import "os/exec"

// Group is one process where there are no process groups.
type Group struct{ cmd *exec.Cmd }

// New returns a group in which nothing runs yet. It has to be ended.
func New() (*Group, error) { return &Group{}, nil }

// Start starts a command in the group.
func (g *Group) Start(cmd *exec.Cmd) error {
	g.cmd = cmd
	return cmd.Start()
}

// Interrupt ends what runs.
func (g *Group) Interrupt() { _ = g.cmd.Process.Kill() }

// Kill ends what runs.
func (g *Group) Kill() { g.Interrupt() }

// End does nothing: Interrupt has ended the process, or it is gone by itself.
func (g *Group) End() {}
