//go:build !linux

package switches

func limitMemory(uint64) {}
