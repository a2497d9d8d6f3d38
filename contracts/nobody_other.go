//go:build !unix

package contracts

import "testing"

// AsNobody says whether the test that calls it is to go on, which one of what
// permission refuses must not where its user is root. There is none here.
func AsNobody(*testing.T) bool { return true }
