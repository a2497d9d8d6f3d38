package env_test

import (
	"bytes"
	stdjson "encoding/json" // what a log may use
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/freeze-contracts/permafrost/internal/stint/env"
	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// No way of printing shows a value, wherever it is in what is printed.
func TestValueIsHidden(t *testing.T) {
	const canary = "Zq9-canary"
	v := env.NewValue(canary)
	file := env.Parse([]byte("A=" + canary + "\n"))
	inside := struct{ unexported env.Value }{v}
	for _, printed := range []any{v, &v, []env.Value{v}, map[string]env.Value{"A": v}, inside, &inside, file, *file, file.Variables, file.Variables[0]} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "% x", "%d", "%p", "%T", "%10.3s", "%!"} {
			mustHide(t, canary, verb, fmt.Sprintf(verb, printed))
		}
		mustHide(t, canary, "Print", fmt.Sprint(printed))
		var log bytes.Buffer
		slog.New(slog.NewTextHandler(&log, nil)).Info("x", "v", printed)
		slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "v", printed)
		mustHide(t, canary, "slog", log.String())
		mustHide(t, canary, "Errorf", errors.Join(fmt.Errorf("%v", printed)).Error())
		b, err := json.Marshal(printed)
		mustHide(t, canary, "json", string(b)+fmt.Sprint(err))
		b, err = stdjson.Marshal(printed)
		mustHide(t, canary, "encoding/json", string(b)+fmt.Sprint(err))
		differ := &recorder{}
		assert.Equal(differ, nil, printed)
		mustHide(t, canary, "testify", differ.String())
	}
	require.Equal(t, canary, v.Reveal())
	require.Equal(t, "(hidden)", fmt.Sprint(v))
	require.Empty(t, env.Value{}.Reveal())
}

func mustHide(t *testing.T, canary, how, printed string) {
	t.Helper()
	for _, form := range []string{canary, fmt.Sprintf("%x", canary), fmt.Sprintf("%X", canary), fmt.Sprintf("% x", canary), canary[:3]} {
		if strings.Contains(printed, form) {
			t.Errorf("%s shows %q: %s", how, form, printed)
		}
	}
}

// recorder takes what an assertion that failed prints.
type recorder struct{ strings.Builder }

func (r *recorder) Errorf(format string, args ...any) { fmt.Fprintf(r, format, args...) }
