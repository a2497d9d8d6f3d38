package sandbox

import (
	"os"
	"path/filepath"
	"strings"
)

// place is the root of a box and knows where everything in it lies.
type place string

func (p place) at(elem ...string) string {
	return filepath.Join(append([]string{string(p)}, elem...)...)
}

// rel is a path as an os.Root of the box takes it, so that no link leads out.
func (p place) rel(path string) string { return strings.TrimPrefix(path, string(p)+"/") }

func (p place) home() string     { return p.at("home") }
func (p place) project() string  { return p.at("project") }
func (p place) bin() string      { return p.at("bin") }
func (p place) tmp() string      { return p.at("tmp") }
func (p place) run() string      { return p.at("run") }
func (p place) socket() string   { return p.at("s") }
func (p place) tripwire() string { return p.at("tt") }
func (p place) lease() string    { return p.at("lease") }
func (p place) owner() string    { return p.at("owner") }

// real holds what faults replaced.
func (p place) real() string { return p.at("real") }

// self is the one copy of the running binary; every name it serves is a hard
// link to it.
func (p place) self() string         { return p.at("self", "bin") }
func (p place) supervisor() string   { return p.at("self", "supervisor") }
func (p place) init() string         { return p.at("self", "init") }
func (p place) role(n string) string { return p.at("self", "role", n) }

func (p place) realTmux() string { return p.at("self", "tmux") }
func (p place) tmuxConf() string { return p.at("self", "tmux.conf") }
func (p place) template() string { return p.at("self", "template") }
func (p place) cli() string      { return p.at("self", "cli") }
func (p place) faults() string   { return p.at("self", "faults") }
func (p place) firings() string  { return p.at("self", "firings") }

// Root is the box's folder.
func (b *Box) Root() string { return string(b.place) }

// Home is the HOME of everything in the box.
func (b *Box) Home() string { return b.place.home() }

// Project is the folder in which programs start.
func (b *Box) Project() string { return b.place.project() }

// Bin is the only folder on the box's PATH.
func (b *Box) Bin() string { return b.place.bin() }

// Tmp is the box's TMPDIR.
func (b *Box) Tmp() string { return b.place.tmp() }

// Socket is where the box's tmux server listens, once one was started.
func (b *Box) Socket() string { return b.place.socket() }

// Env is what every program in the box gets. The caller may change the slice.
func (b *Box) Env() []string { return append([]string(nil), b.env...) }

func (in *Inside) place() place { return place(in.Root) }

// Home is the HOME of everything in the box.
func (in *Inside) Home() string { return in.place().home() }

// Project is the folder in which programs start.
func (in *Inside) Project() string { return in.place().project() }

// Bin is the only folder on the box's PATH.
func (in *Inside) Bin() string { return in.place().bin() }

// Tmp is the box's TMPDIR.
func (in *Inside) Tmp() string { return in.place().tmp() }

// Socket is where the box's tmux server listens, once one was started.
func (in *Inside) Socket() string { return in.place().socket() }

// Tmux is the machine's tmux, for a client that no fault shall meet. It is
// empty in a box without one.
func (in *Inside) Tmux() string {
	program, err := os.Readlink(in.place().realTmux())
	if err != nil {
		return ""
	}
	return program
}
