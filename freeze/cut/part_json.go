package cut

import (
	"errors"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/freeze-contracts/permafrost/freeze/fixture"
)

// made is a scenario's fixture in a part. Its texts may be any bytes, which
// JSON holds as {"base64": ...}.
type made struct{ *fixture.Scenario }

func (m made) MarshalJSONTo(enc *jsontext.Encoder) error {
	return json.MarshalEncode(enc, m.Scenario, json.WithMarshalers(json.MarshalToFunc(marshalText)))
}

func (m *made) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	return json.UnmarshalDecode(dec, &m.Scenario, json.WithUnmarshalers(json.UnmarshalFromFunc(unmarshalText)))
}

type noText struct {
	Bytes []byte `json:"base64"`
}

func marshalText(enc *jsontext.Encoder, text string) error {
	if utf8.ValidString(text) {
		return errors.ErrUnsupported
	}
	return json.MarshalEncode(enc, noText{[]byte(text)})
}

func unmarshalText(dec *jsontext.Decoder, text *string) error {
	if dec.PeekKind() != '{' {
		return errors.ErrUnsupported
	}
	var b noText
	err := json.UnmarshalDecode(dec, &b)
	*text = string(b.Bytes)
	return err
}
