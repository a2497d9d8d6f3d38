package mutate

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// Ledger is the name of the file, beside the regressions, of the mutants that
// survive for a reason.
const Ledger = "survivors.toml"

// Known is a mutant that changes nothing that a test could see, and why.
type Known struct {
	ID     string `toml:"id"`
	Reason string `toml:"reason"`
}

// ReadLedger reads the ledger. A file that is not there has no entries.
func ReadLedger(file string) ([]Known, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var doc struct {
		Survivor []Known `toml:"survivor"`
	}
	if err := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(&doc); err != nil {
		var strict *toml.StrictMissingError
		var decode *toml.DecodeError
		switch {
		case errors.As(err, &strict) && len(strict.Errors) > 0:
			row, column := strict.Errors[0].Position()
			return nil, fmt.Errorf("%s:%d:%d: %s: unknown key", file, row, column, strings.Join(strict.Errors[0].Key(), "."))
		case errors.As(err, &decode):
			row, column := decode.Position()
			return nil, fmt.Errorf("%s:%d:%d: %w", file, row, column, err)
		}
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	seen := make(map[string]bool)
	for i, k := range doc.Survivor {
		switch {
		case k.ID == "" || strings.TrimSpace(k.Reason) == "":
			return nil, fmt.Errorf("%s: survivor %d: want an id and a reason", file, i+1)
		case seen[k.ID]:
			return nil, fmt.Errorf("%s: survivor %q stands there twice", file, k.ID)
		}
		seen[k.ID] = true
	}
	return doc.Survivor, nil
}
