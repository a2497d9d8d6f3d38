package runner

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// holders are the other processes that have the file open, by number and name,
// the oldest number first. Those of other users are not seen.
func holders(name string) []string {
	file, err := os.Stat(name)
	if err != nil {
		return nil
	}
	has := func(pid int) bool {
		open, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/fd/*")
		return slices.ContainsFunc(open, func(fd string) bool {
			info, err := os.Stat(fd)
			return err == nil && os.SameFile(file, info)
		})
	}
	var pids []int
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil && pid != os.Getpid() && has(pid) {
			pids = append(pids, pid)
		}
	}
	slices.Sort(pids)
	var all []string
	for _, pid := range pids {
		// One that has ended meanwhile has neither a name nor the file.
		if name := named(pid); has(pid) {
			all = append(all, name)
		}
	}
	return all
}
