package switches

import "syscall"

// limitMemory limits what this process and its children may allocate. A limit
// that cannot be set is not: time ends a runaway too.
func limitMemory(bytes uint64) {
	_ = syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: bytes, Max: bytes})
}
