package switches

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"
)

// Serving is a file in the folder of a binary whose next process serves. The
// process removes it, so that what it starts of itself does not.
const Serving = "serving"

// Commands is the file descriptor from which a process that serves reads.
const Commands = 3

// Served begins the line that ends each answer.
const Served = "\x16=== SERVED "

// Serve runs the tests once, as they are run without it, or again and again as
// it is told to: each line is a word that nobody else knows, and a pattern of
// tests, quoted, or an empty one for none. Which mutant is on is read from State
// each time. An answer ends with that word, the exit status, and whether the
// process was changed by the tests in a way that can be seen.
func Serve(run func() int) {
	if dir == "" || os.Remove(dir+"/"+Serving) != nil {
		run()
		return
	}
	commands := open()
	flag.Parse()
	// The second run would let go of the file behind os.Stderr, which closes it.
	out, errs := os.Stdout, os.Stderr
	os.Stderr = os.Stdout
	was := look()
	for lines := bufio.NewScanner(commands); lines.Scan(); {
		var word, tests string
		if _, err := fmt.Sscanf(lines.Text(), "%s %q", &word, &tests); err != nil {
			panic("switches: " + err.Error())
		}
		code := 0
		if tests != "" {
			if err := flag.Set("test.run", tests); err != nil {
				panic("switches: " + err.Error())
			}
			turns, next = 0, 1
			read()
			code = run()
			on, limit = 0, 0
		}
		fmt.Fprintf(out, "\n%s%s %d %t\n", Served, word, code, was.changed())
	}
	runtime.KeepAlive(errs)
	os.Exit(0)
}

// looks is what can be seen of a process.
type looks struct {
	dir               string
	args, env         []string
	umask, goroutines int
	in, out, err      *os.File
}

func look() looks {
	dir, _ := os.Getwd()
	env := os.Environ()
	slices.Sort(env)
	return looks{dir, slices.Clone(os.Args), env, umask(), runtime.NumGoroutine(), os.Stdin, os.Stdout, os.Stderr}
}

// moment is long, since a machine may have more to do.
const moment = 250 * time.Millisecond

// changed reports whether the process looks otherwise now. Goroutines that are
// about to end have a moment for it.
func (l looks) changed() bool {
	for until := time.Now().Add(moment); runtime.NumGoroutine() > l.goroutines && time.Now().Before(until); {
		time.Sleep(10 * time.Microsecond)
	}
	now := look()
	return now.dir != l.dir || !slices.Equal(now.args, l.args) || !slices.Equal(now.env, l.env) ||
		now.umask != l.umask || now.goroutines > l.goroutines ||
		now.in != l.in || now.out != l.out || now.err != l.err
}
