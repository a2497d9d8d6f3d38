package byhand_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts/byhand"
)

// The digests are what sha256sum prints of the bytes that docs/stint.md names.
func TestFingerprint(t *testing.T) {
	got, err := byhand.Fingerprint(t.Context(), map[string]string{
		"{project}": "/box/project", "view/head/stdout": "c0ffee\n", "view/status/stdout": " M a\n?? b\n"})
	require.NoError(t, err)
	require.Equal(t, "v1:"+sum(t, `printf '/box/project\0c0ffee\0 M a\0?? b\0'`), got)
}

func TestFingerprintV2(t *testing.T) {
	tree := fstest.MapFS{
		"a":         {Data: []byte("one\n"), Mode: 0o644},
		"tool":      {Data: []byte("#!/bin/sh\n"), Mode: 0o755},
		"link":      {Data: []byte("a"), Mode: fs.ModeSymlink | 0o777},
		"nested/.x": {Data: []byte("x"), Mode: 0o644},
		"back":      {Data: []byte("again"), Mode: 0o644},
	}
	status := []string{" M a", "A  tool", "?? link", "?? nested/", " D gone", "D  back", "?? vanished"}
	got, err := byhand.FingerprintV2("c0ffee", status, tree)
	require.NoError(t, err)
	want := sum(t, `
h() { sha256sum | cut -c1-64; }
printf 'c0ffee\0 M a\0A  tool\0?? link\0?? nested/\0 D gone\0D  back\0?? vanished\0\0'
printf '100644 %s\0' "$(printf 'one\n' | h)"
printf '100755 %s\0' "$(printf '#!/bin/sh\n' | h)"
printf '120000 %s\0' "$(printf a | h)"
printf '%s\0' 040000 000000 000000 000000`)
	require.Equal(t, "v2:"+want, got)

	_, err = byhand.FingerprintV2("c0ffee", []string{" M nested"}, tree)
	require.ErrorContains(t, err, "neither a file")
}

func sum(t *testing.T, script string) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("sha256sum is Linux's")
	}
	cmd := exec.Command("sh", "-c", "{ "+script+"\n} | sha256sum")
	cmd.Dir = filepath.Dir(os.Args[0])
	out, err := cmd.Output()
	require.NoError(t, err)
	return strings.Fields(string(out))[0]
}
