package contracts_test

import (
	"context"
	"fmt"

	"github.com/freeze-contracts/permafrost/contracts"
)

// The rules of a corpus, as a program or a test outside of a suite asks for
// them. A test calls Corpus.Test.
func ExampleCorpus_Check() {
	corpus := contracts.Corpus{
		Fixtures: "testdata/jot/fixtures", // or what Find gives
		Suites:   "testdata/jot",
	}
	problems, err := corpus.Check(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range problems {
		fmt.Println(p)
	}
	fmt.Println(len(problems), "problems")
	// Output: 0 problems
}
