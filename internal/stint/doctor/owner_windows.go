package doctor

import "io/fs"

// foreign is not told: a file has no number of a user.
func foreign(fs.FileInfo) bool { return false }
