package env_test

import (
	"testing"

	"github.com/freeze-contracts/permafrost/internal/stint/env"
	"github.com/google/go-cmp/cmp"
)

// The names come from a place that anybody can write to.
func TestGone(t *testing.T) {
	f := env.Parse([]byte("A=1\nPATH=/x\n"))
	got := f.Gone([]string{"A", "OLD", "PATH", "STINT_SESSION_ID", "a-b", "$(x)", "_2"})
	if diff := cmp.Diff([]string{"OLD", "_2"}, got); diff != "" {
		t.Errorf("Gone (-want +got)\n%s", diff)
	}
}
