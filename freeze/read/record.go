package read

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/rogpeppe/go-internal/diff"

	"github.com/freeze-contracts/permafrost/freeze/tree"
	"github.com/freeze-contracts/permafrost/internal/whole"
)

// recordName is the file beside the scripts that the whole matrix is kept in.
const recordName = "matrix.json"

// recordFormat is the format of the record that this build writes.
const recordFormat = 1

// Encode is the matrix as it is recorded: one line for each step, and nothing
// that differs from one machine or day to the next.
func (r *Report) Encode() ([]byte, error) {
	head, err := json.Marshal(struct {
		Readers  []string `json:"readers"`
		Releases []string `json:"releases"`
	}{r.Readers, r.Releases}, json.FormatNilSliceAsNull(false))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\"format\": %d,\n%s,\n\"steps\": [", recordFormat, bytes.Trim(head, "{}"))
	for i, s := range r.Steps {
		line, err := json.Marshal(s)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
		b.Write(line)
	}
	b.WriteString("\n]}\n")
	return b.Bytes(), nil
}

// Recorded reads the matrix that is recorded in the folder of the scripts.
func Recorded(dir string) (*Report, error) {
	file := filepath.Join(dir, recordName)
	data, err := tree.ReadFile(os.DirFS(dir), recordName, largest)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var record struct {
		Format int `json:"format"`
		Report `json:",embed"`
	}
	if err := json.Unmarshal(data, &record, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if record.Format != recordFormat {
		return nil, fmt.Errorf("%s: format %d, this build reads %d", file, record.Format, recordFormat)
	}
	return &record.Report, nil
}

// DriftError says that the matrix is not the recorded one.
type DriftError struct{ File, Diff string }

func (e *DriftError) Error() string {
	return fmt.Sprintf("%s: the matrix is another one than recorded; if it is meant, freeze read --matrix --record writes it anew\n%s", e.File, e.Diff)
}

// Compare holds the matrix against the one recorded in the folder of the
// scripts. Another one is a *DriftError.
func (r *Report) Compare(dir string) error {
	is, err := r.Encode()
	if err != nil {
		return err
	}
	file := filepath.Join(dir, recordName)
	was, err := tree.ReadFile(os.DirFS(dir), recordName, largest)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is not there: freeze read --matrix --record writes it", file)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if bytes.Equal(was, is) {
		return nil
	}
	return &DriftError{file, string(diff.Diff("recorded", was, "now", is))}
}

// Record writes the matrix into the folder of the scripts. What a killed process
// left there is removed; of two at once, one may fail.
func (r *Report) Record(dir string) error {
	data, err := r.Encode()
	if err != nil {
		return err
	}
	if err := clearUnfinished(dir); err != nil {
		return err
	}
	return whole.Write(filepath.Join(dir, recordName), data)
}

func clearUnfinished(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), whole.Unfinished(recordName)) {
			err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	return err
}
