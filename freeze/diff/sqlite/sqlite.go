// Package sqlite reads the schema of an SQLite database and counts the rows of
// its tables.
//
// SQLite itself reads it, from a copy in a folder of its own: what a log holds
// is taken in there, what a journal holds is undone, and nothing of that is
// written where the database came from. What SQLite takes for damaged is an
// error.
package sqlite

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ncruces/go-sqlite3"
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

const (
	magic = "SQLite format 3\x00"
	// journalMagic begins a journal, and ends one that names another.
	journalMagic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
)

// Is reports whether data begins as a database.
func Is(data []byte) bool { return bytes.HasPrefix(data, []byte(magic)) }

// Read reads a database. wal and journal are the contents of NAME-wal and
// NAME-journal beside it, nil where there is none.
func Read(data, wal, journal []byte) (_ *Database, err error) {
	if !Is(data) {
		return nil, errors.New("it does not begin as a database")
	}
	if bytes.HasSuffix(journal, []byte(journalMagic)) {
		// It ends with the path of another, which SQLite would look for on this
		// machine, and remove.
		return nil, errors.New("its journal is of a transaction over several databases, of which one alone cannot be undone")
	}
	dir, err := os.MkdirTemp("", "freeze-sqlite-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "db")
	for suffix, content := range map[string][]byte{"": data, "-wal": wal, "-journal": journal} {
		if content == nil {
			continue
		}
		if err := os.WriteFile(path+suffix, content, 0o600); err != nil {
			return nil, err
		}
	}
	return read(path)
}

func read(path string) (*Database, error) {
	conn, err := sqlite3.OpenFlags(path, sqlite3.OPEN_READWRITE)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	// Programs bring collations of their own: they order rows, of which none is
	// looked at. Held for one alone, a log needs no shared memory.
	err = errors.Join(conn.AnyCollationNeeded(), conn.Exec("PRAGMA locking_mode = EXCLUSIVE"))
	if err != nil {
		return nil, err
	}
	db := &Database{Objects: []Object{}}
	var counted []int // of the objects, those that have rows of their own
	err = each(conn, "SELECT type, name, tbl_name, sql, rootpage FROM sqlite_schema ORDER BY type, name", func(row *sqlite3.Stmt) {
		o := Object{Type: row.ColumnText(0), Name: row.ColumnText(1), Table: row.ColumnText(2), SQL: row.ColumnText(3), Rows: -1}
		// A virtual table has no root, and its module may be the program's own.
		if o.Type == "table" && row.ColumnInt64(4) != 0 {
			counted = append(counted, len(db.Objects))
		}
		db.Objects = append(db.Objects, o)
	})
	if err != nil {
		return nil, fmt.Errorf("the schema: %v", err)
	}
	err = each(conn, "SELECT user_version, application_id, encoding FROM pragma_user_version, pragma_application_id, pragma_encoding", func(row *sqlite3.Stmt) {
		db.UserVersion, db.ApplicationID, db.Encoding = int32(row.ColumnInt64(0)), int32(row.ColumnInt64(1)), row.ColumnText(2)
	})
	if err != nil {
		return nil, fmt.Errorf("the header: %v", err)
	}
	for _, i := range counted {
		o := &db.Objects[i]
		// An index could be sound where its table is not.
		err := each(conn, "SELECT count(*) FROM "+sqlite3.QuoteIdentifier(o.Name)+" NOT INDEXED", func(row *sqlite3.Stmt) { o.Rows = row.ColumnInt64(0) })
		if err != nil {
			return nil, fmt.Errorf("table %q: %v", o.Name, err)
		}
	}
	return db, nil
}

// each calls f for each row of the answer to a query.
func each(conn *sqlite3.Conn, query string, f func(*sqlite3.Stmt)) error {
	stmt, _, err := conn.Prepare(query)
	if err != nil {
		return err
	}
	for stmt.Step() {
		f(stmt)
	}
	return stmt.Close() // which has the error of the last step
}
