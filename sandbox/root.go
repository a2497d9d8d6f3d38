package sandbox

import (
	"crypto/rand"
	"fmt"
	"path/filepath"
	"regexp"
)

// rootLetters are g to z without vowels: a word of them is no hexadecimal
// number, no English word, and so nothing that a program would print by chance.
const rootLetters = "ghjklmnpqrstvwxyz"

// maxSocket is how long the path of a unix socket can be on Linux, in bytes.
const maxSocket = 107

// FreshRoot returns /tmp/fz.WORD with a word of n random letters. It does not
// create it.
func FreshRoot(n int) string {
	word := make([]byte, 0, n)
	for len(word) < n {
		var b [1]byte
		rand.Read(b[:])
		// Values past the last whole multiple would favour the first letters.
		if int(b[0]) < 256/len(rootLetters)*len(rootLetters) {
			word = append(word, rootLetters[int(b[0])%len(rootLetters)])
		}
	}
	return filepath.Join(tempDir(), "fz."+string(word))
}

// tempDir is /tmp itself and not TMPDIR, which is often too long for a socket.
// Where it is a symlink it is resolved: paths that git and the kernel report
// are resolved too.
func tempDir() string {
	if real, err := filepath.EvalSymlinks("/tmp"); err == nil {
		return real
	}
	return "/tmp"
}

var rootShape = regexp.MustCompile(`^/[A-Za-z0-9._/-]+$`)

func checkRoot(root string) error {
	const want = "want an absolute, clean path of at most 40 bytes of [A-Za-z0-9._/-]"
	switch {
	case !rootShape.MatchString(root), filepath.Clean(root) != root, root == "/":
		return fmt.Errorf("box root %q: %s", root, want)
	case len(place(root).socket()) > maxSocket:
		return fmt.Errorf("box root %q: its tmux socket %q would take %d bytes, a socket path can take %d: %s",
			root, place(root).socket(), len(place(root).socket()), maxSocket, want)
	case len(root) > 40:
		return fmt.Errorf("box root %q: %d bytes: %s", root, len(root), want)
	}
	parent := filepath.Dir(root)
	real, err := filepath.EvalSymlinks(parent)
	if err != nil {
		return fmt.Errorf("box root %q: %w", root, err)
	}
	if real != parent {
		return fmt.Errorf("box root %q: %q is a symlink: use %q", root, parent, filepath.Join(real, filepath.Base(root)))
	}
	return nil
}
