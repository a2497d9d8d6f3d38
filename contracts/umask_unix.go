//go:build unix

package contracts

import "syscall"

func setUmask(mask int) { syscall.Umask(mask) }
