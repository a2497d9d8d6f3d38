package shard

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/freeze-contracts/permafrost/freeze/tree"
	"github.com/freeze-contracts/permafrost/internal/whole"
)

// Format is the format of parts that this build reads and writes.
const Format = 1

// largest is how many bytes a part may have.
const largest = 1 << 30

// Part is what one shard of a run has done.
type Part struct {
	File string `json:"-"` // where it was read

	Command string `json:"command"` // freeze, read, ...
	Asked   string `json:"asked"`   // the arguments that decide what is done
	Shard   Shard  `json:"shard"`
	State   State  `json:"state"`
	// Tools are what the work was done with and what has to be the same in all
	// parts that know it: "programs of v1.0.0", "tmux".
	Tools  map[string]string `json:"tools"`
	Plan   []string          `json:"plan"` // the names of the whole run
	Result jsontext.Value    `json:"result"`
}

// envelope is a part as it lies on disk. The sum tells a part that was cut
// short or edited; it is no signature.
type envelope struct {
	Format int            `json:"format"`
	SHA256 string         `json:"sha256"` // of the bytes of part, in hex
	Part   jsontext.Value `json:"part"`
}

// Write writes the part so that there is always a whole one, or none.
func (p *Part) Write(file string) error {
	part, err := json.Marshal(p, json.Deterministic(true))
	if err != nil {
		return err
	}
	data, err := json.Marshal(envelope{Format, sum(part), part})
	if err != nil {
		return err
	}
	return whole.Write(file, append(data, '\n'))
}

// Read reads what Write has written. Errors name the file.
func Read(file string) (*Part, error) {
	data, err := tree.ReadFile(os.DirFS(filepath.Dir(file)), filepath.Base(file), largest)
	if err != nil {
		return nil, fmt.Errorf("part %s: %w", file, err)
	}
	p, err := decode(data)
	if err != nil {
		return nil, fmt.Errorf("part %s: %w", file, err)
	}
	p.File = file
	return p, nil
}

func decode(data []byte) (*Part, error) {
	var head struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("is none, or was cut short: %w", err)
	}
	if head.Format != Format {
		return nil, fmt.Errorf("has format %d, this build reads %d", head.Format, Format)
	}
	var e envelope
	if err := json.Unmarshal(data, &e, json.RejectUnknownMembers(true)); err != nil {
		return nil, err
	}
	if sum(e.Part) != e.SHA256 {
		return nil, errors.New("was altered after it was written: its sha256 is not the one that stands in it")
	}
	p := new(Part)
	if err := json.Unmarshal(e.Part, p, json.RejectUnknownMembers(true)); err != nil {
		return nil, err
	}
	if p.Shard.Whole() {
		return nil, errors.New("does not say which shard it is")
	}
	return p, nil
}

func sum(data []byte) string {
	s := sha256.Sum256(bytes.TrimSpace(data))
	return hex.EncodeToString(s[:])
}
