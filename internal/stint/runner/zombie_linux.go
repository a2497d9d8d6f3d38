package runner

// zombie tells whether a process has ended and nobody has asked how: in a
// container whose first process does not, it stays for ever.
func zombie(pid int) bool {
	s, err := statOf(pid)
	return err == nil && (s.state == 'Z' || s.state == 'X')
}
