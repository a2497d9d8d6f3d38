//go:build unix

package provider

import (
	"os"
	"os/exec"
	"syscall"
)

// group is a process group that ends as a whole, and also when this process is
// killed: its leader waits for the end of a pipe that only we hold open.
type group struct {
	leader *exec.Cmd
	hold   *os.File
}

func newGroup() (*group, error) {
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
	return &group{leader, hold}, nil
}

func (g *group) start(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: g.leader.Process.Pid}
	return cmd.Start()
}

// interrupt asks everything in the group to end.
func (g *group) interrupt() { _ = syscall.Kill(-g.leader.Process.Pid, syscall.SIGTERM) }

// end ends everything in the group, also if a build has ended the leader. It is
// called once: the group's number is ours until the leader has been waited for.
func (g *group) end() {
	_ = syscall.Kill(-g.leader.Process.Pid, syscall.SIGKILL)
	g.hold.Close()
	_ = g.leader.Wait()
}
