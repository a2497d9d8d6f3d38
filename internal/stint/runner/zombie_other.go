//go:build !linux

package runner

// zombie is not looked for where no container runs without an init.
func zombie(int) bool { return false }
