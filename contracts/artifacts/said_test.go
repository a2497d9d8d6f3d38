package artifacts_test

import (
	"io/fs"
	"strconv"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/readers"
	"github.com/freeze-contracts/permafrost/readers/artifact"
)

// run is a manifest of whatever schema as a release printed or wrote it, taken
// apart without the reader.
type run struct {
	Schema          int    `json:"schema"`
	ID              string `json:"id"`
	ProjectID       string `json:"project_id"`
	Kind            string `json:"kind"`
	Session         string `json:"session"`
	Conversation    string `json:"conversation"`
	ProviderSession string `json:"provider_session"`
	Harness         string `json:"harness"`
	Prompt          string `json:"prompt"`
	Exit            *int   `json:"exit"`
	Revision        int64  `json:"revision"`
	State           string `json:"state"`
	Root            string `json:"root"`
	Base            string `json:"base"`
	Fingerprint     string `json:"fingerprint"`
	Files           []struct {
		Path    string `json:"path"`
		OldMode string `json:"old_mode"`
		NewMode string `json:"new_mode"`
		OldHash string `json:"old_hash"`
		NewHash string `json:"new_hash"`
	} `json:"files"`
	PatchSHA256 string `json:"patch_sha256"`
	PatchSize   int64  `json:"patch_size"`
	CreatedAt   moment `json:"created_at"`
	UpdatedAt   moment `json:"updated_at"`
	StartedAt   moment `json:"started_at"`
	FinishedAt  moment `json:"finished_at"`
	AppliedAt   moment `json:"applied_at"`
	DiscardedAt moment `json:"discarded_at"`
	Receipt     *struct {
		Base        string `json:"base"`
		Tree        string `json:"tree"`
		PatchSHA256 string `json:"patch_sha256"`
		AppliedAt   moment `json:"applied_at"`
	} `json:"receipt"`
	Failure string `json:"failure"`
}

// moment is a time, in seconds since 1970 in schema 1, and in schema 2 as text
// of one form only.
type moment struct{ time.Time }

func (m *moment) UnmarshalJSON(b []byte) error {
	if seconds, err := strconv.ParseInt(string(b), 10, 64); err == nil {
		m.Time = time.Unix(seconds, 0).UTC()
		return nil
	}
	at, err := time.Parse(`"2006-01-02T15:04:05.000Z"`, string(b))
	m.Time = at
	return err
}

func (m moment) time() readers.Time { return readers.Time{Time: m.Time} }

// manifest is what today's reader is wanted to make of it.
func (r run) manifest() *artifact.Manifest {
	m := &artifact.Manifest{
		Head: readers.Head{Schema: today, ID: r.ID, ProjectID: r.ProjectID, Revision: r.Revision,
			CreatedAt: r.CreatedAt.time(), UpdatedAt: r.UpdatedAt.time()},
		Kind: artifact.Kind(r.Kind), Session: r.Session, Conversation: r.Conversation, ProviderSession: r.ProviderSession,
		Harness: r.Harness, Prompt: r.Prompt, Exit: r.Exit, State: artifact.State(r.State), Root: r.Root, Base: r.Base,
		Fingerprint: r.Fingerprint, PatchSHA256: r.PatchSHA256, PatchSize: r.PatchSize,
		StartedAt: r.StartedAt.time(), FinishedAt: r.FinishedAt.time(), AppliedAt: r.AppliedAt.time(), DiscardedAt: r.DiscardedAt.time(), Failure: r.Failure,
	}
	for _, f := range r.Files {
		m.Files = append(m.Files, artifact.File{Path: f.Path, OldMode: f.OldMode, NewMode: f.NewMode, OldHash: f.OldHash, NewHash: f.NewHash})
	}
	if r.Receipt != nil {
		m.Receipt = &artifact.Receipt{Base: r.Receipt.Base, Tree: r.Receipt.Tree, PatchSHA256: r.Receipt.PatchSHA256, AppliedAt: r.Receipt.AppliedAt.time()}
	}
	return m
}

// said is the manifest in an answer that the release gave on one run.
func (p place) said(t *testing.T, view string) *artifact.Manifest {
	t.Helper()
	var answer struct {
		Run *run `json:"run"`
	}
	p.decode(t, view, &answer)
	require.NotNil(t, answer.Run, view)
	return answer.Run.manifest()
}

// listed are the manifests that the release listed.
func (p place) listed(t *testing.T) []*artifact.Manifest {
	t.Helper()
	var answer struct {
		Runs       []run    `json:"runs"`
		Unreadable []string `json:"unreadable"`
	}
	p.decode(t, "list", &answer)
	require.Empty(t, answer.Unreadable)
	var all []*artifact.Manifest
	for _, r := range answer.Runs {
		all = append(all, r.manifest())
	}
	return all
}

// saidPatch is the patch that the release printed.
func (p place) saidPatch(t *testing.T) string {
	t.Helper()
	var answer struct {
		Run    string `json:"run"`
		Patch  string `json:"patch"`
		Base64 []byte `json:"patch_base64"`
	}
	p.decode(t, "diff", &answer)
	require.Equal(t, p.run, answer.Run)
	return answer.Patch + string(answer.Base64)
}

// decode takes a view's JSON apart. A member that this suite does not know
// fails: what a release says is compared, all of it.
func (p place) decode(t *testing.T, view string, into any) {
	t.Helper()
	said := p.f.View(view)
	require.Zero(t, said.Exit, view)
	require.NoError(t, json.Unmarshal(said.Stdout, into, json.RejectUnknownMembers(true)), view)
}

// stored is the run's manifest as it is on disk, taken apart without the
// reader, and the schema it was written in.
func (p place) stored(t *testing.T) (m *artifact.Manifest, schema int) {
	t.Helper()
	b, err := fs.ReadFile(p.th.FS(t, "."), p.manifest())
	require.NoError(t, err)
	var r run
	require.NoError(t, json.Unmarshal(b, &r, json.RejectUnknownMembers(true)))
	return r.manifest(), r.Schema
}
