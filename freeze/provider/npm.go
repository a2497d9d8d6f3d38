package provider

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/freeze-contracts/permafrost/freeze/ledger"
)

// npmModules is the folder of a package and of all that it depends on.
const npmModules = "node_modules"

// npmPin notes what npm installs of a package now: its hash, which the registry
// states, and the packages that it depends on.
func (p *Provider) npmPin(ctx context.Context, r ledger.Release) (ledger.Release, error) {
	dir, err := os.MkdirTemp("", "freeze-npm")
	if err != nil {
		return r, err
	}
	defer func() { _ = removeAll(dir) }()
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		return r, err
	}
	// The registry's clock may be ahead of this one, and the package just out.
	r.Before = time.Now().UTC().Add(time.Minute).Format(time.RFC3339)
	got, err := p.npmInstall(ctx, r, inputs{}, bin)
	r.Integrity, r.Dependencies = got.integrity, got.dependencies
	return r, err
}

// strongest is the one hash of a package that is kept, of several the best. An
// old package has its SHA-1 alone.
func strongest(integrity string) (string, bool) {
	hashes := strings.Fields(integrity)
	for _, kind := range []string{"sha512-", "sha384-", "sha256-", "sha1-"} {
		if i := slices.IndexFunc(hashes, func(h string) bool { return strings.HasPrefix(h, kind) }); i >= 0 {
			return hashes[i], true
		}
	}
	return "", false
}

// npmID is a package and its version as npm takes it.
func npmID(r ledger.Release) string { return r.Package + "@" + strings.TrimPrefix(r.Version, "v") }

// installNPM installs a package, and what it depends on, into bin. What npm
// keeps is enough where it is what the ledger pins, so that no network is needed
// for it. It may be older than the release: then the registry is asked.
func (p *Provider) installNPM(ctx context.Context, r ledger.Release, in inputs, bin string) error {
	if err := p.npmPinned(ctx, r, in, bin, "--prefer-offline"); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := emptied(bin); err != nil {
			return p.cache.failed(err)
		}
		if err := p.npmPinned(ctx, r, in, bin); err != nil {
			return err
		}
	}
	if in.Scripts {
		// Only now: nothing runs that is not what was frozen.
		if err := p.npm(ctx, r, in, bin, "rebuild", "--prefix", bin, "--ignore-scripts=false"); err != nil {
			return err
		}
	}
	return npmPrograms(r, bin)
}

// npmPinned installs what the ledger pins, and runs nothing of it.
func (p *Provider) npmPinned(ctx context.Context, r ledger.Release, in inputs, bin string, flags ...string) error {
	got, err := p.npmInstall(ctx, r, in, bin, flags...)
	switch {
	case err != nil:
		return err
	case got.integrity != r.Integrity:
		return changed(r, got.integrity, "see which registry npm is told to use")
	case r.Dependencies != "" && got.dependencies != r.Dependencies:
		return fmt.Errorf("what %s depends on has the hash %s, and the ledger pins %s: it is not what the release was frozen with; see which registry npm is told to use, and which node was used then", id(r), got.dependencies, r.Dependencies)
	}
	return nil
}

// npmInstall installs a package and what it depends on, and says what that was.
func (p *Provider) npmInstall(ctx context.Context, r ledger.Release, in inputs, bin string, flags ...string) (npmTree, error) {
	words, err := npmInstall(r, bin)
	if err != nil {
		return npmTree{}, err
	}
	if err := p.npm(ctx, r, in, bin, append(append(words, flags...), "--", npmID(r))...); err != nil {
		return npmTree{}, err
	}
	return npmInstalled(r, bin)
}

// npmSettings leave out the workspaces of a project that calls freeze by npm
// run, where an empty value is none, and have npm choose what a package depends
// on as it does by itself.
var npmSettings = []string{"npm_config_workspace=", "npm_config_workspaces=", "npm_config_legacy_peer_deps=false", "npm_config_prefer_dedupe=false"}

// npmInstall are the words but for the package. What it depends on is taken as
// it was when the release was cut, since a range of versions grows: to the
// second, or where the ledger does not say that, to the day. What a user may
// have npm do elsewhere is said to be as usual.
func npmInstall(r ledger.Release, bin string) ([]string, error) {
	before := r.Before
	if before == "" {
		cut, err := time.Parse(time.DateOnly, r.Date)
		if err != nil {
			return nil, fmt.Errorf("the date of the release: %w", err)
		}
		before = cut.AddDate(0, 0, 1).Format(time.DateOnly)
	}
	return []string{
		"install", "--prefix", bin, "--ignore-scripts", "--omit=dev", "--install-strategy=hoisted", "--bin-links",
		"--save", "--save-prod", "--package-lock", "--package-lock-only=false", "--lockfile-version=3",
		"--location=project", "--global=false", "--dry-run=false",
		"--no-audit", "--no-fund", "--no-update-notifier", "--before=" + before,
	}, nil
}

