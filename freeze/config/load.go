package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/freeze-contracts/permafrost/freeze/config/tomldoc"
	"github.com/freeze-contracts/permafrost/freeze/tree"
)

// Load reads the freeze.toml at path. What is wrong with its content is an
// *Error.
func Load(path string) (*Config, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	data, err := tree.ReadFile(os.DirFS(filepath.Dir(path)), filepath.Base(path), tomldoc.Largest)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("configuration %q is not there: %w; write one, or name another with --config", path, os.ErrNotExist)
	}
	if err != nil {
		return nil, fmt.Errorf("configuration %q: %w", path, err)
	}
	doc, err := tomldoc.Parse(path, data)
	if err != nil {
		return nil, err
	}
	cfg := &Config{Dir: filepath.Dir(path)}
	if err := doc.Decode(cfg); err != nil {
		return nil, err
	}
	if err := (&checker{cfg, doc}).check(); err != nil {
		return nil, err
	}
	return cfg, nil
}
