// Package sqlite reads the schema of an SQLite database file and counts the rows
// of its tables.
//
// It reads the file format, which is fixed (https://sqlite.org/fileformat2.html),
// with the write-ahead log that lies beside the file. It runs no SQL, looks into
// no row but those of the schema, and trusts nothing that the file says: what
// cannot be right is an error.
package sqlite

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
)

// Database is what a file says of itself.
type Database struct {
	Objects       []Object // by type and name
	UserVersion   int32    // PRAGMA user_version, by which programs number their schemas
	ApplicationID int32
	Encoding      string // of text: UTF-8, UTF-16le or UTF-16be
}

// Object is a table, an index, a view or a trigger.
type Object struct {
	Type, Name, Table string
	SQL               string // as it was created; empty for an index that a constraint has made
	Rows              int64  // of a table; -1 for what has none of its own, as a virtual table
}

// Magic is how a database begins.
const Magic = "SQLite format 3\x00"

// Is reports whether data begins as a database.
func Is(data []byte) bool { return strings.HasPrefix(string(data[:min(len(data), len(Magic))]), Magic) }

// Read reads a database. wal is the content of the log beside it, NAME-wal, if
// there is one: what was committed there and is not in the file yet counts.
func Read(data, wal []byte) (*Database, error) {
	f, err := open(data, wal)
	if err != nil {
		return nil, err
	}
	head := f.pages[1]
	db := &Database{
		Objects:       []Object{},
		UserVersion:   int32(binary.BigEndian.Uint32(head[60:])),
		ApplicationID: int32(binary.BigEndian.Uint32(head[68:])),
	}
	encodings := []string{"UTF-8", "UTF-8", "UTF-16le", "UTF-16be"} // 0 before anything was written
	encoding := binary.BigEndian.Uint32(head[56:])
	if encoding >= uint32(len(encodings)) {
		return nil, fmt.Errorf("text encoding %d is none", encoding)
	}
	db.Encoding = encodings[encoding]
	schema := walk{file: f, row: func(record []byte) error {
		o, err := f.object(record, db.Encoding)
		db.Objects = append(db.Objects, o)
		return err
	}}
	if err := schema.page(1, 0); err != nil {
		return nil, fmt.Errorf("the schema: %w", err)
	}
	slices.SortFunc(db.Objects, func(a, b Object) int {
		return cmp.Or(strings.Compare(a.Type, b.Type), strings.Compare(a.Name, b.Name))
	})
	return db, nil
}

// object reads a row of the schema and counts the rows of a table.
func (f *file) object(record []byte, encoding string) (Object, error) {
	values, err := fields(record)
	if err != nil {
		return Object{}, err
	}
	if len(values) != 5 {
		return Object{}, fmt.Errorf("a row of %d values, not 5", len(values))
	}
	text := func(v any) string {
		b, _ := v.([]byte)
		return decode(b, encoding)
	}
	o := Object{Type: text(values[0]), Name: text(values[1]), Table: text(values[2]), SQL: text(values[4]), Rows: -1}
	root, _ := values[3].(int64)
	if o.Type != "table" || root == 0 {
		return o, nil
	}
	if root < 0 || root > int64(f.count) {
		return o, fmt.Errorf("table %q begins on page %d of %d", o.Name, root, f.count)
	}
	count := walk{file: f}
	if err := count.page(uint32(root), 0); err != nil {
		return o, fmt.Errorf("table %q: %w", o.Name, err)
	}
	o.Rows = count.rows
	return o, nil
}

func decode(b []byte, encoding string) string {
	var order binary.ByteOrder = binary.LittleEndian
	switch encoding {
	case "UTF-8":
		return string(b)
	case "UTF-16be":
		order = binary.BigEndian
	}
	var units []uint16
	for ; len(b) >= 2; b = b[2:] {
		units = append(units, order.Uint16(b))
	}
	return string(utf16.Decode(units))
}

// varint reads SQLite's: seven bits a byte, the ninth has all eight.
func varint(b []byte) (value uint64, n int, err error) {
	for n < len(b) && n < 8 {
		value = value<<7 | uint64(b[n]&0x7f)
		n++
		if b[n-1] < 0x80 {
			return value, n, nil
		}
	}
	if n == 8 && len(b) > 8 {
		return value<<8 | uint64(b[8]), 9, nil
	}
	return 0, 0, errShort
}

var errShort = errors.New("it ends in the middle of a number")

// fields are the values of a record: int64, []byte for text and blobs, or nil.
// No number of the schema is a float.
func fields(record []byte) ([]any, error) {
	size, n, err := varint(record)
	if err != nil || size < uint64(n) || size > uint64(len(record)) {
		return nil, errors.Join(errors.New("a record has no sound header"), err)
	}
	head, body := record[n:size], record[size:]
	var values []any
	for len(head) > 0 {
		kind, n, err := varint(head)
		if err != nil {
			return nil, err
		}
		head = head[n:]
		width := uint64(0)
		switch {
		case kind <= 4:
			width = kind
		case kind == 5:
			width = 6
		case kind == 6 || kind == 7:
			width = 8
		case kind >= 12:
			width = (kind - 12) / 2
		}
		if width > uint64(len(body)) {
			return nil, errors.New("a record is shorter than its header says")
		}
		values = append(values, field(kind, body[:width]))
		body = body[width:]
	}
	return values, nil
}

func field(kind uint64, b []byte) any {
	switch {
	case kind == 0 || kind == 7 || kind == 10 || kind == 11:
		return nil
	case kind == 8 || kind == 9:
		return int64(kind - 8)
	case kind >= 12:
		return b
	}
	value := int64(int8(b[0])) // the first byte has the sign
	for _, c := range b[1:] {
		value = value<<8 | int64(c)
	}
	return value
}
