package binding

import (
	"bytes"
	"encoding/base64"
	"strings"
)

// base64At looks at a word found in base64: the whole run is taken apart, since
// a root of another length moves everything behind it.
func (f *finder) base64At(text []byte, at int) (token, string) {
	for _, name := range []string{base64Std, base64URL} {
		start, end := base64Run(text, at, name)
		plain, ok := decodeBase64(text[start:end], name)
		if !ok {
			continue
		}
		inner, bad := f.find(plain)
		if bad != nil || len(inner) == 0 || hasOther(inner, rawSpelling) || isBinary(plain) {
			continue
		}
		return token{class: rootToken, start: start, end: end, spelling: name, count: len(inner)}, ""
	}
	return token{}, "the box's path in base64 that cannot be taken apart and put together again: no text, or not from the start of the run"
}

func hasOther(ts []token, spelling string) bool {
	for _, t := range ts {
		if t.spelling != spelling {
			return true
		}
	}
	return false
}

func base64Run(text []byte, at int, name string) (start, end int) {
	extra := "+/"
	if name == base64URL {
		extra = "-_"
	}
	in := func(c byte) bool { return kinds[c] != 0 || strings.IndexByte(extra, c) >= 0 }
	start, end = at, at
	for start > 0 && in(text[start-1]) {
		start--
	}
	for end < len(text) && in(text[end]) {
		end++
	}
	for pad := 0; pad < 2 && end < len(text) && text[end] == '='; pad++ {
		end++
	}
	return start, end
}

func encodingOf(run []byte, name string) *base64.Encoding {
	padded := bytes.HasSuffix(run, []byte("="))
	switch {
	case name == base64Std && padded:
		return base64.StdEncoding.Strict()
	case name == base64Std:
		return base64.RawStdEncoding.Strict()
	case padded:
		return base64.URLEncoding.Strict()
	}
	return base64.RawURLEncoding.Strict()
}

// decodeBase64 takes only what encodes to the very same bytes again.
func decodeBase64(run []byte, name string) ([]byte, bool) {
	enc := encodingOf(run, name)
	plain, err := enc.DecodeString(string(run))
	return plain, err == nil && enc.EncodeToString(plain) == string(run)
}

// encodeLike encodes plain as run is encoded, or says why that is in doubt.
func encodeLike(plain, run []byte, name string) (text, why string) {
	padded, raw, odd := base64.StdEncoding, base64.RawStdEncoding, "+/"
	if name == base64URL {
		padded, raw, odd = base64.URLEncoding, base64.RawURLEncoding, "-_"
	}
	text = padded.EncodeToString(plain)
	switch {
	case len(run)%4 != 0:
		text = raw.EncodeToString(plain)
	case name == base64URL && !bytes.HasSuffix(run, []byte("=")) && len(plain)%3 != 0:
		return "", "its length does not tell whether the writer pads base64"
	}
	if strings.ContainsAny(text, odd) && !bytes.ContainsAny(run, odd) {
		return "", "its letters do not tell which of the two alphabets of base64 it is in"
	}
	return text, ""
}

// isBinary tells whether data is no text: it holds a control character that text
// does not use. A path in there may be counted or checksummed.
func isBinary(data []byte) bool {
	for _, c := range data {
		if c < 0x20 && (c < '\a' || c > '\r') && c != 0x1b {
			return true
		}
	}
	return false
}
