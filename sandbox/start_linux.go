package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// defaultPatience is how long the proof is tried.
const defaultPatience = 10 * time.Second

// supervisorLimit is for a program that does not call Main: its copy would go
// on as the program does.
const supervisorLimit = 30 * time.Second

// Box is a running box. Its methods may be called from several goroutines.
type Box struct {
	place    place
	folder   *folder
	env      []string
	patience time.Duration
	kind     string
	firstPID int
	init     *anchor // nil without a namespace

	supervisor *exec.Cmd
	left       chan struct{} // closed when the supervisor has ended
	control    *client
	programs   *client

	mu      sync.Mutex
	stopped bool
	removed bool
	ended   []Process
}

// Start makes a box and the supervisor that everything in it will descend from.
func Start(ctx context.Context, cfg Config) (*Box, error) {
	if cfg.Patience == 0 {
		cfg.Patience = defaultPatience
	}
	if isMachinery() {
		return nil, errors.New("this program was started as a box's supervisor and went on to start a box: it must call sandbox.Main first of all")
	}
	b, err := foundBox(cfg)
	if err != nil {
		return nil, err
	}
	if err := b.start(ctx, cfg); err != nil {
		return nil, errors.Join(fmt.Errorf("box %q: %w", b.place, err), b.giveUp())
	}
	return b, nil
}

// foundBox makes the folder. A fresh root may by a rare chance be taken.
func foundBox(cfg Config) (*Box, error) {
	founder, err := anchorOf(os.Getpid())
	if err != nil {
		return nil, err
	}
	for {
		root := cfg.Root
		if root == "" {
			root = FreshRoot(8)
		}
		if err := checkRoot(root); err != nil {
			return nil, err
		}
		p := place(root)
		f, err := p.found(record{Format: 1, Root: root, UID: os.Getuid(), Started: time.Now().UTC(), Boot: bootID(), Founder: founder})
		if errors.Is(err, fs.ErrExist) {
			if cfg.Root == "" {
				continue
			}
			return nil, err
		}
		if err != nil {
			if f != nil {
				err = errors.Join(err, f.remove()) // nothing has run in it
			}
			return nil, err
		}
		return &Box{place: p, folder: f, env: p.environment(cfg.Env), patience: cfg.Patience}, nil
	}
}

func (b *Box) start(ctx context.Context, cfg Config) error {
	if err := b.startSupervisor(); err != nil {
		return err
	}
	if err := b.place.fill(cfg); err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, supervisorLimit)
	defer cancel()
	r, err := b.control.call(limited, request{Setup: &setup{
		Namespace: !cfg.NoNamespace, FirstPID: cfg.FirstPID, Without: cfg.without, Patience: nanoseconds(cfg.Patience),
	}})
	b.kind, b.firstPID, b.init = r.Kind, r.FirstPID, r.Init
	if ctx.Err() != nil {
		return ctx.Err() // and the supervisor takes the box down
	}
	if err != nil {
		b.supervisor.Process.Kill()
		return fmt.Errorf("its supervisor, a copy of this program, does not answer: sandbox.Main must be the first thing that the program calls: %w", err)
	}
	return r.err("supervisor")
}

func (b *Box) startSupervisor() error {
	control, controlThere, err := wirePair("caller")
	if err != nil {
		return err
	}
	defer controlThere.Close()
	programs, programsThere, err := wirePair("programs")
	if err != nil {
		control.conn.Close()
		return err
	}
	defer programsThere.Close()
	cmd := exec.Command(b.place.supervisor())
	cmd.Dir = "/"
	cmd.Env = []string{}
	cmd.ExtraFiles = []*os.File{controlThere, programsThere}
	// In a session of its own Ctrl-C at the caller's terminal passes it by.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		control.conn.Close()
		programs.conn.Close()
		return fmt.Errorf("%w: a box's folder must allow programs to run (no noexec mount)", err)
	}
	b.supervisor, b.left = cmd, make(chan struct{})
	go func() {
		cmd.Wait()
		close(b.left)
	}()
	b.control, b.programs = newClient(control), newClient(programs)
	return nil
}

// giveUp has a box that never was complete taken down again.
func (b *Box) giveUp() error {
	if b.supervisor == nil {
		return b.folder.remove()
	}
	return b.Close()
}

// Namespace names the namespaces that the box's programs are in (layer E of
// the proof), or is empty where there are none.
func (b *Box) Namespace() string { return b.kind }

// FirstPID is where the numbering of the box's processes began, as Config asked
// for, or 0 where it did not: there is no namespace, so that they have pids of
// the machine, or its kernel cannot be told.
func (b *Box) FirstPID() int { return b.firstPID }

// Ended lists what had to be signalled for Stop to succeed: what the subject
// left running beyond its tmux server and the terminals of that.
func (b *Box) Ended() []Process {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]Process(nil), b.ended...)
}
