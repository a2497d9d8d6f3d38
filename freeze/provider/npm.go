package provider

import (
	"context"
	"encoding/base64"
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

// npmIntegrity is the hash that the registry states of a package.
func (p *Provider) npmIntegrity(ctx context.Context, r ledger.Release) (string, error) {
	dir, err := os.MkdirTemp("", "freeze-npm")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	words := []string{"npm", "view", "--json", "--", npmID(r), "version", "dist.integrity", "dist.shasum"}
	var out strings.Builder
	errs := &tail{to: p.log}
	if err := (command{words, dir, p.environment(r, "", "")}).run(ctx, &out, errs); err != nil {
		return "", p.commandError(ctx, "run", words, err, errs, nil)
	}
	var stated struct {
		Version   string `json:"version"`
		Integrity string `json:"dist.integrity"`
		SHA1      string `json:"dist.shasum"`
	}
	if err := json.Unmarshal([]byte(out.String()), &stated); err != nil {
		return "", fmt.Errorf("package %s: the registry does not have it, or npm said what it is in a way of its own: %q", id(r), out.String())
	}
	return strongest(stated.Integrity, stated.SHA1)
}

// strongest is the one hash of a package that is kept: of several the best,
// and of an old package that has no other its SHA-1, as npm spells it.
func strongest(integrity, sha1 string) (string, error) {
	hashes := strings.Fields(integrity)
	for _, kind := range []string{"sha512-", "sha384-", "sha256-", "sha1-"} {
		if i := slices.IndexFunc(hashes, func(h string) bool { return strings.HasPrefix(h, kind) }); i >= 0 {
			return hashes[i], nil
		}
	}
	sum, err := hex.DecodeString(sha1)
	if err != nil || len(sum) != 20 {
		return "", fmt.Errorf("the registry states no hash of it: %q", strings.TrimSpace(integrity+" "+sha1))
	}
	return "sha1-" + base64.StdEncoding.EncodeToString(sum), nil
}

// npmID is a package and its version as npm takes it.
func npmID(r ledger.Release) string { return r.Package + "@" + strings.TrimPrefix(r.Version, "v") }

// installNPM installs a package, and what it depends on, into bin.
func (p *Provider) installNPM(ctx context.Context, r ledger.Release, in inputs, bin string) error {
	if err := p.npmInstall(ctx, r, in, bin); err != nil {
		return err
	}
	integrity, err := npmInstalled(r, bin)
	if err != nil {
		return err
	}
	if integrity != r.Integrity {
		return changed(r, integrity, "see which registry npm is told to use")
	}
	if in.Scripts {
		// Only now: nothing of a package runs that is not the one frozen.
		if err := p.npm(ctx, r, in, bin, "rebuild", "--prefix", bin, "--ignore-scripts=false"); err != nil {
			return err
		}
	}
	return npmPrograms(r, bin)
}

// npmInstall has npm use what it has, so that no network is needed for it, and
// ask the registry where that is not enough: what it keeps of a package may be
// older than the release.
func (p *Provider) npmInstall(ctx context.Context, r ledger.Release, in inputs, bin string) error {
	words, err := npmInstall(r, bin)
	if err != nil {
		return err
	}
	if p.npm(ctx, r, in, bin, append(words, "--prefer-offline", "--", npmID(r))...) == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := emptied(bin); err != nil {
		return p.cache.failed(err)
	}
	return p.npm(ctx, r, in, bin, append(words, "--", npmID(r))...)
}

// npmSettings leave out the workspaces of a project that calls freeze by npm
// run: an empty value is none.
var npmSettings = []string{"npm_config_workspace=", "npm_config_workspaces="}

// npmInstall are the words but for the package. What it depends on is taken as
// it was on the day on which the release was cut, since a range of versions
// grows. What a user may have npm do elsewhere is said to be as usual.
func npmInstall(r ledger.Release, bin string) ([]string, error) {
	cut, err := time.Parse(time.DateOnly, r.Date)
	if err != nil {
		return nil, fmt.Errorf("the date of the release: %w", err)
	}
	return []string{
		"install", "--prefix", bin, "--ignore-scripts", "--no-save", "--omit=dev", "--install-strategy=hoisted", "--bin-links",
		"--location=project", "--global=false", "--dry-run=false", "--package-lock-only=false",
		"--no-audit", "--no-fund", "--no-update-notifier", "--before=" + cut.AddDate(0, 0, 1).Format(time.DateOnly),
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

// npmInstalled returns the hash of the package that npm installed, which it
// has compared with the content, and removes the file that says so: it names
// the registry, which is the machine's.
func npmInstalled(r ledger.Release, bin string) (string, error) {
	file := filepath.Join(bin, npmModules, ".package-lock.json")
	data, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("what npm installed: %w", err)
	}
	var lock struct {
		Packages map[string]struct {
			Version   string `json:"version"`
			Integrity string `json:"integrity"`
		} `json:"packages"`
	}
	if err := json.Unmarshal(data, &lock); err != nil {
		return "", fmt.Errorf("what npm installed: %q: %w", file, err)
	}
	got := lock.Packages[npmModules+"/"+r.Package]
	if "v"+got.Version != r.Version {
		return "", fmt.Errorf("npm installed %s@%s, not %s", r.Package, got.Version, npmID(r))
	}
	integrity, err := strongest(got.Integrity, "")
	if err != nil {
		return "", fmt.Errorf("package %s: %w", npmID(r), err)
	}
	return integrity, os.Remove(file)
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
