// Package project_test reads back what makes a folder a project, the marker
// and stint.toml, as every release left them: rows 1 to 3 of the contract, and
// what row 19 asks of these two files.
package project_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	stint "github.com/freeze-contracts/permafrost/internal/stint/project"
	"github.com/freeze-contracts/permafrost/readers"
	"github.com/freeze-contracts/permafrost/readers/project"
)

// This is the one suite that owns the family project.
func TestMain(m *testing.M) {
	contracts.Main(m, "project", contracts.Promises("../../docs/persisted-contracts.md"))
}

// projects is where stint keeps the state of projects, a folder for each.
const projects = "home/.local/state/stint/projects"

// env is all that today's code learns of its surroundings.
func env(th *contracts.Thawed) []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + th.Path("home"), "TZ=UTC",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CEILING_DIRECTORIES=" + th.Dir}
}

// answer is what stint init --json says.
type answer struct {
	ID         string `json:"project_id"`
	Repository string `json:"repository"`
	StateDir   string `json:"state_dir"`
	Marker     bool   `json:"marker_written"`
	Config     bool   `json:"config_written"`
	OfPath     bool   `json:"id_from_path"`
}

// answerOf is what init would say of the project.
func answerOf(p *stint.Project, err error) answer {
	if err != nil {
		return answer{ID: "error: " + err.Error()}
	}
	return answer{ID: p.ID, Repository: p.Tree.Dir, StateDir: p.StateDir, OfPath: p.ID == project.PathID(p.Tree.Dir)}
}

// said is an answer that the release gave.
func said(t *testing.T, f *contracts.Fixture, view string) answer {
	t.Helper()
	var a answer
	require.NoError(t, json.Unmarshal(f.View(view).Stdout, &a), view)
	return a
}

// marker is the file .stint/project.json, taken apart without the reader.
type marker struct {
	Schema    int    `json:"schema"`
	ID        string `json:"project_id"`
	CreatedAt int64  `json:"created_at"`
}

func markerOf(t *testing.T, th *contracts.Thawed, r repository) marker {
	t.Helper()
	b, err := fs.ReadFile(th.FS(t, "."), r.marker)
	require.NoError(t, err)
	var m marker
	require.NoError(t, json.Unmarshal(b, &m, json.RejectUnknownMembers(true)))
	return m
}

// id is the one that the repository's project must have.
func (r repository) id(t *testing.T, th *contracts.Thawed) string {
	t.Helper()
	if !r.ofPath {
		return markerOf(t, th, r).ID
	}
	sum := sha256.Sum256([]byte(th.Path(r.at)))
	return hex.EncodeToString(sum[:16])
}

// named gives an error the name by which callers tell it.
func named(err error) string {
	var corrupt *readers.CorruptError
	var newer *readers.NewerError
	switch {
	case err == nil:
		return "none"
	case errors.As(err, &newer) && errors.Is(err, readers.ErrNewer):
		return fmt.Sprintf("newer: %d", newer.Schema)
	case errors.As(err, &corrupt):
		return "corrupt at " + corrupt.Pointer
	case errors.Is(err, readers.ErrTooLarge):
		return "too large"
	case errors.Is(err, readers.ErrNotRegular):
		return "not regular"
	case errors.Is(err, fs.ErrPermission):
		return "permission"
	}
	return "unnamed: " + err.Error()
}

// or is the value, or else why there is none.
func or(value string, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	return value
}
