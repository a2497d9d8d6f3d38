//go:build unix

package project_test

import (
	"os"
	"path"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	stint "github.com/freeze-contracts/permafrost/internal/stint/project"
)

// A document that may not be read is refused like a damaged one: it is not
// taken for one that is missing.
func TestUnreadable(t *testing.T) {
	contracts.AnyPlace(t)
	if !contracts.AsNobody(t) {
		return
	}
	contracts.Each(t, "project", func(t *testing.T, f *contracts.Fixture) {
		th := f.Thaw(t)
		for _, r := range script(t, f) {
			for _, doc := range r.documents(f.Release) {
				name := th.Path(path.Join(r.at, doc.file))
				info, err := os.Stat(name)
				require.NoError(t, err)
				require.NoError(t, os.Chmod(name, 0))
				f.Equal(t, doc.row+".unreadable", named(doc.read(th.FS(t, r.at))), "permission")
				p, err := stint.Find(t.Context(), env(th), th.Path(r.at))
				if doc.row == configuring.row {
					require.NoError(t, err)
					err = p.NoConfig
				}
				f.Equal(t, doc.row+".unreadable.find", named(err), "permission")
				if !r.refusesInit() {
					_, err = stint.Init(t.Context(), env(th), th.Path(r.at), "sh", f.To)
					f.Equal(t, doc.row+".unreadable.init", named(err), "permission")
				}
				require.NoError(t, os.Chmod(name, info.Mode().Perm()))
				f.Unchanged(t)
			}
		}
	})
}
