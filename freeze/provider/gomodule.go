package provider

import (
	"context"
	"debug/buildinfo"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"

	"github.com/freeze-contracts/permafrost/freeze/ledger"
)

// goModule is what go mod download says of a module.
type goModule struct {
	Path    string
	Version string // with what go adds to it, such as +incompatible
	Dir     string // its source, in the module cache
	Sum     string // the h1: hash of what was downloaded
	Error   string
}

// goSettings hold a build to the module alone. Where modules come from, and
// whether a database of their hashes is asked, is the caller's to say.
func goSettings(bin string) []string {
	return []string{"GO111MODULE=on", "GOWORK=off", "GOFLAGS=-trimpath", "CGO_ENABLED=0", "GOBIN=" + bin}
}

// goPin notes the h1: hash of a module, as go.sum files have it.
func (p *Provider) goPin(ctx context.Context, r ledger.Release) (ledger.Release, error) {
	m, err := p.download(ctx, r)
	r.Integrity = m.Sum
	return r, err
}

// download has go fetch a module, and checks the source that lies in the
// module cache: go itself looks at it no more once it is there.
func (p *Provider) download(ctx context.Context, r ledger.Release) (goModule, error) {
	dir, err := emptyModule()
	if err != nil {
		return goModule{}, err
	}
	defer os.RemoveAll(dir)
	words := []string{"go", "mod", "download", "-json", id(r)}
	var out strings.Builder
	errs := &tail{to: p.log}
	runErr := command{words, dir, p.environment(r, "", "")}.run(ctx, &out, errs)
	var m goModule
	if runErr == nil || out.Len() > 0 {
		if err := json.Unmarshal([]byte(out.String()), &m); err != nil && runErr == nil {
			return m, fmt.Errorf("%s: %w", quoted(words), err)
		}
	}
	switch {
	case runErr != nil && (m.Error == "" || ctx.Err() != nil):
		return m, p.commandError(ctx, "run", words, runErr, errs, nil)
	case m.Error != "":
		return m, fmt.Errorf("module %s: %s", id(r), strings.TrimPrefix(m.Error, id(r)+": "))
	}
	return m, m.sound()
}

// sound requires that the source of a module is what was downloaded.
func (m goModule) sound() error {
	sum, err := dirhash.HashDir(m.Dir, m.Path+"@"+m.Version, dirhash.Hash1)
	if err == nil && sum != m.Sum {
		err = fmt.Errorf("its source in %q is not what was downloaded, its hash is %s and not %s; remove it, as with go clean -modcache", m.Dir, sum, m.Sum)
	}
	if err != nil {
		return fmt.Errorf("module %s@%s: %w", m.Path, m.Version, err)
	}
	return nil
}

// folder is where a module lies in the module cache.
func (m goModule) folder() (string, error) {
	path, err := module.EscapePath(m.Path)
	if err != nil {
		return "", err
	}
	version, err := module.EscapeVersion(m.Version)
	return filepath.FromSlash(path + "@" + version), err
}

// dependency is a module that m was built with, which lies in the same cache.
func (m goModule) dependency(d *debug.Module) (goModule, error) {
	own, err := m.folder()
	if err != nil {
		return goModule{}, err
	}
	dep := goModule{Path: d.Path, Version: d.Version, Sum: d.Sum}
	folder, err := dep.folder()
	dep.Dir = filepath.Join(strings.TrimSuffix(m.Dir, own), folder)
	return dep, err
}

// emptyModule makes a folder in which go finds no other module than one
// without content, whatever lies above it.
func emptyModule() (string, error) {
	dir, err := os.MkdirTemp("", "freeze-go")
	if err != nil {
		return "", err
	}
	return dir, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module empty.invalid\n"), 0o600)
}

// installGo installs the commands of a module into bin.
func (p *Provider) installGo(ctx context.Context, r ledger.Release, in inputs, bin string) error {
	fmt.Fprintf(p.log, "%s: download %s\n", r.Version, id(r))
	m, err := p.download(ctx, r)
	if err != nil {
		return err
	}
	if m.Sum != r.Integrity {
		return changed(r, m.Sum, "see where GOPROXY leads")
	}
	words := []string{"go", "install", "-trimpath"}
	folders := map[string]string{} // by the name of the program
	for _, folder := range in.goCommands() {
		name := programName(path.Join(r.Package, folder))
		if other, ok := folders[name]; ok {
			return fmt.Errorf("the commands %q and %q of %s are both programs named %q; install one of them", other, folder, id(r), name)
		}
		folders[name] = folder
		words = append(words, path.Join(r.Package, folder)+"@"+r.Version)
	}
	fmt.Fprintf(p.log, "%s: run %s\n", r.Version, quoted(words))
	out := &tail{to: p.log}
	env := p.environment(r, bin, in.Toolchain)
	sources, err := p.goSources(ctx, env)
	if err != nil {
		return err
	}
	cmd := command{words, filepath.Dir(bin), append(env, sources...)}
	if err := cmd.run(ctx, out, out); err != nil {
		return p.commandError(ctx, "run", words, err, out, nil)
	}
	return m.madeAll(bin)
}

