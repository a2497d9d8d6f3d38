package sandbox

import (
	"io/fs"
	"path/filepath"
)

// Tripwires lists the tmux sockets that were made around the box's shim, by a
// caller that runs the machine's tmux by its absolute path: TMUX_TMPDIR keeps
// them in the box.
func (b *Box) Tripwires() ([]string, error) { return b.place.tripwires() }

// Tripwires lists the tmux sockets that were made around the box's shim.
func (in *Inside) Tripwires() ([]string, error) { return in.place().tripwires() }

func (p place) tripwires() (sockets []string, err error) {
	err = filepath.WalkDir(p.tripwire(), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type()&fs.ModeSocket != 0 {
			sockets = append(sockets, path)
		}
		return err
	})
	return sockets, err
}
