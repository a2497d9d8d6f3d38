// Package jot reads what jot keeps on disk, in the formats of 1.0.0 and 1.1.0.
// It is the example of a reader under contract: handed an fs.FS, it does no I/O
// of its own.
package jot

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/pelletier/go-toml/v2"
)

// Config is config.toml.
type Config struct {
	Format  int
	Editor  string
	Project string // absolute path
	Key     string // of the project's folder, since 1.1.0
}

// ReadConfig reads the configuration in jot's state folder.
func ReadConfig(state fs.FS) (Config, error) {
	data, err := fs.ReadFile(state, "config.toml")
	if err != nil {
		return Config{}, err
	}
	var head struct{ Format int }
	if err := toml.Unmarshal(data, &head); err != nil {
		return Config{}, fmt.Errorf("config.toml: %w", err)
	}
	switch head.Format {
	case 0:
		var v1 struct{ Project, Editor string }
		err = strictTOML(data, &v1)
		return Config{Format: 1, Editor: v1.Editor, Project: v1.Project}, err
	case 2:
		var v2 struct {
			Format  int
			Editor  string
			Project struct{ Path, Key string }
		}
		err = strictTOML(data, &v2)
		return Config{Format: 2, Editor: v2.Editor, Project: v2.Project.Path, Key: v2.Project.Key}, err
	}
	return Config{}, fmt.Errorf("config.toml: format %d is not known", head.Format)
}

func strictTOML(data []byte, into any) error {
	if err := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(into); err != nil {
		return fmt.Errorf("config.toml: %w", err)
	}
	return nil
}

// Note is one note.
type Note struct {
	ID, Text, Blob string
	Project        string // absolute path
	Created        int64  // unix seconds
}

// ReadNotes reads the notes in the order in which they were written, those of
// 1.0.0 first.
func ReadNotes(state fs.FS) ([]Note, error) {
	folders, err := fs.Glob(state, "projects/*")
	if err != nil {
		return nil, err
	}
	var notes []Note
	for _, dir := range append([]string{"."}, folders...) {
		index, err := fs.ReadFile(state, path.Join(dir, "index"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for id := range strings.FieldsSeq(string(index)) {
			n, err := readNote(state, path.Join(dir, "entries", id+".json"))
			if err != nil {
				return nil, err
			}
			notes = append(notes, n)
		}
	}
	return notes, nil
}

func readNote(state fs.FS, name string) (Note, error) {
	data, err := fs.ReadFile(state, name)
	if err != nil {
		return Note{}, err
	}
	var doc struct {
		Format      int            `json:"format"`
		ID          string         `json:"id"`
		Text        string         `json:"text"`
		Blob        string         `json:"blob"`
		Project     jsontext.Value `json:"project"`
		Fingerprint string         `json:"fingerprint"`
		Created     jsontext.Value `json:"created"`
		CreatedUnix int64          `json:"created_unix"`
	}
	if err := json.Unmarshal(data, &doc, json.RejectUnknownMembers(true)); err != nil {
		return Note{}, fmt.Errorf("%s: %w", name, err)
	}
	n := Note{ID: doc.ID, Text: doc.Text, Blob: doc.Blob, Created: doc.CreatedUnix}
	if doc.Format < 2 {
		return n, json.Unmarshal(doc.Project, &n.Project)
	}
	var v2 struct {
		Path string `json:"path"`
		Key  string `json:"key"`
	}
	err = errors.Join(json.Unmarshal(doc.Project, &v2), json.Unmarshal(doc.Created, &n.Created))
	n.Project = v2.Path
	return n, err
}

// Event is a line of the log.
type Event struct {
	Time      time.Time // UTC
	Event, ID string
}

// ReadLog reads a log, in which lines of both releases may stand.
func ReadLog(fsys fs.FS, name string) ([]Event, error) {
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	var events []Event
	for line := range bytes.Lines(data) {
		var doc struct {
			Time  jsontext.Value `json:"time"`
			Event string         `json:"event"`
			ID    string         `json:"id"`
			PID   int            `json:"pid"`
		}
		if err := json.Unmarshal(line, &doc, json.RejectUnknownMembers(true)); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		e := Event{Event: doc.Event, ID: doc.ID}
		var seconds int64
		if doc.Time.Kind() == '"' {
			err = json.Unmarshal(doc.Time, &e.Time)
		} else if err = json.Unmarshal(doc.Time, &seconds); err == nil {
			e.Time = time.Unix(seconds, 0).UTC()
		}
		if err != nil {
			return nil, fmt.Errorf("%s: time: %w", name, err)
		}
		events = append(events, e)
	}
	return events, nil
}

// Tree is a work tree that jot made.
type Tree struct {
	Name, Branch, Path, Repository string
}

// ReadTrees reads the documents of the work trees, sorted by name.
func ReadTrees(state fs.FS) ([]Tree, error) {
	names, err := fs.Glob(state, "trees/*.json")
	if err != nil {
		return nil, err
	}
	var trees []Tree
	for _, name := range slices.Sorted(slices.Values(names)) {
		data, err := fs.ReadFile(state, name)
		if err != nil {
			return nil, err
		}
		var doc struct {
			Format     int    `json:"format"`
			Name       string `json:"name"`
			Branch     string `json:"branch"`
			Path       string `json:"path"`
			Repository string `json:"repository"`
		}
		if err := json.Unmarshal(data, &doc, json.RejectUnknownMembers(true)); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if doc.Format < 2 {
			doc.Branch = doc.Name
		}
		trees = append(trees, Tree{doc.Name, doc.Branch, doc.Path, doc.Repository})
	}
	return trees, nil
}
