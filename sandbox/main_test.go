package sandbox_test

import (
	"testing"

	"github.com/freeze-contracts/permafrost/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	m.Run()
}
