package script

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/freeze-contracts/permafrost/sandbox"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"
)

// Role is the script runner as a role of the running binary, see sandbox.Main.
// The arguments that setup gets are the ones given to Play.
func Role(name string, setup func(in *sandbox.Inside, args []string) Setup) sandbox.Role {
	return sandbox.Role{Name: name, Run: func(in *sandbox.Inside, _ []string) int {
		var j job
		if err := json.UnmarshalRead(os.Stdin, &j); err != nil {
			fmt.Fprintf(os.Stderr, "reading the script to play: %v\n", err)
			return 2
		}
		p := newPlayer(in, j, os.Environ())
		// What a program prints may be anything.
		if err := json.MarshalWrite(os.Stdout, p.play(setup(in, j.Args)), jsontext.AllowInvalidUTF8(true)); err != nil {
			fmt.Fprintf(os.Stderr, "answering for script %q: %v\n", j.Name, err)
			return 2
		}
		return 0
	}}
}

// player plays one script from inside of the box.
type player struct {
	in     *sandbox.Inside
	job    job
	env    []string
	mux    mux
	lines  []Line
	faults *faults
	bounds *bounds
	close  func() error // of bounds
}

func newPlayer(in *sandbox.Inside, j job, env []string) *player {
	p := &player{in: in, job: j, env: env, mux: newMux(in, env), faults: &faults{in: in}, bounds: &bounds{limit: j.Limit}}
	return p
}

func (p *player) play(s Setup) outcome {
	e := p.prepare(s)
	if e == nil {
		e = p.run(s)
	}
	if e == nil {
		e = p.faults.check()
	}
	var record []byte
	if e == nil && s.Finish != nil {
		var err error
		if record, err = s.Finish(); err != nil {
			e = &Error{Why: err.Error()}
		}
	}
	if e != nil {
		e.Script, e.Screen = p.job.Name, p.mux.screens()
		return outcome{Error: e}
	}
	return outcome{Result: &Result{Faults: p.faults.declared, Record: record}}
}

// prepare puts the archive's files in place, and the script, alone and with
// its line numbers, where testscript will read it.
func (p *player) prepare(s Setup) *Error {
	a := txtar.Parse(p.job.Script)
	lines, err := Lines(a.Comment)
	if err == nil {
		p.lines, p.faults.lines = lines, lines
		err = unpack(p.in.Project(), a)
	}
	if err == nil && s.Begin != nil {
		err = s.Begin()
	}
	if err == nil {
		err = os.MkdirAll(p.work(), 0o700)
	}
	var text []byte
	if err == nil {
		p.close, err = p.bounds.serve()
	}
	if err == nil {
		text, err = p.bounds.rewrite(a.Comment, p.lines)
	}
	if err == nil {
		err = os.WriteFile(p.file(), text, 0o600)
	}
	if err != nil {
		return &Error{Why: err.Error()}
	}
	return nil
}

// work is a folder of the box that nothing else has to do with: testscript
// needs one, and what it puts there is no trace in project, home or tmp.
func (p *player) work() string { return filepath.Join(p.in.Root, "script") }

// file has the same name for every script, so that no name can be odd.
func (p *player) file() string { return filepath.Join(p.work(), "script.txtar") }

func (p *player) run(s Setup) *Error {
	defer os.RemoveAll(p.work())
	defer p.close()
	t := &verdict{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		t.Run("", func(testscript.T) { testscript.RunT(t, p.params(s)) })
	}()
	select {
	case <-done:
	case <-p.late():
		return &Error{Why: "did not come to its end by its deadline, after " + p.job.Limit + ": a program that it started still runs, or another one holds its standard output open"}
	}
	if o, ok := p.bounds.take(func(overrun) bool { return true }); ok {
		return p.over(o)
	}
	if t.failed {
		return p.blame(t.log.String())
	}
	return nil
}

// late fires when testscript's own deadline has passed without effect: it
// waits for everyone who holds the output of what it has ended. On a busy
// machine it has a second more to name the line.
func (p *player) late() <-chan time.Time {
	if p.job.Deadline.IsZero() {
		return nil
	}
	return time.After(time.Until(p.job.Deadline) + time.Second)
}

func (p *player) params(s Setup) testscript.Params {
	cmds := map[string]Command{"fault": p.faults.cmdFault, "screen": p.mux.cmdScreen, "keys": p.mux.cmdKeys}
	maps.Copy(cmds, s.Commands)
	return testscript.Params{
		Files:               []string{p.file()},
		WorkdirRoot:         p.work(),
		Cmds:                cmds,
		Condition:           condition(s),
		Deadline:            p.job.Deadline,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Values[boundsKey{}] = p.bounds
			e.Cd, e.Vars = p.in.Project(), append(slices.Clone(p.env), s.Env...)
			return nil
		},
	}
}

func condition(s Setup) func(string) (bool, error) {
	if s.Condition != nil {
		return s.Condition
	}
	return func(cond string) (bool, error) { return false, errors.New("not a condition that is known here") }
}
