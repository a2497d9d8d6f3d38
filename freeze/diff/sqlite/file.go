package sqlite

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// file is a database as pages, counted from 1.
type file struct {
	pages  map[uint32][]byte
	count  uint32
	usable int // bytes of a page that hold something
	seen   map[uint32]bool
}

// page returns a page, once: it is part of one tree or one record. A file that
// says otherwise could be walked through without end.
func (f *file) page(number uint32) ([]byte, error) {
	page, ok := f.pages[number]
	if !ok || number == 0 || number > f.count {
		return nil, fmt.Errorf("page %d of %d is not there", number, f.count)
	}
	if f.seen[number] {
		return nil, fmt.Errorf("page %d is reached twice", number)
	}
	f.seen[number] = true
	return page, nil
}

func open(data, wal []byte) (*file, error) {
	if len(data) < 100 || !Is(data) {
		return nil, errors.New("it does not begin as a database")
	}
	size := int(binary.BigEndian.Uint16(data[16:]))
	if size == 1 {
		size = 65536
	}
	if size < 512 || size&(size-1) != 0 {
		return nil, fmt.Errorf("pages of %d bytes: it is a power of 2 from 512 to 65536", size)
	}
	f := &file{pages: map[uint32][]byte{}, seen: map[uint32]bool{}, usable: size - int(data[20])}
	if f.usable < 480 {
		return nil, fmt.Errorf("of pages of %d bytes %d are set aside, which leaves too little", size, data[20])
	}
	if len(data)%size != 0 {
		return nil, fmt.Errorf("%d bytes are no whole number of pages of %d", len(data), size)
	}
	for at := 0; at < len(data); at += size {
		f.count++
		f.pages[f.count] = data[at : at+size]
	}
	f.apply(wal, size)
	// The first page may be another now.
	if !Is(f.pages[1]) {
		return nil, errors.New("its log has a first page that does not begin as a database")
	}
	return f, nil
}

// apply takes from the log what was committed last: the frames from the first
// on whose sums and salts hold, up to the last that ends a transaction. What
// follows is of an earlier log or of a transaction that was cut short.
func (f *file) apply(wal []byte, size int) {
	const header, frame = 32, 24
	if len(wal) < header || int(binary.BigEndian.Uint32(wal[8:])) != size {
		return
	}
	var order binary.ByteOrder = binary.LittleEndian
	switch binary.BigEndian.Uint32(wal) {
	case 0x377f0682:
	case 0x377f0683:
		order = binary.BigEndian
	default:
		return
	}
	salts := wal[16:24]
	s := sum{order: order}
	s.add(wal[:24])
	if !s.is(wal[24:32]) {
		return
	}
	pending := map[uint32][]byte{}
	for rest := wal[header:]; len(rest) >= frame+size; rest = rest[frame+size:] {
		head, page := rest[:frame], rest[frame:frame+size]
		s.add(head[:8])
		s.add(page)
		if string(head[8:16]) != string(salts) || !s.is(head[16:24]) {
			return
		}
		pending[binary.BigEndian.Uint32(head)] = page
		if pages := binary.BigEndian.Uint32(head[4:]); pages != 0 {
			for n, page := range pending {
				f.pages[n] = page
			}
			f.count = pages
			clear(pending)
		}
	}
}

// sum is the running sum of a log.
type sum struct {
	order  binary.ByteOrder
	s0, s1 uint32
}

func (s *sum) add(b []byte) {
	for ; len(b) >= 8; b = b[8:] {
		s.s0 += s.order.Uint32(b) + s.s1
		s.s1 += s.order.Uint32(b[4:]) + s.s0
	}
}

func (s *sum) is(b []byte) bool {
	return binary.BigEndian.Uint32(b) == s.s0 && binary.BigEndian.Uint32(b[4:]) == s.s1
}
