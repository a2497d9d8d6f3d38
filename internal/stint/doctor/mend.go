package doctor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/freeze-contracts/permafrost/internal/stint/env"
	"github.com/freeze-contracts/permafrost/internal/stint/shell"
	"github.com/freeze-contracts/permafrost/readers"
)

// mend is the command for a file that does not read because of err.
func mend(file string, err error) string {
	switch {
	case errors.Is(err, readers.ErrNewer):
		return "go install github.com/freeze-contracts/permafrost/cmd/stint@latest"
	case errors.Is(err, fs.ErrPermission):
		return grant(nearest(file))
	case errors.Is(err, readers.ErrNotRegular), errors.Is(err, env.ErrNotRegular), errors.Is(err, syscall.ENOTDIR):
		return away(nearest(file))
	}
	return edit(file)
}

// nearest is the file, or the folder above it that is in its way.
func nearest(file string) string {
	for {
		_, err := os.Lstat(file)
		if err == nil || file == filepath.Dir(file) {
			return file
		}
		file = filepath.Dir(file)
	}
}

// grant lets the caller at a file or folder. There is no such command for what
// is another user's.
func grant(name string) string {
	info, err := os.Stat(name)
	switch {
	case err != nil || foreign(info):
		return ""
	case info.IsDir():
		return "chmod 700 " + quote(name)
	}
	return "chmod 600 " + quote(name)
}

// away makes room where something else is than should be. A device may be
// everybody's.
func away(name string) string {
	info, err := os.Lstat(name)
	switch {
	case err != nil || info.Mode()&fs.ModeDevice != 0:
		return ""
	case info.IsDir() || info.Mode().IsRegular():
		return "mv " + quote(name) + " " + quote(name+".kept")
	}
	return "rm " + quote(name)
}

// kind is what is in the place of a file.
func kind(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a folder"
	case m&fs.ModeSymlink != 0:
		return "a symlink"
	case m&fs.ModeNamedPipe != 0:
		return "a fifo"
	case m&fs.ModeDevice != 0:
		return "a device"
	}
	return "a special file"
}

// edit is the command for what only its author can put right.
func edit(file string) string { return `"${EDITOR:-vi}" ` + quote(file) }

// appendLine adds a line, which is no option, to a file, which may lack the end
// of its last one.
func appendLine(line, file string) string {
	print, before := "echo "+quote(line), ""
	if b, err := os.ReadFile(file); err == nil && len(b) > 0 && b[len(b)-1] != '\n' {
		before = `\n`
	}
	if before != "" || strings.Contains(line, `\`) {
		print = `printf '` + before + `%s\n' ` + quote(line)
	}
	return print + " >>" + quote(file)
}

// quote is a path as a word of a shell.
func quote(s string) string { return shell.Word(s) }
