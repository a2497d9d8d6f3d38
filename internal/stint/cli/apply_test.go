package cli_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// much is work of every sort in many files: changed, new, deleted, of another
// mode, links, files where folders were and folders where files were.
const much = `
	mkdir -p old turn
	i=100; while [ $i -lt 250 ]; do
		echo old $i >old/$i; echo turn $i >turn/$i; i=$((i + 1))
	done
	git add .; git commit -qm many
	id=$(stint session open sh --no-attach | sed -n 's/opened session \(.*\): .*/\1/p')
	cd "$XDG_STATE_HOME"/stint/projects/*/workspaces/$id/worktree
	mkdir new
	i=100; while [ $i -lt 250 ]; do
		{ cat stint.toml; echo new $i; } >new/$i
		case $i in
		*0) rm old/$i ;;
		*1) chmod +x old/$i ;;
		*2) rm old/$i; ln -s ../a.txt old/$i ;;
		*3) rm old/$i; mkdir old/$i; echo below >old/$i/below ;;
		*) echo changed $i >>old/$i ;;
		esac
		i=$((i + 1))
	done
	rm -r turn; echo a file now >turn
	cd - >/dev/null
	stint session checkpoint $id | sed -n 's/saved .* as run \([0-9a-f]*\) .*/\1/p'
`

// killedAt ends an apply, and the git that it runs, as soon as a file is there.
const killedAt = `
	rm -rf %[2]s
	stint runs apply %[1]s >/dev/null 2>&1 & pid=$!
	until [ -e %[2]s ] || ! kill -0 $pid 2>/dev/null; do :; done
	kill -STOP $pid 2>/dev/null || true
	kill -KILL $pid $(cat /proc/$pid/task/*/children) 2>/dev/null || true
	wait $pid || true
`

// tree is each file of a work tree, by name, with its mode and what is in it.
func (c crash) tree() map[string]string {
	c.Helper()
	dir := filepath.Join(c.box.Project(), "repo")
	all := make(map[string]string)
	require.NoError(c, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == ".stint"):
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		content, err := os.ReadFile(name)
		all[rel] = fmt.Sprintf("%s %q", info.Mode(), content)
		return err
	}))
	return all
}

// A kill leaves each file as it was or as it is to be, and the next apply does
// the rest.
func TestApplyKilledAtManyMoments(t *testing.T) {
	t.Parallel()
	c := newCrash(t)
	run := c.must(much)
	before := c.tree()
	manifest := c.must("cp \"$XDG_STATE_HOME\"/stint/projects/*/runs/" + run + "/manifest.json .. ; echo \"$XDG_STATE_HOME\"/stint/projects/*/runs/" + run + "/manifest.json")
	back := "cp ../manifest.json '" + manifest + "'; git reset -q --hard; git clean -qfd"
	c.must("stint runs apply " + run)
	after := c.tree()
	require.NotEqual(t, before, after)
	c.must(back)
	require.Equal(t, before, c.tree())

	half := 0
	for _, at := range []string{".stint/apply", ".stint/apply/new/200", ".stint/apply/turn",
		"old/103/below", "old/193/below", "new/100", "new/130", "new/170", "new/210", "new/249"} {
		c.must(fmt.Sprintf(killedAt, run, at))
		found := c.tree()
		for name := range merged(before, after) {
			if is := found[name]; is != before[name] && is != after[name] {
				t.Errorf("killed when there was %s: %s is %s", at, name, is)
			}
		}
		if !cmp.Equal(before, found) && !cmp.Equal(after, found) {
			half++
		}
		c.must("stint runs list | grep -q '^" + run + "  *applied' || stint runs apply " + run)
		if diff := cmp.Diff(after, c.tree()); diff != "" {
			t.Fatalf("applied again after a kill when there was %s (-want +got)\n%s", at, diff)
		}
		require.Empty(t, c.must("ls -A .stint | grep apply || true"), at)
		c.must(back)
	}
	require.Positive(t, half, "no kill came between two files")
}

func merged(a, b map[string]string) map[string]bool {
	all := make(map[string]bool)
	for _, m := range []map[string]string{a, b} {
		for name := range m {
			all[strings.TrimSpace(name)] = true
		}
	}
	return all
}
