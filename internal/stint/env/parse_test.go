package env_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/freeze-contracts/permafrost/internal/stint/env"
	"github.com/google/go-cmp/cmp"
)

// told is what a file declares and what is said of it, as text.
func told(f *env.File) (values, warnings []string) {
	for _, v := range f.Variables {
		values = append(values, fmt.Sprintf("%d %s=%s", v.Line, v.Name, v.Value.Reveal()))
	}
	for _, w := range f.Warnings {
		warnings = append(warnings, w.String())
	}
	return values, warnings
}

func TestParse(t *testing.T) {
	const no, open, after = "no NAME=value, the line does not count", "its quote is not closed, the line does not count", "something follows its closing quote, the line does not count"
	long := strings.Repeat("x", 128<<10)
	for _, test := range []struct {
		name, content    string
		values, warnings []string
	}{
		{"nothing", "", nil, nil},
		{"plain", "A=1\nb_2=two words\n", []string{"1 A=1", "2 b_2=two words"}, nil},
		{"no newline at the end", "A=1", []string{"1 A=1"}, nil},
		{"blank lines and comments", "\n# A=0\n \t\n  #\nA=1\n", []string{"5 A=1"}, nil},
		{"export", "export A=1\n\texport\tB=2\nexport=3\nexported=4\n", []string{"1 A=1", "2 B=2", "3 export=3", "4 exported=4"}, nil},
		{"blanks", " A = 1 \t\n\tB=\t2\n", []string{"1 A=1", "2 B=2"}, nil},
		{"empty", "A=\nB=\"\"\nC=''\nD= \nE= # none\n", []string{"1 A=", "2 B=", "3 C=", "4 D=", "5 E="}, nil},
		{"CRLF", "A=1\r\nB=\"2\r\n3\"\r\n\r\nC=4\r\n", []string{"1 A=1", "2 B=2\n3", "5 C=4"}, nil},
		{"a mark of order", "\xef\xbb\xbfA=1\n", []string{"1 A=1"}, nil},
		{"comments behind", "A=1 # one\nB=1#one\nC=#one\nD=\"x # y\" # z\nE='#'\t#\n", []string{"1 A=1", "2 B=1#one", "3 C=#one", "4 D=x # y", "5 E=#"}, nil},
		{"nothing is expanded", "A=$HOME ${HOME} ~ `id` $(id) %H\nB=\"$HOME ~ `id`\"\nC=~/x\n", []string{"1 A=$HOME ${HOME} ~ `id` $(id) %H", "2 B=$HOME ~ `id`", "3 C=~/x"}, nil},
		{"quotes within", "A=it's\nB=a\"b\"c\nC='a\"b'\nD=\"it's\"\n", []string{"1 A=it's", "2 B=a\"b\"c", "3 C=a\"b", "4 D=it's"}, nil},
		{"escapes", `A="a\nb\tc\rd\"e\\f\$g` + "\\`" + `h\xi\'"` + "\n" + `B='a\nb\'` + "\n" + `C=a\nb\` + "\n", []string{"1 A=a\nb\tc\rd\"e\\f$g`h\\xi\\'", `2 B=a\nb\`, `3 C=a\nb\`}, nil},
		{"several lines", "A=\"one\n\n# no comment\nB=2\n\"\nC='\n'\nD=4\n", []string{"1 A=one\n\n# no comment\nB=2\n", "6 C=\n", "8 D=4"}, nil},
		{"separators", "A=a;b=c&d|e\n", []string{"1 A=a;b=c&d|e"}, nil},
		{"bytes", "A=\xff\xfe\x80\x01é\n", []string{"1 A=\xff\xfe\x80\x01é"}, nil},
		{"the later wins", "A=1\nB=2\nA=3\n", []string{"3 A=3", "2 B=2"}, []string{"line 3: A is declared on line 1, too; this one wins"}},
		{"bad lines", "A=1\nsecret\n2B=x\n=x\nA-B=x\nexport\nexport C\né=1\nexport A B=1\nD=4\n", []string{"1 A=1", "10 D=4"}, []string{
			"line 2: " + no, "line 3: " + no, "line 4: " + no, "line 5: " + no, "line 6: " + no, "line 7: " + no, "line 8: " + no, "line 9: " + no}},
		{"a quote that is not closed", "A=1\nB=\"two\nC=3\n", []string{"1 A=1", "3 C=3"}, []string{"line 2: " + open}},
		{"a quote that the next line closes", "A='1\nB='2'\n", []string{"2 B=2"}, []string{"line 1: " + after}},
		{"behind a quote", "A=\"1\"2\nB='1'#\nC=3\n", []string{"3 C=3"}, []string{"line 1: " + after, "line 2: " + after}},
		{"NUL", "A=1\x002\nB=\"\x00\"\nC=3\n", []string{"3 C=3"}, []string{"line 1: a value cannot have a NUL, the line does not count", "line 2: a value cannot have a NUL, the line does not count"}},
		{"as long as can be", "A=" + long[:len(long)-3] + "\n", []string{"1 A=" + long[:len(long)-3]}, nil},
		{"too long", "A=" + long[:len(long)-2] + "\nB=2\n", []string{"2 B=2"}, []string{"line 1: longer than 131071 bytes, no program could be started with it, the line does not count"}},
		{"a key without quotes", "KEY=-----BEGIN\n" + long[:60] + "+/wQ\n" + long[:64] + "\nQEFAASC=\nE=\n", []string{"1 KEY=-----BEGIN", "5 E="}, []string{
			"line 2: " + no, "line 3: " + no, "line 4: the end of a text in base64 that is not in quotes, the line does not count"}},
		{"empty ones below a bad line", "no-name\nA=\n" + long[:64] + "\n\nB=\n", []string{"2 A=", "5 B="}, []string{"line 1: " + no, "line 3: " + no}},
	} {
		values, warnings := told(env.Parse([]byte(test.content)))
		if diff := cmp.Diff(test.values, values); diff != "" {
			t.Errorf("%s: values (-want +got)\n%s", test.name, diff)
		}
		if diff := cmp.Diff(test.warnings, warnings); diff != "" {
			t.Errorf("%s: warnings (-want +got)\n%s", test.name, diff)
		}
	}
}

// inQuotes writes a value as the package says that double quotes are read.
func inQuotes(value string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\r", `\r`, "\n", `\n`).Replace(value) + `"`
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"", "A=1\n", "export A='1\n2' # c\n", "A=\"\\n\\\"\r\n\"\nA=2", "x\nA=\x00\nB=\"", "MIIE\nabc=="} {
		f.Add([]byte(seed), "va\"l\\u\ne\r#;")
	}
	f.Fuzz(func(t *testing.T, content []byte, secret string) {
		read := env.Parse(content)
		var again strings.Builder
		for _, v := range read.Variables {
			fmt.Fprintf(&again, "%s=%s\n", v.Name, inQuotes(v.Value.Reveal()))
		}
		want, _ := told(read)
		for i := range want { // each has a line of its own now
			_, entry, _ := strings.Cut(want[i], " ")
			want[i] = fmt.Sprint(i+1, " ", entry)
		}
		got, warnings := told(env.Parse([]byte(again.String())))
		if diff := cmp.Diff(want, got); diff != "" || len(warnings) > 0 {
			t.Errorf("Parse of what was read (-want +got)\n%s%q", diff, warnings)
		}
		hides(t, content, secret)
	})
}

// hides puts a secret behind names, between quotes and into bad lines, and
// looks for it in all that is said.
func hides(t *testing.T, content []byte, secret string) {
	const canary = "Ca4nary"
	secret = canary + secret
	file := fmt.Sprintf("A=%s\n%s\nB=\"%s\nC='%s\n%s=1 2\n\"%s\n%s\n", secret, content, secret, secret, "-"+secret, secret, "-"+secret)
	f := env.Parse([]byte(file))
	for _, said := range []string{fmt.Sprint(f.Warnings), fmt.Sprintf("%v %+v %#v", f.Warnings, f.Variables, f.Variables)} {
		if strings.Contains(said, canary) && !declares(f, canary) {
			t.Errorf("a value is told: %.300q", said)
		}
	}
}

// declares tells whether the canary came to be part of a name, which are shown.
func declares(f *env.File, canary string) bool {
	for _, v := range f.Variables {
		if strings.Contains(v.Name, canary) {
			return true
		}
	}
	return false
}
