package contracts

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/go-json-experiment/json"
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

func (ch change) on(over fstest.MapFS, file string) {
	if ch.data == nil {
		delete(over, file)
		return
	}
	over[file] = &fstest.MapFile{Data: ch.data, Mode: 0o444}
}

// reseal makes the manifest in over agree with the file, so that what the
// hash sees no longer hides what else would be seen.
func reseal(over fstest.MapFS, s spoiled) error {
	name := path.Join(s.Family, s.Version, "bindings.json")
	var manifest struct {
		Scenarios map[string]map[string]any `json:"scenarios"`
		Rest      map[string]any            `json:",embed"`
	}
	if err := json.Unmarshal(over[name].Data, &manifest); err != nil {
		return err
	}
	entries, ok := manifest.Scenarios[s.scenario]["entries"].([]any)
	if !ok {
		return fmt.Errorf("%s: scenario %q has no entries", name, s.scenario)
	}
	stored := strings.SplitN(s.file, "/", 4)[3]
	at := slices.IndexFunc(entries, func(e any) bool { return e.(map[string]any)["stored"] == stored })
	if at < 0 {
		return fmt.Errorf("%s: has no entry for %s", name, s.file)
	}
	if now, there := over[s.file]; there {
		sum := sha256.Sum256(now.Data)
		entry := entries[at].(map[string]any)
		entry["size"], entry["sha256"] = len(now.Data), hex.EncodeToString(sum[:])
	} else {
		manifest.Scenarios[s.scenario]["entries"] = slices.Delete(entries, at, at+1)
	}
	data, err := json.Marshal(manifest, json.Deterministic(true))
	over[name] = &fstest.MapFile{Data: data, Mode: 0o444}
	return err
}

// tampering runs a test binary to tamper, and reads what it found.
func tampering(t *testing.T, cmd *exec.Cmd) []Tampered {
	t.Helper()
	file := filepath.Join(t.TempDir(), "tampered.json")
	cmd.Env = append(cmd.Environ(), tamperEnv+"="+file)
	cmd.WaitDelay = time.Second
	out, runErr := cmd.CombinedOutput()
	data, err := os.ReadFile(file)
	var found []Tampered
	if err == nil {
		err = json.Unmarshal(data, &found)
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
