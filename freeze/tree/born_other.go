//go:build !linux

package tree

// born is not known: captures are taken on Linux, where boxes run.
func born(string) int64 { return 0 }
