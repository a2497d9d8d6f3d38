package artifacts_test

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// files is a work tree.
type files map[string]file

// file is one of it, as git knows it. A symlink's content is where it leads.
type file struct{ Mode, Content string }

const (
	plain   = "100644"
	program = "100755"
	symlink = "120000"
)

// hash is git's name of the file's content.
func (f file) hash() string { return object("blob", f.Content) }

// object is git's name of one.
func object(kind, content string) string {
	return fmt.Sprintf("%x", sha1.Sum(fmt.Appendf(nil, "%s %d\x00%s", kind, len(content), content)))
}

// with is a with the files of b in their places, and without those of no mode.
func (a files) with(b files) files {
	all := maps.Clone(a)
	maps.Copy(all, b)
	maps.DeleteFunc(all, func(_ string, f file) bool { return f.Mode == "" })
	return all
}

// trees are git's names of the work tree and of the folders in it, the work
// tree itself under a dot.
func (a files) trees() map[string]string {
	within := map[string][]string{".": nil} // by folder: its entries, a folder with a slash behind it as git sorts them
	for name := range a {
		within[path.Dir(name)] = append(within[path.Dir(name)], name)
		for dir := path.Dir(name); dir != "." && !slices.Contains(within[path.Dir(dir)], dir+"/"); dir = path.Dir(dir) {
			within[path.Dir(dir)] = append(within[path.Dir(dir)], dir+"/")
		}
	}
	ids := make(map[string]string)
	// The longer one is the deeper one of two on one way.
	for _, dir := range slices.Backward(slices.SortedFunc(maps.Keys(within), func(a, b string) int { return len(a) - len(b) })) {
		var content strings.Builder
		for _, name := range slices.Sorted(slices.Values(within[dir])) {
			mode, id := a[name].Mode, a[name].hash()
			if sub, is := strings.CutSuffix(name, "/"); is {
				mode, id = "40000", ids[sub]
			}
			raw, _ := hex.DecodeString(id)
			fmt.Fprintf(&content, "%s %s\x00%s", mode, path.Base(name), raw)
		}
		ids[dir] = object("tree", content.String())
	}
	return ids
}

// tree is git's name of the work tree.
func (a files) tree() string { return a.trees()["."] }

// What is committed first. Some of the scripts end README.md with an empty line.
var (
	small  = files{"README.md": {plain, "A small project.\n"}}
	spaced = files{"README.md": {plain, "A small project.\n\n"}}
	base   = small.with(files{
		"old.txt":   {plain, "It goes.\n"},
		"tool.sh":   {plain, "#!/bin/sh\necho tool\n"},
		"moves.txt": {plain, "one\ntwo\nthree\n"},
		"work.sh":   {plain, workScript},
	})
	// changed is what work.sh makes of base.
	changed = files{
		"README.md":            {plain, "A small project.\nmore\n"},
		"committed.txt":        {plain, "committed\n"},
		"docs/memory/notes.md": {plain, "noted\n"},
		"link":                 {symlink, "docs/memory/notes.md"},
		"moved.txt":            {plain, "one\ntwo\nthree\n"},
		"moves.txt":            {},
		"odd name ü.txt":       {plain, "café\r\nno end"},
		"old.txt":              {},
		"staged.txt":           {plain, "staged\n"},
		"tool.sh":              {program, "#!/bin/sh\necho tool\n"},
	}
	worked = base.with(changed)

	programs = small.with(files{"run.sh": {plain, "#!/bin/sh\necho run\n"}, "work.sh": {plain, binaryScript}})
	// drawn is what the work.sh of the scenario binaries makes of programs.
	drawn = files{
		"link":    {symlink, "picture"},
		"moved":   {plain, "\x00\x03"},
		"picture": {plain, "\x00\x02"},
		"run.sh":  {program, "#!/bin/sh\necho run\n"},
	}
	// turned is what the agent of the scenario run did.
	turned = files{
		"README.md": {plain, "A small project.\n\nmore\n"},
		"link":      {symlink, "README.md"},
		"picture":   {plain, "\x00\x01"},
	}
	one = files{"one": {plain, "one\n"}}
	two = one.with(files{"two": {plain, "two\n"}})
)

const workScript = `# What a text patch can hold: a file that changes, new ones of which git was
# told of one, a mode, links, a deletion, a renaming, odd names, and a last
# line without an end.
set -e
echo more >>README.md
mkdir -p docs/memory
echo 'noted' >docs/memory/notes.md
echo 'staged' >staged.txt
git add staged.txt
chmod +x tool.sh
ln -s docs/memory/notes.md link
rm old.txt
mv moves.txt moved.txt
printf 'café\r\nno end' >'odd name ü.txt'
echo 'committed' >committed.txt
git add committed.txt
git commit -q -m 'some of it' committed.txt
`

const binaryScript = `set -e
printf '\000\002' >picture
printf '\000\003' >moved
chmod +x run.sh
ln -s picture link
`

// What git status --porcelain --untracked-files=all says of worked files: on
// base, and in the session's worktree, where some were staged or committed.
const (
	statusApplied = ` M README.md
 D moves.txt
 D old.txt
 M tool.sh
?? committed.txt
?? docs/memory/notes.md
?? link
?? moved.txt
?? "odd name \303\274.txt"
?? staged.txt
`
	statusWorked = ` M README.md
 D moves.txt
 D old.txt
A  staged.txt
 M tool.sh
?? docs/memory/notes.md
?? link
?? moved.txt
?? "odd name \303\274.txt"
`
	statusPicture = " M README.md\n?? picture\n"
	ignoredOwn    = `!! .stint/.gitignore
!! .stint/lock
!! .stint/project.json
`
	ignoredStaged = `!! .stint/.gitignore
!! .stint/apply/README.md
!! .stint/apply/committed.txt
!! .stint/apply/docs/memory/notes.md
!! .stint/apply/link
!! .stint/apply/moved.txt
!! ".stint/apply/odd name \303\274.txt"
!! .stint/apply/staged.txt
!! .stint/apply/tool.sh
!! .stint/lock
!! .stint/project.json
`
)
