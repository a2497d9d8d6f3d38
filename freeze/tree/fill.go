package tree

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"fmt"
)

// Stat is what git's index remembers of a file beside its mode, each value cut
// to its low 32 bits.
type Stat struct {
	CtimeSec, CtimeNano, MtimeSec, MtimeNano uint32
	Dev, Ino, UID, GID, Size                 uint32
}

// FillIndex is the other way of SettleIndex: an index with the stat words that
// look gives for its files. look is asked for each entry with the name, mode
// and object id that are staged, and says whether the file is that; of one that
// is not, the words stay zero, and git looks at its content whenever it is asked.
//
// is tells whether it could be done at all: only for what a plain repository
// holds, version 2 or 3 with SHA-1, files and symlinks, no conflict and no flag
// that keeps git from looking. What else there is only git itself refreshes.
func FillIndex(data []byte, look func(name string, mode uint32, id [sha1.Size]byte) (Stat, bool)) (out []byte, is bool, err error) {
	if len(data) < 12+sha1.Size || data[7] != 2 && data[7] != 3 {
		return nil, false, nil
	}
	sum, err := trailerOf(data)
	if err != nil || sum.size != sha1.Size {
		return nil, false, err
	}
	out = bytes.Clone(data[:len(data)-sum.size])
	at := 12
	for range binary.BigEndian.Uint32(out[8:]) {
		const id, flags, name = 40, 60, 62
		if at+name > len(out) {
			return nil, false, errShort
		}
		end, err := entryEnd(out, at, at+name, out[7])
		if err != nil {
			return nil, false, err
		}
		e := out[at:end]
		mode := binary.BigEndian.Uint32(e[24:])
		// Of the flags all but the length of the name: assume-valid, extended
		// ones behind them, and the stage of a conflict.
		if e[flags]&0xf0 != 0 || mode>>12 != 0o10 && mode>>12 != 0o12 {
			return nil, false, nil
		}
		if stat, ok := look(string(bytes.TrimRight(e[name:], "\x00")), mode, [sha1.Size]byte(e[id:flags])); ok {
			stat.put(e)
		}
		at = end
	}
	return append(out, sum.of(out)...), true, nil
}

func (s Stat) put(entry []byte) {
	for i, word := range []uint32{s.CtimeSec, s.CtimeNano, s.MtimeSec, s.MtimeNano, s.Dev, s.Ino} {
		binary.BigEndian.PutUint32(entry[4*i:], word)
	}
	for i, word := range []uint32{s.UID, s.GID, s.Size} {
		binary.BigEndian.PutUint32(entry[28+4*i:], word)
	}
}

// BlobID is the object id that git gives a file with this content, or a symlink
// with this target, in a SHA-1 repository and where nothing converts it.
func BlobID(content []byte) [sha1.Size]byte {
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", len(content))
	h.Write(content)
	return [sha1.Size]byte(h.Sum(nil))
}
