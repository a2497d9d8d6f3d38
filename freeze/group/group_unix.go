//go:build unix

package group

import (
	"os"
	"os/exec"
	"syscall"
)

// Group is a process group that ends as a whole, and also when this process is
// killed: its leader waits for the end of a pipe that only we hold open.
type Group struct {
	leader *exec.Cmd
	hold   *os.File
}

// New returns a group in which nothing runs yet. It has to be ended.
func New() (*Group, error) {
	wait, hold, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer wait.Close()
	leader := exec.Command("/bin/sh", "-c", `trap "" HUP INT TERM; read _; kill -KILL 0`)
	leader.Dir = "/"
	leader.Stdin = wait
	leader.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := leader.Start(); err != nil {
		hold.Close()
		return nil, err
	}
	return &Group{leader, hold}, nil
}

// Start starts a command in the group.
func (g *Group) Start(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: g.leader.Process.Pid}
	return cmd.Start()
}

// Interrupt asks everything in the group to end.
func (g *Group) Interrupt() { _ = syscall.Kill(-g.leader.Process.Pid, syscall.SIGTERM) }

// Kill ends everything in the group and the group's leader; End is still due.
func (g *Group) Kill() { _ = syscall.Kill(-g.leader.Process.Pid, syscall.SIGKILL) }

// End ends everything in the group, also if a command has ended the leader. It
// is called once: the group's number is ours until the leader has been waited for.
func (g *Group) End() {
	g.Kill()
	g.hold.Close()
	_ = g.leader.Wait()
}
