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

// Walk captures what lies at the given box-relative places below root, sorted
// by Path. A place that is not there gives no entries: a scenario may leave
// one of its family's roots untouched. A hard link is captured as a file of
// its own. What cannot be read, or vanishes while it is read, is an error that
// names it: nothing may run in the tree any more.
func Walk(root string, under []string) ([]Entry, error) { panic("unbuilt") }

// SettleIndex returns a git index (version 2, 3 or 4) without what it knows of
// the machine: the nine stat words of each entry zeroed, the extensions TREE
// and REUC kept, UNTR, FSMN, EOIE and IEOT dropped, the trailer recomputed, or
// kept where it is all zero (index.skipHash). Staged content, flags, conflict
// stages and intent-to-add stay. is tells whether data is a git index at all;
// a split index, an unknown extension or a wrong trailer is an error.
func SettleIndex(data []byte) (out []byte, is bool, err error) { panic("unbuilt") }
