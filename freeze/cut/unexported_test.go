package cut

import (
	"strings"
	"testing"
)

func TestMatchVersion(t *testing.T) {
	tests := []struct {
		name, text, want string
		err              string // empty: accepted
	}{
		{"plain", "1.0.0\n", "v1.0.0", ""},
		{"with name and v", "demo v1.0.0\n", "v1.0.0", ""},
		{"more lines", "demo 1.0.0\nbuilt with python 3.11.7\n", "v1.0.0", ""},
		{"said twice", "demo 1.0.0 (tag v1.0.0)\n", "v1.0.0", ""},
		{"a pre-release is another version", "demo 1.0.0-rc.1\n", "v1.0.0", "says that it is v1.0.0-rc.1"},
		{"a build is another version", "demo 1.0.0+dirty\n", "v1.0.0", "says that it is v1.0.0+dirty"},
		{"a longer number is another version", "demo 1.0.01.0\n", "v1.0.0", "says that it is"},
		{"the wrong binary", "demo 1.0.10\n", "v1.0.1", "says that it is v1.0.10"},
		{"two versions in one line", "demo 1.0.0 (1.1.0)\n", "v1.0.0", "names 2 versions"},
		{"none", "demo, a program\n", "v1.0.0", "names no version"},
		{"nothing", "", "v1.0.0", "names no version"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := matchVersion(tt.text, tt.want)
			if tt.err == "" && err != nil {
				t.Fatalf("matchVersion(%q, %q) = %v, want it accepted", tt.text, tt.want, err)
			}
			if tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
				t.Fatalf("matchVersion(%q, %q) = %v, want an error with %q", tt.text, tt.want, err, tt.err)
			}
		})
	}
}