func (p *Provider) npm(ctx context.Context, r ledger.Release, in inputs, bin string, args ...string) error {
	words := append([]string{"npm"}, args...)
	shown := slices.Clone(words)
	for i, w := range shown {
		if w == bin {
			shown[i] = "{bin}"
		}
	}
	fmt.Fprintf(p.log, "%s: run %s\n", r.Version, quoted(shown))
	out := &tail{to: p.log}
	cmd := command{words, filepath.Dir(bin), p.environment(r, bin, in.Toolchain)}
	if err := cmd.run(ctx, out, out); err != nil {
		return p.commandError(ctx, "run", shown, err, out, nil)
	}
	return nil
}

func emptied(dir string) error {
	if err := removeAll(dir); err != nil {
		return err
	}
	return os.Mkdir(dir, 0o755)
}

// npmTree is what npm has installed.
type npmTree struct {
	integrity    string // of the package itself
	dependencies string // a sha256 over all packages, in hex
}

// npmInstalled reads what npm installed, whose content it has compared with the
// hashes that the registry states, and removes the files that say so: they name
// the registry, which is the machine's. The lock has the packages of every
// system, unlike npm's record of what lies there.
func npmInstalled(r ledger.Release, bin string) (npmTree, error) {
	file := filepath.Join(bin, "package-lock.json")
	data, err := os.ReadFile(file)
	if err != nil {
		return npmTree{}, fmt.Errorf("what npm installed: %w", err)
	}
	var lock struct {
		Packages map[string]npmPackage `json:"packages"`
	}
	if err := json.Unmarshal(data, &lock); err != nil {
		return npmTree{}, fmt.Errorf("what npm installed: %q: %w", file, err)
	}
	got := lock.Packages[npmModules+"/"+r.Package]
	if "v"+got.Version != r.Version {
		return npmTree{}, fmt.Errorf("npm installed %s@%s, not %s", r.Package, got.Version, npmID(r))
	}
	integrity, ok := strongest(got.Integrity)
	if !ok {
		return npmTree{}, fmt.Errorf("package %s: the registry states no hash of it: %q", npmID(r), got.Integrity)
	}
	delete(lock.Packages, "") // the folder itself
	dependencies, err := npmDependencies(lock.Packages)
	if err != nil {
		return npmTree{}, err
	}
	for _, name := range []string{"package.json", "package-lock.json", npmModules + "/.package-lock.json"} {
		if err := os.Remove(filepath.Join(bin, name)); err != nil {
			return npmTree{}, fmt.Errorf("what npm installed: %w", err)
		}
	}
	return npmTree{integrity, dependencies}, nil
}

// npmPackage is a package in a lock of npm's.
type npmPackage struct {
	Name      string `json:"name"` // where the folder is called otherwise
	Version   string `json:"version"`
	Resolved  string `json:"resolved"`
	Integrity string `json:"integrity"`
}

// npmDependencies is a hash over packages by their folders, wherever they lie
// and wherever they came from. One without a hash of its own is part of another,
// or a commit.
func npmDependencies(packages map[string]npmPackage) (string, error) {
	var lines []string
	for folder, p := range packages {
		name := p.Name
		if name == "" {
			name = folder[strings.LastIndex("/"+folder, "/"+npmModules+"/")+len(npmModules)+1:]
		}
		hash, ok := strongest(p.Integrity)
		switch {
		case ok:
		case strings.HasPrefix(p.Resolved, "git"):
			hash = p.Resolved
		case strings.HasPrefix(p.Resolved, "http"):
			return "", fmt.Errorf("package %s@%s: the registry states no hash of it: %q", name, p.Version, p.Integrity)
		}
		lines = append(lines, fmt.Sprintf("%s %s %s\n", name, p.Version, hash))
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(slices.Compact(lines), "")))
	return hex.EncodeToString(sum[:]), nil
}

// npmPrograms links the programs of the package, and of no other, into bin.
func npmPrograms(r ledger.Release, bin string) error {
	links := filepath.Join(bin, npmModules, ".bin")
	entries, err := os.ReadDir(links)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	home := filepath.ToSlash(filepath.Join(npmModules, r.Package)) + "/"
	for _, e := range entries {
		target, err := os.Readlink(filepath.Join(links, e.Name()))
		if err != nil {
			continue // not a link: of no package
		}
		target = filepath.Join(npmModules, ".bin", target)
		if strings.HasPrefix(filepath.ToSlash(target), home) {
			if err := os.Symlink(target, filepath.Join(bin, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
