package tree

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
)

var errShort = errors.New("git index: ends in the middle of an entry or extension")

// SettleIndex returns a git index (version 2, 3 or 4) without what it knows of
// the machine: the nine stat words of each entry but the mode zeroed, the
// extensions TREE and REUC kept, UNTR, FSMN, EOIE and IEOT dropped, the trailer
// recomputed, or kept where it is all zero (index.skipHash). Staged content,
// flags, conflict stages and intent-to-add stay. is tells whether data is a git
// index at all; a split index, an unknown extension or a wrong trailer is an
// error.
//
// The format is git's Documentation/gitformat-index.txt, for SHA-1 and SHA-256
// repositories.
func SettleIndex(data []byte) (out []byte, is bool, err error) {
	// A text that happens to begin with DIRC has no version in three zeros.
	if len(data) < 12+sha1.Size || !bytes.HasPrefix(data, []byte("DIRC\x00\x00\x00")) {
		return nil, false, nil
	}
	sum, err := trailerOf(data)
	if err != nil {
		return nil, true, err
	}
	body := data[:len(data)-sum.size]
	if v := body[7]; v < 2 || v > 4 {
		return nil, true, fmt.Errorf("git index: version %d, this build knows 2 to 4", v)
	}
	out = bytes.Clone(body)
	end, err := clearStats(out, sum.size)
	if err != nil {
		return nil, true, err
	}
	if out, err = keepExtensions(out[:end], body[end:]); err != nil {
		return nil, true, err
	}
	return append(out, sum.of(out)...), true, nil
}

// trailer is the checksum that ends an index: its size tells the repository's
// hash, since both have the same size.
type trailer struct {
	size int
	of   func(body []byte) []byte
}

func trailerOf(data []byte) (trailer, error) {
	known := []trailer{
		{sha256.Size, func(b []byte) []byte { s := sha256.Sum256(b); return s[:] }},
		{sha1.Size, func(b []byte) []byte { s := sha1.Sum(b); return s[:] }},
	}
	for _, t := range known {
		if len(data) < 12+t.size {
			continue
		}
		body, got := data[:len(data)-t.size], data[len(data)-t.size:]
		zero := make([]byte, t.size)
		if bytes.Equal(got, zero) {
			return trailer{t.size, func([]byte) []byte { return zero }}, nil
		}
		if bytes.Equal(got, t.of(body)) {
			return t, nil
		}
	}
	return trailer{}, errors.New("git index: the trailer is no checksum of the rest: cut short, or written to at this moment")
}

// clearStats zeroes the stat words of every entry in body and returns where
// the entries end.
func clearStats(body []byte, hash int) (end int, err error) {
	version, count := body[7], binary.BigEndian.Uint32(body[8:])
	at := 12
	for range count {
		flags := at + 40 + hash
		if flags+2 > len(body) {
			return 0, errShort
		}
		clear(body[at : at+24])    // ctime, mtime, dev, ino
		clear(body[at+28 : at+40]) // uid, gid, size
		name := flags + 2
		if body[flags]&0x40 != 0 { // extended flags
			name += 2
		}
		if at, err = entryEnd(body, at, name, version); err != nil {
			return 0, err
		}
	}
	return at, nil
}

func entryEnd(body []byte, start, name int, version byte) (int, error) {
	if version == 4 { // how much of the previous name to drop, as a varint
		for name < len(body) && body[name]&0x80 != 0 {
			name++
		}
		name++
	}
	if name > len(body) {
		return 0, errShort
	}
	nul := bytes.IndexByte(body[name:], 0)
	if nul < 0 {
		return 0, errShort
	}
	end := name + nul + 1
	if version < 4 { // padded to a multiple of eight from the entry's start
		end = start + (end-start+7)/8*8
	}
	if end > len(body) {
		return 0, errShort
	}
	return end, nil
}

func keepExtensions(out, exts []byte) ([]byte, error) {
	for len(exts) > 0 {
		if len(exts) < 8 {
			return nil, errShort
		}
		size := 8 + int64(binary.BigEndian.Uint32(exts[4:]))
		if size > int64(len(exts)) {
			return nil, errShort
		}
		switch sig := string(exts[:4]); sig {
		case "TREE", "REUC":
			out = append(out, exts[:size]...)
		case "UNTR", "FSMN", "EOIE", "IEOT": // what the machine remembers of its disk
		case "link":
			return nil, errors.New("git index: split in two files; set core.splitIndex=false in the box")
		default:
			return nil, fmt.Errorf("git index: unknown extension %q", sig)
		}
		exts = exts[size:]
	}
	return out, nil
}
