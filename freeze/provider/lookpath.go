package provider

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// lookPath finds a program as exec.LookPath does, but on the PATH of env. A
// name with a slash is meant from dir.
func lookPath(name, dir string, env []string) (string, error) {
	if strings.ContainsRune(filepath.ToSlash(name), '/') {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		return exec.LookPath(name)
	}
	for _, folder := range filepath.SplitList(variable(env, "PATH")) {
		// A relative or empty folder of PATH would run what lies in the source.
		if !filepath.IsAbs(folder) {
			continue
		}
		if found, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
			return found, nil
		}
	}
	return "", fmt.Errorf("program %q is not on PATH: %w", name, exec.ErrNotFound)
}

// variable returns the value of a variable; of several the last counts.
func variable(env []string, name string) string {
	for _, v := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}
