package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// found makes what the supervisor needs: the folder, its locks, its record and
// the copy of this binary.
func (p place) found(r record) (*folder, error) {
	f, err := p.begin(r)
	if err != nil {
		return nil, err
	}
	if err := p.lay(); err != nil {
		return f, err
	}
	return f, f.keepLocks()
}

func (p place) lay() error {
	for _, dir := range []string{p.at("self"), p.at("self", "role")} {
		if err := makeDir(dir); err != nil {
			return err
		}
	}
	for _, file := range []string{p.lease(), p.owner()} {
		if err := writeFile(file, nil, 0o600); err != nil {
			return err
		}
	}
	if err := copyFile("/proc/self/exe", p.self(), 0o755); err != nil {
		return fmt.Errorf("copying this program into box %q: %w", p, err)
	}
	return errors.Join(os.Link(p.self(), p.supervisor()), os.Link(p.self(), p.init()))
}

// begin makes the folder with its record. A folder without one is taken for
// abandoned by whoever reaps, unless it is locked; where it was removed before
// it could be locked here, it is made again.
func (p place) begin(r record) (*folder, error) {
	for {
		if err := os.Mkdir(string(p), 0o700); err != nil {
			return nil, fmt.Errorf("box root: %w", err)
		}
		f, err := openFolder(p)
		if err == nil {
			if err = f.firstRecord(r); err == nil {
				return f, nil
			}
			f.close()
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, errors.Join(err, os.Remove(string(p)))
		}
	}
}

func (f *folder) firstRecord(r record) error {
	if err := unix.Flock(f.fd(), unix.LOCK_EX); err != nil {
		return fmt.Errorf("locking %q: %w", f.place, err)
	}
	return errors.Join(r.write(f), unix.Flock(f.fd(), unix.LOCK_UN))
}

// fill makes what the programs in the box need.
func (p place) fill(cfg Config) error {
	for _, dir := range []string{
		p.home(), p.project(), p.tmp(), p.bin(), p.run(), p.tripwire(), p.real(), p.template(), filepath.Join(p.template(), "info"),
	} {
		if err := makeDir(dir); err != nil {
			return err
		}
	}
	if err := os.Chmod(p.run(), 0o700); err != nil { // as XDG_RUNTIME_DIR must be
		return err
	}
	if err := writeFile(filepath.Join(p.template(), "info", "exclude"), nil, 0o644); err != nil {
		return err
	}
	if err := p.linkTools(cfg); err != nil {
		return err
	}
	for name, script := range cfg.StandIns {
		if err := checkName("stand-in", name); err != nil {
			return err
		}
		if err := copyFile(script, filepath.Join(p.bin(), name), 0o755); err != nil {
			return fmt.Errorf("stand-in %q: %w", name, err)
		}
	}
	if cfg.Tmux {
		if err := p.addTmux(); err != nil {
			return err
		}
	}
	if cfg.CLI == "" {
		return nil
	}
	return p.install(cfg.CLI)
}

func (p place) linkTools(cfg Config) error {
	for _, name := range cfg.Tools {
		if err := checkName("tool", name); err != nil {
			return err
		}
		if name == "tmux" {
			return errors.New("tool \"tmux\": a box has a tmux server of its own: ask for it by tmux ([box] tmux = true in freeze.toml)")
		}
		program, err := lookUp(name)
		if err != nil {
			return fmt.Errorf("tool %q, named under tools ([box] tools in freeze.toml): %w", name, err)
		}
		if runner := Runner(program); runner != "" && !slices.Contains(cfg.Tools, runner) && cfg.StandIns[runner] == "" {
			return fmt.Errorf("tool %q is the script %q, which %q runs, and that is not in the box: if it is a version manager's shim, put the folder of the real %s first on PATH, else name %s under tools too",
				name, program, runner, name, runner)
		}
		if err := os.Symlink(program, filepath.Join(p.bin(), name)); err != nil && !os.IsExist(err) {
			return err
		}
	}
	return nil
}

func (p place) addTmux() error {
	program, err := lookUp("tmux")
	if err != nil {
		return fmt.Errorf("tmux, asked for by tmux ([box] tmux in freeze.toml): %w", err)
	}
	return errors.Join(
		os.Symlink(program, p.realTmux()),
		writeFile(p.tmuxConf(), []byte(tmuxConf), 0o644),
		os.Link(p.self(), filepath.Join(p.bin(), "tmux")),
	)
}

func lookUp(name string) (string, error) {
	program, err := exec.LookPath(name)
	if err != nil {
		return "", errors.New("not found on this machine's PATH: install it or name another")
	}
	return filepath.Abs(program)
}

func checkName(what, name string) error {
	if name == "" || name == "." || name == ".." || filepath.Base(name) != name {
		return fmt.Errorf("%s %q: want the name of a program without a folder", what, name)
	}
	return nil
}

func makeDir(path string) error {
	if err := os.Mkdir(path, 0o755); err != nil {
		return err
	}
	return os.Chmod(path, 0o755)
}

func writeFile(path string, data []byte, mode os.FileMode) error {
	if err := os.WriteFile(path, data, mode); err != nil {
		return err
	}
	return os.Chmod(path, mode)
}

func copyFile(from, to string, mode os.FileMode) error {
	root, err := os.OpenRoot(filepath.Dir(to))
	if err != nil {
		return err
	}
	defer root.Close()
	return copyInto(root, from, filepath.Base(to), mode)
}

// copyInto copies within the kernel where it can, as io.Copy between files
// does. Meanwhile nothing is started: a child would have the file open for
// writing for a moment, and such a file cannot be run ("text file busy").
func copyInto(root *os.Root, from, to string, mode os.FileMode) (err error) {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	dst, err := root.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = dst.ReadFrom(src)
	return errors.Join(err, dst.Chmod(mode), dst.Close())
}
