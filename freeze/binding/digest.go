package binding

import (
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/freeze-contracts/permafrost/freeze/tree"
)

// rootInput stands for the box's root in the inputs of a derived value.
const rootInput = "{root}"

// digests are the hash functions that programs apply to a path.
func digests() map[string]func(in string) string {
	return map[string]func(string) string{
		"sha256": func(in string) string { s := sha256.Sum256([]byte(in)); return hex.EncodeToString(s[:]) },
		"sha1":   func(in string) string { s := sha1.Sum([]byte(in)); return hex.EncodeToString(s[:]) },
		"md5":    func(in string) string { s := md5.Sum([]byte(in)); return hex.EncodeToString(s[:]) },
	}
}

// startFolders are the folders of every box that programs start from. A program may
// keep the digest of one and never write its path.
func startFolders() []string { return []string{"home", "project"} }

// recipe says how a digest comes about: the input has {root} for the root.
type recipe struct{ algorithm, input, digest string }

// recipes finds the recipe of a digest by its first seven digits.
type recipes map[string][]recipe

// learn derives the digests of every absolute path in a run, whether it is in
// the tree or only written somewhere, as it is and as `dirname` and `pwd`
// output it.
func learn(root string, entries []tree.Entry, roots [][]token) recipes {
	paths := map[string]bool{root: true}
	for _, place := range startFolders() {
		paths[root+"/"+place] = true
	}
	for i, e := range entries {
		addPath(paths, root, root+"/"+e.Path)
		for _, text := range [][]byte{e.Data, []byte(e.Target)} {
			if len(roots[i]) == 0 && e.Target == "" {
				break
			}
			for _, p := range writtenPaths(root, text) {
				addPath(paths, root, p)
			}
		}
	}
	known, hash := recipes{}, digests()
	for p := range paths {
		for _, tail := range []string{"", "/", "\n"} {
			for name, of := range hash {
				d := of(p + tail)
				r := recipe{name, rootInput + strings.TrimPrefix(p, root) + tail, d}
				known[d[:minHex]] = append(known[d[:minHex]], r)
			}
		}
	}
	return known
}

func addPath(paths map[string]bool, root, p string) {
	for strings.HasPrefix(p, root+"/") && !paths[p] {
		paths[p] = true
		p = p[:strings.LastIndexByte(p, '/')]
	}
}

// writtenPaths returns what may be the paths below root in a text: up to the
// first byte that names seldom hold, and up to the first that ends a string.
func writtenPaths(root string, text []byte) []string {
	var found []string
	for _, spelling := range []string{root, strings.ReplaceAll(root, "/", `\/`)} {
		for at := bytes.Index(text, []byte(spelling)); at >= 0; at = indexFrom(text, []byte(spelling), at+len(spelling)) {
			rest := text[at:]
			if strings.Contains(spelling, `\`) {
				rest = bytes.ReplaceAll(rest[:lineEnd(rest)], []byte(`\/`), []byte("/"))
			}
			for _, ends := range []string{"\"'`<>\\\t\r\n\x00", "\"'`<>\\\t\r\n\x00 ,;:()[]{}|&"} {
				p := rest[:lineEnd(rest)]
				if i := bytes.IndexAny(p[len(root):], ends); i >= 0 {
					p = p[:len(root)+i]
				}
				found = append(found, string(bytes.TrimRight(p, "/")), string(bytes.TrimRight(p, "./")))
			}
		}
	}
	return found
}

func lineEnd(text []byte) int {
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		return i
	}
	return len(text)
}

// of returns the recipe whose digest begins with text. Where several do, the
// choice is the same in every run of the same program.
func (rs recipes) of(text string) (recipe, bool) {
	lower := strings.ToLower(text)
	if len(lower) < minHex {
		return recipe{}, false
	}
	var best recipe
	for _, r := range rs[lower[:minHex]] {
		if !strings.HasPrefix(r.digest, lower) {
			continue
		}
		if best.digest == "" || r.input < best.input || r.input == best.input && r.algorithm < best.algorithm {
			best = r
		}
	}
	return best, best.digest != ""
}
