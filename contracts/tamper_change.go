package contracts

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/freeze-contracts/permafrost/freeze/fixture"
	"github.com/freeze-contracts/permafrost/freeze/tree"
)

// change is one way to spoil a file.
type change struct {
	how  string
	data []byte // nil deletes it
}

// changesOf are the ways to spoil a file with this content. An empty one
// cannot be truncated.
func changesOf(data []byte) []change {
	altered := append(bytes.Clone(data), 'x')
	if len(data) > 0 {
		altered = bytes.Clone(data)
		altered[(len(data)-1)/2] ^= 1
	}
	changes := []change{{"altered", altered}, {"deleted", nil}}
	if len(data) > 0 {
		changes = append(changes, change{"truncated", bytes.Clone(data[:len(data)/2])})
	}
	return changes
}

// in is the scenario with the change in one of its files, as if it had been
// frozen like that: no hash hides what else would be seen.
func (ch change) in(s *fixture.Scenario, box string) *fixture.Scenario {
	spoiled := *s
	spoiled.Entries = slices.Clone(s.Entries)
	at := slices.IndexFunc(s.Entries, func(e tree.Entry) bool { return e.Path == box })
	if ch.data == nil {
		spoiled.Entries = slices.Delete(spoiled.Entries, at, at+1)
	} else {
		spoiled.Entries[at].Data = ch.data
	}
	return &spoiled
}

// tampering runs a test binary to tamper, and reads what it found.
func tampering(t testing.TB, cmd *exec.Cmd) []Tampered {
	t.Helper()
	dir := tempDir(t)
	file := filepath.Join(dir, "tampered.json")
	cmd.Env = append(cmd.Environ(), tamperEnv+"="+file, "TMPDIR="+dir)
	cmd.WaitDelay = time.Second
	out, runErr := cmd.CombinedOutput()
	data, err := os.ReadFile(file)
	var found []Tampered
	if err == nil {
		err = json.Unmarshal(data, &found)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = errors.New("nothing was found out, for the reason that comes last")
	}
	if err == nil && len(found) == 0 {
		err = errors.New("no test of that name plays a fixture")
	}
	if err != nil {
		t.Fatalf("tampering: %q: %v: %v\n%s", cmd.Args, err, runErr, out[max(0, len(out)-4000):])
	}
	slices.SortFunc(found, func(a, b Tampered) int { return strings.Compare(a.File+"/"+a.How, b.File+"/"+b.How) })
	return found
}
