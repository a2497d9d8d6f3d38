package project

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/freeze-contracts/permafrost/readers"
	"github.com/pelletier/go-toml/v2"
)

const (
	// ConfigFile is the configuration's place in the main work tree.
	ConfigFile = "stint.toml"
	// ConfigVersion is the newest config_version this build reads, and the one
	// it writes.
	ConfigVersion = 1
)

// Config is stint.toml.
type Config struct {
	Version  int                `toml:"config_version"`
	Project  Settings           `toml:"project"`
	Session  Session            `toml:"session"`
	Env      Env                `toml:"env"`
	Instance Instance           `toml:"instance"`
	Tmux     Tmux               `toml:"tmux"`
	Harness  map[string]Harness `toml:"harness"`

	Unknown []string `toml:"-"` // dotted keys that mean nothing to this build, sorted
}

// Settings is the table [project].
type Settings struct {
	MemoryDir string `toml:"memory_dir"` // folder for agents' notes, relative to the top of a work tree; empty for none
}

// Session is the table [session].
type Session struct {
	Harness       string `toml:"harness"`        // what session open starts when it is not told; empty for none
	RetentionDays int    `toml:"retention_days"` // for how many days of 24 hours a closed session is listed; 0 for ever
}

// Env is the table [env].
type Env struct {
	File string `toml:"file"` // of NAME=value lines, relative to the top of the work tree; empty for none
}

// Instance is the table [instance].
type Instance struct {
	Name string `toml:"name"` // of this installation, handed to every session; empty for none
}

// Tmux is the table [tmux].
type Tmux struct {
	Socket string `toml:"socket"` // of the server that sessions are opened on, absolute; empty for the user's default one
}

// Harness is a table [harness.NAME]: how a coding agent is started.
type Harness struct {
	Command  []string `toml:"command"`  // program and first arguments; nil: the program of the table's name
	Prompt   []string `toml:"prompt"`   // arguments that hand over a prompt, in the place of {prompt}
	Begin    []string `toml:"begin"`    // arguments that begin a conversation under an id that stint makes up, in the place of {conversation}
	Resume   []string `toml:"resume"`   // arguments that resume a conversation, {conversation}; nil: it cannot; empty: the program is simply started again
	Run      []string `toml:"run"`      // arguments of one turn without a terminal, {prompt}; nil: there are no such turns
	Continue []string `toml:"continue"` // arguments of such a turn in a conversation, {conversation} and {prompt}; nil: it cannot
	Report   string   `toml:"report"`   // member that holds the conversation's id in the JSON that such a turn prints; empty: it prints none
}

// ReadConfig reads the configuration of the main work tree fsys.
func ReadConfig(fsys fs.FS) (*Config, error) {
	b, err := readers.File(fsys, ConfigFile)
	if err != nil {
		return nil, err
	}
	return ParseConfig(ConfigFile, b)
}

// ParseConfig decodes a configuration. The name is for messages. A key that
// this build does not know is no error, since a later release may have
// written it; it is named in Unknown.
func ParseConfig(name string, b []byte) (*Config, error) {
	// The version first: a newer one may have given a key another type.
	var head struct {
		Version *int `toml:"config_version"`
	}
	if err := toml.Unmarshal(b, &head); err != nil {
		return nil, misfit(name, b, err)
	}
	switch {
	case head.Version == nil:
		return nil, readers.Invalid(name, "config_version", "it is missing")
	case *head.Version > ConfigVersion:
		return nil, &readers.NewerError{Path: name, Schema: *head.Version, Newest: ConfigVersion}
	case *head.Version < 1:
		return nil, readers.Invalid(name, "config_version", "%d is no version", *head.Version)
	}
	c := new(Config)
	if err := toml.Unmarshal(b, c); err != nil {
		return nil, misfit(name, b, err)
	}
	c.Unknown = unknown(b)
	return c, c.check(name)
}

func (c *Config) check(name string) error {
	if dir := c.Project.MemoryDir; dir != "" && (!fs.ValidPath(dir) || dir == ".") {
		return readers.Invalid(name, "project.memory_dir", "%q is not a folder below the top of the work tree", dir)
	}
	if days := c.Session.RetentionDays; days < 0 || days > 36500 {
		return readers.Invalid(name, "session.retention_days", "%d is not between 0 and 36500", days)
	}
	if file := c.Env.File; strings.ContainsRune(file, 0) {
		return readers.Invalid(name, "env.file", "%q holds a NUL, which no path can", file)
	}
	if instance := c.Instance.Name; instance != "" && !readers.Instance(instance) {
		return readers.Invalid(name, "instance.name", "%q is not 1 to 64 letters, digits, dots, hyphens and underscores, with a letter or digit at both ends", instance)
	}
	if socket := c.Tmux.Socket; socket != "" && !readers.Absolute(socket) {
		return readers.Invalid(name, "tmux.socket", "%q is not an absolute path without ..", socket)
	}
	for harness, h := range c.Harness {
		if err := h.check(name, "harness."+harness); err != nil {
			return err
		}
	}
	return nil
}

func (h Harness) check(name, table string) error {
	if h.Command != nil && (len(h.Command) == 0 || h.Command[0] == "") {
		return readers.Invalid(name, table+".command", "it names no program")
	}
	for _, arg := range slices.Concat(h.Command, h.Prompt, h.Begin, h.Resume, h.Run, h.Continue) {
		if strings.ContainsRune(arg, 0) {
			return readers.Invalid(name, table, "%q holds a NUL, which no argument can", arg)
		}
	}
	for _, key := range []struct {
		name, place string
		args        []string
	}{
		{"begin", "{conversation}", h.Begin}, {"run", "{prompt}", h.Run},
		{"continue", "{conversation}", h.Continue}, {"continue", "{prompt}", h.Continue},
	} {
		if key.args != nil && !slices.ContainsFunc(key.args, func(arg string) bool { return strings.Contains(arg, key.place) }) {
			return readers.Invalid(name, table+"."+key.name, "it has no place for %s", key.place)
		}
	}
	return nil
}

// unknown decodes a second time, strictly, only to learn the keys' names.
func unknown(b []byte) []string {
	var keys []string
	var strict *toml.StrictMissingError
	d := toml.NewDecoder(strings.NewReader(string(b))).DisallowUnknownFields()
	if err := d.Decode(new(Config)); errors.As(err, &strict) {
		for _, e := range strict.Errors {
			keys = append(keys, strings.Join(e.Key(), "."))
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

func misfit(name string, b []byte, err error) error {
	c := &readers.CorruptError{Path: name, Err: err}
	var decode *toml.DecodeError
	if errors.As(err, &decode) {
		c.Pointer = strings.Join(decode.Key(), ".")
		c.Line, c.Column = decode.Position()
		// What is TOML and does not decode has a value of another type, whose
		// key the decoder names: it would say the rest in terms of Go.
		if toml.Unmarshal(b, new(map[string]any)) == nil {
			c.Err = fmt.Errorf("it is not %s", kind(decode.Key()))
		}
	}
	return c
}

// kind is what the value of a key is to be.
func kind(key []string) string {
	if len(key) == 1 && key[0] != "config_version" || len(key) == 2 && key[0] == "harness" {
		return "a table"
	}
	switch key[len(key)-1] {
	case "config_version", "retention_days":
		return "a whole number"
	case "command", "prompt", "begin", "resume", "run", "continue":
		return "a list of texts in quotes"
	}
	return "a text in quotes"
}