// goTargets are the settings by which go makes other programs of the same
// source. They are no caller's, in the environment or by go env -w.
var goTargets = []string{
	"GOOS", "GOARCH", "GO386", "GOAMD64", "GOARM", "GOARM64", "GOMIPS", "GOMIPS64", "GOPPC64", "GORISCV64", "GOWASM",
	"GOEXPERIMENT", "GOFIPS140",
}

// goSources are the settings of the caller that say where modules and builds
// come from and lie, of whatever go env -w has set no others. Of the proxies the
// module cache, which is one too, is the first: for retractions and deprecations
// of a module that is there go would ask for all its versions, and no build
// needs them.
func (p *Provider) goSources(ctx context.Context, env []string) ([]string, error) {
	words := []string{"go", "env", "-json", "GOMODCACHE", "GOPROXY", "GOCACHE", "GOTMPDIR", "GOTOOLCHAIN",
		"GOSUMDB", "GOPRIVATE", "GONOPROXY", "GONOSUMDB", "GOINSECURE", "GOVCS", "GOAUTH"}
	var out strings.Builder
	errs := &tail{to: p.log}
	if err := (command{words, p.cfg.Dir, env}).run(ctx, &out, errs); err != nil {
		return nil, p.commandError(ctx, "run", words, err, errs, nil)
	}
	is := map[string]string{}
	if err := json.Unmarshal([]byte(out.String()), &is); err != nil {
		return nil, fmt.Errorf("%s: %w", quoted(words), err)
	}
	kept := url.URL{Scheme: "file", Path: path.Join(filepath.ToSlash(is["GOMODCACHE"]), "cache", "download")}
	// Commas divide the list.
	is["GOPROXY"] = strings.ReplaceAll(kept.String(), ",", "%2C") + "," + is["GOPROXY"]
	sources := []string{"GOENV=off"}
	for _, name := range slices.Sorted(maps.Keys(is)) {
		sources = append(sources, name+"="+is[name])
	}
	return sources, nil
}

func (in inputs) goCommands() []string {
	if len(in.Commands) == 0 {
		return []string{"."}
	}
	return in.Commands
}

// programName is what go calls the program of a package: the last part of its
// path that is no major version.
func programName(pkg string) string {
	if prefix, _, ok := module.SplitPathVersion(pkg); ok {
		pkg = prefix
	}
	return path.Base(pkg)
}

// madeAll asks the programs themselves what they were built from. The module's
// go.sum, which its hash covers, names the hashes of what it depends on, and
// go install does not look into it, nor at the source that lies there.
func (m goModule) madeAll(bin string) error {
	entries, err := os.ReadDir(bin)
	if err != nil {
		return err
	}
	sums, err := m.goSum()
	if err != nil {
		return err
	}
	for _, e := range entries {
		info, err := buildinfo.ReadFile(filepath.Join(bin, e.Name()))
		if err != nil {
			return fmt.Errorf("program %q: %w", e.Name(), err)
		}
		if info.Main.Path != m.Path || info.Main.Sum != m.Sum {
			return fmt.Errorf("program %q was built from %s@%s %s, not from %s@%s %s",
				e.Name(), info.Main.Path, info.Main.Version, info.Main.Sum, m.Path, m.Version, m.Sum)
		}
		for _, d := range info.Deps {
			if want := sums[d.Path+" "+d.Version]; want != "" && want != d.Sum {
				return fmt.Errorf("program %q was built with %s@%s, whose hash is %s, and the go.sum of %s@%s has %s: it is not what its author built it with; see where GOPROXY leads",
					e.Name(), d.Path, d.Version, d.Sum, m.Path, m.Version, want)
			}
			dep, err := m.dependency(d)
			if err == nil {
				err = dep.sound()
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// goSum reads the hashes of the modules in go.sum, by path and version. A
// module without one depends on nothing that could be checked.
func (m goModule) goSum() (map[string]string, error) {
	sums := map[string]string{}
	data, err := os.ReadFile(filepath.Join(m.Dir, "go.sum"))
	if os.IsNotExist(err) {
		return sums, nil
	}
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) == 3 && !strings.HasSuffix(f[1], "/go.mod") {
			sums[f[0]+" "+f[1]] = f[2]
		}
	}
	return sums, err
}
