package sqlite

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// walk goes through a tree of pages and counts its rows.
type walk struct {
	file *file
	rows int64
	row  func(record []byte) error // of a table with rowids; nil only counts
}

// The kinds of page. Rows of a table without rowids lie in an index, in its
// inner pages too.
const (
	innerIndex = 0x02
	innerTable = 0x05
	leafIndex  = 0x0a
	leafTable  = 0x0d
)

// deepest is far beyond the depth of any tree that fits into a file.
const deepest = 40

func (w *walk) page(number uint32, depth int) error {
	if depth > deepest {
		return fmt.Errorf("a tree is deeper than %d pages", deepest)
	}
	page, err := w.file.page(number)
	if err != nil {
		return err
	}
	at := 0
	if number == 1 {
		at = 100 // the file's header
	}
	head, kind := page[at:], page[at]
	cells := int(binary.BigEndian.Uint16(head[3:]))
	pointers := head[8:]
	switch kind {
	case innerIndex, innerTable:
		pointers = head[12:]
	case leafIndex, leafTable:
	default:
		return fmt.Errorf("page %d is of kind %d, which no tree has", number, kind)
	}
	if len(pointers) < 2*cells {
		return fmt.Errorf("page %d has no room for its %d cells", number, cells)
	}
	for i := range cells {
		cell := int(binary.BigEndian.Uint16(pointers[2*i:]))
		if cell+4 > w.file.usable {
			return fmt.Errorf("page %d: a cell is at %d, outside of it", number, cell)
		}
		if err := w.cell(kind, page[cell:w.file.usable], depth); err != nil {
			return fmt.Errorf("page %d: %w", number, err)
		}
	}
	if kind == innerIndex || kind == innerTable {
		return w.page(binary.BigEndian.Uint32(head[8:]), depth+1)
	}
	return nil
}

func (w *walk) cell(kind byte, cell []byte, depth int) error {
	if kind != innerTable {
		w.rows++
	}
	switch {
	case kind == innerIndex || kind == innerTable:
		return w.page(binary.BigEndian.Uint32(cell), depth+1)
	case kind == leafTable && w.row != nil:
		record, err := w.file.payload(cell)
		if err != nil {
			return err
		}
		return w.row(record)
	}
	return nil
}

// payload is the record of a cell of a table's leaf, with what of it lies on
// overflow pages.
func (f *file) payload(cell []byte) ([]byte, error) {
	size, n, err := varint(cell)
	if err != nil {
		return nil, err
	}
	_, m, err := varint(cell[n:]) // the rowid
	if err != nil {
		return nil, err
	}
	rest := cell[n+m:]
	if size > uint64(len(f.pages)*f.usable) {
		return nil, fmt.Errorf("a record of %d bytes is larger than the file", size)
	}
	total, most := int(size), f.usable-35
	if total <= most {
		if total > len(rest) {
			return nil, errors.New("a record ends outside of its page")
		}
		return rest[:total], nil
	}
	least := (f.usable-12)*32/255 - 23
	local := least + (total-least)%(f.usable-4)
	if local > most {
		local = least
	}
	if local+4 > len(rest) {
		return nil, errors.New("a record ends outside of its page")
	}
	record := append([]byte(nil), rest[:local]...)
	next := binary.BigEndian.Uint32(rest[local:])
	for len(record) < total {
		page, err := f.page(next)
		if err != nil {
			return nil, fmt.Errorf("a record goes on: %w", err)
		}
		record = append(record, page[4:4+min(total-len(record), f.usable-4)]...)
		next = binary.BigEndian.Uint32(page)
	}
	return record, nil
}
