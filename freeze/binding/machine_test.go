package binding_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/binding"
)

// Frozen again on another machine, whose name, user and tools are others, a
// fixture is identical where that is declared, and nowhere else.
func TestAgainOnAnotherMachine(t *testing.T) {
	here := map[string]string{"host": "builder-7", "user": "ada", "uid": "1007", "tmux": "3.3a", "git": "2.39.5"}
	there := map[string]string{"host": "ci", "user": "root", "uid": "0", "tmux": "3.5", "git": "2.47.1.windows.2"}
	write := func(root string, known map[string]string) *binding.Run {
		b := newBox(root, 1)
		b.put("home/s.json", fmt.Sprintf(`{"host":%q,"user":%q,"uid":%s,"tools":"tmux %s, git version %s"}`,
			known["host"], known["user"], known["uid"], known["tmux"], known["git"]))
		run := b.run()
		run.Known = known
		return run
	}
	rules := []binding.Rule{
		{File: "**/s.json", Pointer: "/host", Kind: binding.Host},
		{File: "**/s.json", Pointer: "/user", Kind: binding.User},
		{File: "**/s.json", Pointer: "/uid", Kind: binding.UID},
		{File: "**/s.json", Pointer: "/tools", Kind: binding.Version},
	}
	a := write(rootA, here)
	bs, ds := binding.Find(a, write(rootB, here), write(rootA, here), rules)
	noDifference(t, "Find", ds)
	noDifference(t, "Again", binding.Again(frozen(a), bs, write(rootFresh, there), rules))

	bs, ds = binding.Find(a, write(rootB, here), write(rootA, here), rules[:3])
	noDifference(t, "Find", ds) // one machine cannot tell
	ds = binding.Again(frozen(a), bs, write(rootFresh, there), rules[:3])
	require.NotEmpty(t, ds)
	for _, d := range ds {
		require.Equal(t, "/tools", d.Pointer)
	}
	require.Contains(t, ds[len(ds)-1].Why, "if this is the box's tmux, declare it")
}
