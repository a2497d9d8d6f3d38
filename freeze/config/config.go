// Package config reads freeze.toml, the description of the program that is
// frozen: how a release of it is obtained, what its box holds, where it keeps
// its state, and which of the values it persists belong to the box.
//
// It is strict. A key that it does not know, a wrong type, a value that cannot
// be meant: each is an *Error with the file, the key, the line and the column.
// It runs nothing and reads no environment; docs/freeze-toml.md is the
// complete reference.
package config

import "github.com/freeze-contracts/permafrost/freeze/config/tomldoc"

// Name is the name of the configuration file.
const Name = "freeze.toml"

// Error is one complaint about freeze.toml.
type Error = tomldoc.Error

// Config is a whole freeze.toml.
type Config struct {
	// Dir is the folder of freeze.toml, absolute. Every relative path of the
	// file is meant from here.
	Dir string `toml:"-"`

	Subject  Subject            `toml:"subject"`
	Provider Provider           `toml:"provider"`
	Box      Box                `toml:"box"`
	StandIn  map[string]StandIn `toml:"stand_in"`
	Family   map[string]Family  `toml:"family"`
	Binding  []Binding          `toml:"binding"`
	Derive   map[string]Derive  `toml:"derive"`
	SecretOK []SecretOK         `toml:"secret_ok"`
	Mutate   Mutate             `toml:"mutate"`
	Read     Read               `toml:"read"`
}

// Subject is the program that is frozen.
type Subject struct {
	// Name is the file name of the program in {bin}.
	Name string `toml:"name"`
	// VersionArgs make the program print its version. Empty, which has to be
	// written down, means that no release is asked which one it is.
	VersionArgs []string `toml:"version_args"`
}

// Provider says how a release's programs are obtained.
type Provider struct {
	Kind Kind `toml:"kind"`
	// Package is what is installed: the path of a module for Go, the name of
	// a package for NPM. A release of the ledger names its own.
	Package string `toml:"package"`
	// Commands are the folders of the module whose programs are installed, "."
	// for its root, which is meant where there are none. Only for Go.
	Commands []string `toml:"commands"`
	// Scripts permits the installation scripts of the package and of what it
	// depends on. Only for NPM.
	Scripts bool `toml:"scripts"`
	// Repo is the repository that holds the releases' commits, bare ones
	// included. Empty means the one that holds freeze.toml. Only for Git.
	Repo string `toml:"repo"`
	// Toolchain prints what the build depends on besides its source. It runs
	// in Dir.
	Toolchain []string `toml:"toolchain"`
	// Build leaves the release's programs in {bin}. It runs in the exported
	// tree for Git, in Dir for Command, and may name {bin} and {version}. Go
	// and NPM have none.
	Build []string `toml:"build"`
	// Env is added to the caller's environment for Toolchain and Build.
	// Values may name {bin} and {version}; one that names {bin} is for Build
	// alone.
	Env map[string]string `toml:"env"`
}

// Kind is a kind of provider.
type Kind string

// Packaged reports whether releases are installed from a registry, which
// states the hash of each.
func (k Kind) Packaged() bool { return k == Go || k == NPM }

const (
	// Git builds the ledger's commit from its exported tree.
	Git Kind = "git"
	// Go installs a version of a Go module.
	Go Kind = "go"
	// NPM installs a version of an npm package.
	NPM Kind = "npm"
	// Command runs a command that obtains the ledger's version.
	Command Kind = "command"
)

// Box is what every box of the subject holds.
type Box struct {
	// Tools names programs of this machine that the subject may run.
	Tools []string `toml:"tools"`
	// Tmux puts a private tmux into the box.
	Tmux bool `toml:"tmux"`
	// Env is added to the box's environment. Values may name every
	// placeholder.
	Env map[string]string `toml:"env"`
}

// StandIn is a script that stands in for a program.
type StandIn struct {
	// File is the script, from the folder of freeze.toml.
	File string `toml:"file"`
}

// Family is a group of scenarios whose fixtures live together.
type Family struct {
	// Roots are the folders that are captured, each below {home} or {project}.
	Roots []string `toml:"roots"`
}

// Binding declares a value of a persisted file that belongs to the box and
// that nothing could recognise by itself.
type Binding struct {
	Family string `toml:"family"`
	File   string `toml:"file"` // a glob over the paths of the box; ** is any number of folders
	// Pointer is a JSON pointer (RFC 6901) in which a step * is any one step,
	// or #name for the name of the file, or #target for that of a link. Empty
	// means the whole content.
	Pointer string `toml:"pointer"`
	Kind    string `toml:"kind"` // one of BindingKinds
	// Derive is the derivation of a derived value, and Inputs what it takes:
	// paths below {home} or {project}, or paths of the box for their content.
	// None means {project}.
	Derive string   `toml:"derive"`
	Inputs []string `toml:"inputs"`
	// Pattern is a regexp for the whole of an opaque or a derived value.
	Pattern string `toml:"pattern"`
	// Layout is the form of a date, as Go's package time has it.
	Layout string `toml:"layout"`
}

// BindingKinds returns the kinds that a binding can be declared to have.
// Paths, times and ids are recognised and never declared.
func BindingKinds() []string {
	return []string{"derived", "decimal", "host", "user", "uid", "version", "prefix", "date", "opaque"}
}

// Derive is a derivation: a command that is given a binding's inputs and
// prints its value.
type Derive struct {
	// Command may name {version}.
	Command []string `toml:"command"`
}

// SecretOK permits a value that looks like a secret.
type SecretOK struct {
	File    string `toml:"file"`    // a glob as in Binding
	Pointer string `toml:"pointer"` // a JSON pointer with * for any step; empty means anywhere in the file
	Reason  string `toml:"reason"`
}

// Mutate is for mutation checks.
type Mutate struct {
	Packages    []string `toml:"packages"`
	Suites      []string `toml:"suites"`
	Regressions string   `toml:"regressions"`
}

// Read is for reader scripts.
type Read struct {
	Scripts string `toml:"scripts"`
}
