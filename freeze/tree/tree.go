// Package tree captures what lies under a folder: names, types, modes, bytes,
// link targets and the order in which things were made.
//
// It knows nothing of boxes, releases or bindings, and changes nothing on
// disk. What it hands out is what was there to the byte, with one exception:
// git's index, known by its content, is settled, see SettleIndex.
package tree

import "io/fs"

// Type is what an entry is.
type Type string

// The types of entries. Sockets, fifos and devices are named, not kept.
const (
	File    Type = "file"
	Dir     Type = "dir"
	Symlink Type = "symlink"
	Socket  Type = "socket"
	Fifo    Type = "fifo"
	Device  Type = "device"
)

// Entry is one thing in a captured tree.
type Entry struct {
	// Path is relative to the box and slash separated, of any bytes but NUL:
	// home/..., project/..., and for what a release said about its own state
	// view/NAME/stdout and view/NAME/exit.
	Path string
	Type Type
	// Mode holds the permission bits and fs.ModeSetuid, fs.ModeSetgid and
	// fs.ModeSticky. It is 0 for a symlink: systems disagree about it.
	Mode fs.FileMode
	// Data is the content of a File.
	Data []byte
	// Target is where a Symlink points, as it is written in the link.
	Target string
	// Born is the time of birth in nanoseconds of unix time, 0 where the
	// system or the file system does not tell.
	Born int64
}
