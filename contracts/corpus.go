package contracts

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/freeze-contracts/permafrost/freeze/fixture"
	"github.com/freeze-contracts/permafrost/freeze/ledger"
	"github.com/freeze-contracts/permafrost/freeze/tree"
)

// FixturesEnv is the environment variable that names the fixtures folder in
// place of the one that is found, as an absolute path.
const FixturesEnv = "PERMAFROST_FIXTURES"

// corpus is one fixtures folder.
type corpus struct {
	dir    string
	fsys   fs.FS
	ledger *ledger.Ledger
	meant  map[string]meant // by family

	mu     sync.Mutex
	loaded map[fixture.Key]*fixture.Release
	stored map[*fixture.Scenario]map[string]string // files, asked for once
}

// Find returns the fixtures folder that belongs to the folder dir: that of
// FixturesEnv, or fixtures/ in dir or above it, no higher than the folder of
// the nearest go.mod. None is an error that is fs.ErrNotExist.
func Find(dir string) (string, error) {
	if set := os.Getenv(FixturesEnv); set != "" {
		if !filepath.IsAbs(set) {
			return "", fmt.Errorf("%s=%q: is no absolute path", FixturesEnv, set)
		}
		return set, nil
	}
	top, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for at := top; ; at = filepath.Dir(at) {
		fixtures := filepath.Join(at, "fixtures")
		if _, err := os.Stat(filepath.Join(fixtures, ledger.Name)); err == nil {
			return fixtures, nil
		}
		_, err := os.Stat(filepath.Join(at, "go.mod"))
		if err == nil || at == filepath.Dir(at) {
			return "", fmt.Errorf("fixtures/%s: %w in %q or above it, up to %q; cut a release with freeze, or set %s",
				ledger.Name, fs.ErrNotExist, top, at, FixturesEnv)
		}
	}
}

func openCorpus(dir string) (*corpus, error) {
	c := &corpus{dir: dir, fsys: os.DirFS(dir), loaded: make(map[fixture.Key]*fixture.Release),
		stored: make(map[*fixture.Scenario]map[string]string)}
	var err error
	if c.ledger, err = ledger.Load(c.fsys); err != nil {
		return nil, fmt.Errorf("%q: %s: %w", dir, ledger.Name, err)
	}
	c.meant, err = readMeant(c.fsys)
	return c, err
}

// load reads a release once. Nobody writes to what it returns.
func (c *corpus) load(key fixture.Key) (*fixture.Release, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.loaded[key]; r != nil {
		return r, nil
	}
	r, err := fixture.Load(c.fsys, key.Family, key.Version)
	if err == nil {
		c.loaded[key] = r
	}
	return r, err
}

// sealed refuses a manifest in fsys that is not the one the ledger names. What
// the manifest says of other files is load's to judge.
func (c *corpus) sealed(fsys fs.FS, key fixture.Key) error {
	name := manifestOf(key)
	data, err := readFile(fsys, name)
	if err != nil {
		return err
	}
	release, _ := c.ledger.Find(key.Version)
	sum := fmt.Sprintf("%x", sha256.Sum256(data))
	if !slices.Contains(release.Fixtures, ledger.Fixture{Family: key.Family, SHA256: sum}) {
		return fmt.Errorf("%s: is not the manifest that was frozen: its sha256 %s is not the one in the ledger", name, sum)
	}
	return nil
}

// largest is how many bytes a file may have that is not held by a hash yet. The
// manifests of freeze are no larger.
const largest = 256 << 20

// readFile reads a file that is not held by a hash yet, and may be anything: a
// fifo would never end.
func readFile(fsys fs.FS, name string) ([]byte, error) {
	data, err := tree.ReadFile(fsys, name, largest)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return data, nil
}

func manifestOf(key fixture.Key) string { return path.Join(key.Family, key.Version, "bindings.json") }

// files gives, for each entry of a scenario that is stored, its file in the
// fixtures folder by its path in the box. Nobody writes to what it returns.
func (c *corpus) files(r *fixture.Release, scenario string) map[string]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := r.Scenarios[scenario]
	if c.stored[s] == nil {
		c.stored[s] = storedFiles(r, scenario)
	}
	return c.stored[s]
}

func storedFiles(r *fixture.Release, scenario string) map[string]string {
	var names []string
	for name := range r.Scenarios {
		names = append(names, name)
	}
	dir := path.Join(r.Family, r.Version, fixture.Names(names)[scenario])
	var places []string
	for _, e := range r.Scenarios[scenario].Entries {
		places = append(places, place(e.Path))
	}
	stored := fixture.Names(places)
	files := make(map[string]string)
	for _, e := range r.Scenarios[scenario].Entries {
		if e.Type == "file" {
			files[e.Path] = path.Join(dir, stored[place(e.Path)])
		}
	}
	return files
}

// place is where a fixture keeps what had this path in the box.
func place(box string) string {
	if strings.HasPrefix(box, viewPrefix) {
		return box
	}
	return path.Join("tree", box)
}

// viewPrefix begins the paths of what the release said itself.
const viewPrefix = "view/"
