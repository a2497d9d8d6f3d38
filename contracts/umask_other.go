//go:build !unix

package contracts

// setUmask does nothing where there is no umask.
func setUmask(int) {}
