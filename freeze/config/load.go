package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/freeze-contracts/permafrost/freeze/config/tomldoc"
)

// Load reads the freeze.toml at path. What is wrong with its content is an
// *Error.
func Load(path string) (*Config, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("configuration %q is not there: %w; freeze init writes one", path, os.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	cfg := &Config{}
	doc, err := tomldoc.Decode(path, data, cfg)
	if err != nil {
		return nil, err
	}
	cfg.Dir = filepath.Dir(path)
	if err := (&checker{cfg, doc}).check(); err != nil {
		return nil, err
	}
	return cfg, nil
}
