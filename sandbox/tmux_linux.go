package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/freeze-contracts/permafrost/internal/tmux"
	"golang.org/x/sys/unix"
)

// tmuxConf is all the configuration that the box's server has. Without it a
// pane starts a login shell, whose profile resets PATH.
const tmuxConf = `set -g default-shell /bin/sh
set -g default-command "exec /bin/sh"
`

func boxServer(p place) tmux.Server {
	return tmux.Server{Program: "tmux", Socket: p.socket(), Config: p.tmuxConf()}
}

// runTmux is the box's tmux: the machine's own on the box's socket. It returns
// only when it refuses.
func runTmux(p place, args []string) int {
	refuse := func(format string, a ...any) int {
		fmt.Fprintf(os.Stderr, "sandbox tmux: "+format+"\n", a...)
		return 1
	}
	args, err := boxArgs(p, args)
	if err != nil {
		return refuse("%v", err)
	}
	program, err := os.Readlink(p.realTmux())
	if err != nil {
		return refuse("box %q has no tmux: %v", p, err)
	}
	// Not close-on-exec: the server keeps the lock for as long as it lives.
	// Panes do not, tmux closes what is above 2 for them.
	lease, err := unix.Open(p.lease(), unix.O_RDONLY, 0)
	if err != nil {
		return refuse("box %q is gone: %v", p, err)
	}
	if err := unix.Flock(lease, unix.LOCK_SH|unix.LOCK_NB); err != nil {
		return refuse("box %q is closing", p)
	}
	err = unix.Exec(program, boxServer(p).Argv(args...), tmuxEnv(p, os.Environ()))
	return refuse("%q: %v", program, err)
}

// boxArgs takes out the options that name a server or a configuration, after
// it made sure that they name none but the box's.
func boxArgs(p place, args []string) ([]string, error) {
	options, rest, err := tmuxOptions(args)
	if err != nil {
		return nil, err
	}
	var kept []string
	for _, o := range options {
		switch o.letter {
		case 'S':
			if filepath.Clean(o.value) != p.socket() {
				return nil, fmt.Errorf("-S %q is refused: in this box there is one server, on %q", o.value, p.socket())
			}
		case 'L':
			return nil, fmt.Errorf("-L %q is refused: in this box there is one server, on %q", o.value, p.socket())
		case 'f':
			return nil, fmt.Errorf("-f %q is refused: the server of a box reads no other configuration", o.value)
		default:
			kept = append(kept, "-"+string(o.letter))
			if takesValue(o.letter) {
				kept = append(kept, o.value)
			}
		}
	}
	if len(rest) > 0 {
		kept = append(append(kept, "--"), rest...)
	}
	return kept, nil
}

// tmuxOption is one of tmux's own options, before the command.
type tmuxOption struct {
	letter byte
	value  string
}

// tmuxGetopt is the option string of tmux.c, with the h of tmux 3.6.
const tmuxGetopt = "2c:CDdf:lL:NqS:T:uUvVh"

func takesValue(letter byte) bool {
	return strings.Contains(tmuxGetopt, string(letter)+":")
}

// tmuxOptions parses as BSD's getopt does, which tmux has on every system: the
// options end at the first argument that is none, or after "--".
//
// An option that tmux may have gained since is refused: if it takes a value,
// all that follows would be taken for something else.
func tmuxOptions(args []string) (options []tmuxOption, rest []string, err error) {
	for len(args) > 0 {
		word := args[0]
		if word == "--" {
			return options, args[1:], nil
		}
		if len(word) < 2 || word[0] != '-' {
			break
		}
		args = args[1:]
		for i := 1; i < len(word); i++ {
			o := tmuxOption{letter: word[i]}
			if o.letter == ':' || !strings.Contains(tmuxGetopt, string(o.letter)) {
				return nil, nil, fmt.Errorf("option -%c is not known here", o.letter)
			}
			if takesValue(o.letter) {
				if o.value = word[i+1:]; o.value == "" {
					if len(args) == 0 {
						return nil, nil, fmt.Errorf("option -%c needs a value", o.letter)
					}
					o.value, args = args[0], args[1:]
				}
				i = len(word)
			}
			options = append(options, o)
		}
	}
	return options, args, nil
}

// tmuxEnv leaves out what would tie the server to something outside the box.
func tmuxEnv(p place, env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(entry string) bool {
		name, value, _ := strings.Cut(entry, "=")
		return name == "TMUX" && !strings.HasPrefix(value, p.socket()+",") ||
			strings.HasPrefix(name, "LISTEN_") || name == "DBUS_SESSION_BUS_ADDRESS"
	})
}
