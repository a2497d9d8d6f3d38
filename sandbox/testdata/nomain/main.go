// Nomain starts a box and has forgotten to call sandbox.Main.
package main

import (
	"context"
	"fmt"

	"github.com/freeze-contracts/permafrost/sandbox"
)

func main() {
	_, err := sandbox.Start(context.Background(), sandbox.Config{})
	fmt.Println(err)
}
