// Package group starts commands in a process group of their own, which ends as
// a whole: with the command, at our word, or with this process however that is
// ended. What left the group by itself is not followed; that is for a sandbox.
package group
