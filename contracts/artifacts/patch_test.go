package artifacts_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// added is the patch that adds a file of one line.
func added(name, line string) string {
	return fmt.Sprintf(`diff --git a/%[1]s b/%[1]s
new file mode 100644
index 0000000000000000000000000000000000000000..%[2]s
--- /dev/null
+++ b/%[1]s
@@ -0,0 +1 @@
+%[3]s
`, name, file{plain, line + "\n"}.hash(), line)
}

// sum of a text, as sha256sum gives it.
func sum(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// sumWorked is that of the patch from base to worked, by sha256sum.
const sumWorked = "44ed85b8799a966e9b69840606ab18a3de892b7655b30919cc1ace3bdc2a2470"

// What git diff --binary --full-index says, of the scenarios run and binaries.
const (
	turnedPatch = `diff --git a/README.md b/README.md
index 047c121276e8d49d3254fea2346efca13c3e70b4..c9dd701ce94b12092d9c3b61dbdc8ce33ae7af8d 100644
--- a/README.md
+++ b/README.md
@@ -1,2 +1,3 @@
 A small project.
 
+more
diff --git a/link b/link
new file mode 120000
index 0000000000000000000000000000000000000000..42061c01a1c70097d1e4579f29a5adf40abdec95
--- /dev/null
+++ b/link
@@ -0,0 +1 @@
+README.md
\ No newline at end of file
diff --git a/picture b/picture
new file mode 100644
index 0000000000000000000000000000000000000000..bdc955b7b2e610ad5a72302b139a2e6cb325519a
GIT binary patch
literal 2
Jc${Nk1ONa700IC2

literal 0
Hc$@<O00001

`
	drawnPatch = `diff --git a/link b/link
new file mode 120000
index 0000000000000000000000000000000000000000..ebc43fd72490fd8a951d5e00d86a5cf7c21360bd
--- /dev/null
+++ b/link
@@ -0,0 +1 @@
+picture
\ No newline at end of file
diff --git a/moved b/moved
new file mode 100644
index 0000000000000000000000000000000000000000..a903574af00b573ad9bdb2bccf8d93ed00c675de
GIT binary patch
literal 2
Jc${Nk1^@sB00aO4

literal 0
Hc$@<O00001

diff --git a/picture b/picture
new file mode 100644
index 0000000000000000000000000000000000000000..8835708590a9afa236e1bbad18df9d23de82ccd3
GIT binary patch
literal 2
Jc${Nk0ssI600RI3

literal 0
Hc$@<O00001

diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
`
)
