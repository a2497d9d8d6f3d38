//go:build !unix

package provider

import "os/exec"

// group is one process where there are no process groups.
type group struct{ cmd *exec.Cmd }

func newGroup() (*group, error) { return &group{}, nil }

func (g *group) start(cmd *exec.Cmd) error {
	g.cmd = cmd
	return cmd.Start()
}

func (g *group) interrupt() { _ = g.cmd.Process.Kill() }

// end does nothing: interrupt has ended the process, or it is gone by itself.
func (g *group) end() {}
