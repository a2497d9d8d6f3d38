package scenario

import (
	"os"
	"os/exec"
	"os/user"
	"strings"
)

// known are the values of this machine that a program may persist, as
// binding.Run names them. What the machine does not tell is left out.
func known() map[string]string {
	k := make(map[string]string)
	if host, err := os.Hostname(); err == nil {
		k["host"] = host
	}
	if u, err := user.Current(); err == nil {
		k["user"], k["uid"] = u.Username, u.Uid
	}
	for name, args := range map[string][]string{"git": {"git", "version"}, "tmux": {"tmux", "-V"}} {
		if out, err := exec.Command(args[0], args[1:]...).Output(); err == nil {
			k[name] = version(string(out))
		}
	}
	return k
}

// version is the third word of "git version 2.39.5 (Apple)", the second of
// "tmux 3.3a".
func version(s string) string {
	s = strings.TrimPrefix(strings.TrimPrefix(s, "git version "), "tmux ")
	v, _, _ := strings.Cut(strings.TrimSpace(s), " ")
	return v
}
