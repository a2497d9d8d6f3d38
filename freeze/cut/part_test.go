package cut

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/binding"
	"github.com/freeze-contracts/permafrost/freeze/fixture"
	"github.com/freeze-contracts/permafrost/freeze/tree"
)

// What a part is to write may hold any bytes.
func TestPartBytes(t *testing.T) {
	want := fixture.Scenario{
		Known:   map[string]string{"tmux": "3.4"},
		Entries: []tree.Entry{{Path: "project/\xff", Type: tree.Symlink, Target: "\xfe"}, {Path: "project/a", Type: tree.File, Data: []byte("\xff")}},
		Bindings: []binding.Binding{{ID: "opaque1", Kind: binding.Opaque, Value: "\x00\xff", Inputs: []string{"{project}"},
			At: []binding.Occurrence{{Path: "project/\xff", Count: 1}}}},
	}
	data, err := json.Marshal(Part{Releases: []PartRelease{{Scenarios: []PartScenario{{Made: made{&want}}}}}})
	require.NoError(t, err)
	var got Part
	require.NoError(t, json.Unmarshal(data, &got, json.RejectUnknownMembers(true)))
	if diff := cmp.Diff(&want, got.Releases[0].Scenarios[0].Made.Scenario, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("a part (-want +got)\n%s", diff)
	}
}
