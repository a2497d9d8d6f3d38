package sandbox_test

import (
	"context"
	"fmt"
	"os"

	"github.com/freeze-contracts/permafrost/sandbox"
)

// A test binary calls sandbox.Main in its TestMain before anything else.
func Example() {
	ctx := context.Background()
	box, err := sandbox.Start(ctx, sandbox.Config{Tools: []string{"sh", "sleep"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	code, err := box.Run(ctx, sandbox.Cmd{
		Args:   []string{"sh", "-c", "sleep 1000 & echo hello; exit 3"},
		Stdout: os.Stdout,
	})
	fmt.Println(code, err)
	fmt.Println(box.Close())
	// Output:
	// hello
	// 3 <nil>
	// <nil>
}
