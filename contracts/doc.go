// Package contracts is the harness by which a project reads its frozen
// fixtures back through today's code.
//
// Each runs a test once for every scenario of every release in the ledger: the
// releases are discovered, never listed. A Fixture thaws into a folder of its
// own, or lets tests that write nothing Look at a folder they share, records
// what is read of it, and compares under an assertion id that begins with the
// row of the contract it holds. Main, called by TestMain, fails the suite of a
// family when it left any fixture file of that family unread, and runs it a
// second time in a hostile environment, without what asked for AnyPlace. Visit
// is for a suite that asks more of families that have their owners. A Corpus
// holds the rules that concern all fixtures together, and Tampering tells what a
// suite would not see.
//
// The fixtures are found at fixtures/releases.toml in the working folder or the
// nearest one above it, up to the top of the module. FixturesEnv names another
// folder.
//
// A suite owns a family. Its wanted values are what the release said itself, or
// are written by hand:
//
//	func TestMain(m *testing.M) { contracts.Main(m, "sessions") }
//
//	func TestList(t *testing.T) {
//		contracts.Each(t, "sessions", func(t *testing.T, f *contracts.Fixture) {
//			th := f.Thaw(t)
//			got, err := session.List(th.FS(t, "home/.local/state/demo"))
//			if err != nil {
//				t.Fatal(err)
//			}
//			f.Equal(t, "r4.list", got, parse(f.View("list").Stdout))
//			f.Unchanged(t)
//		})
//	}
//
// testdata/jot is a whole one: a reader, its contract, and the fixtures of two
// releases. It is built and run as part of another module in the
// tests of this package.
//
// The package knows fixtures and the ledger only: neither the program whose
// state is frozen nor its readers.
package contracts
