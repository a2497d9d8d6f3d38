package binding

import "strings"

// gitDirs are the folders that are git repositories (.git, or a bare one),
// known by what they hold.
type gitDirs []string

func findGitDirs(at map[string]int) gitDirs {
	var found gitDirs
	for name := range at {
		dir, ok := strings.CutSuffix(name, "/HEAD")
		if !ok {
			continue
		}
		_, objects := at[dir+"/objects"]
		_, refs := at[dir+"/refs"]
		if objects && refs {
			found = append(found, dir)
		}
	}
	return found
}

// objectID tells whether a hex token is the id of a git object: anything in
// the name of what lies under objects/, a full id in git's own files, and a
// full id elsewhere that names a loose object.
func (g gitDirs) objectID(s *side, t *text, id string) bool {
	full := len(id) == 40 || len(id) == 64
	for _, dir := range g {
		rest, inside := strings.CutPrefix(t.entry.Path, dir+"/")
		if inside && t.where == "name" && strings.HasPrefix(rest, "objects/") {
			return true
		}
		if inside && full && t.where != "name" {
			return true
		}
		if _, loose := s.at[dir+"/objects/"+id[:2]+"/"+id[2:]]; full && loose {
			return true
		}
	}
	return false
}

// form tells how git writes a path in one of its own files, textForm where
// that is not known. What belongs to a linked work tree lies below worktrees/.
func (g gitDirs) form(name string) form {
	for _, dir := range g {
		rest, inside := strings.CutPrefix(name, dir+"/")
		if !inside {
			continue
		}
		if below, linked := strings.CutPrefix(rest, "worktrees/"); linked {
			_, rest, _ = strings.Cut(below, "/")
		}
		switch {
		case rest == "config" || rest == "config.worktree":
			return configForm
		case rest == "FETCH_HEAD" || rest == "gitdir" || rest == "objects/info/alternates" || strings.HasPrefix(rest, "logs/"):
			return lineForm
		}
	}
	return textForm
}
