package sandbox

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Whoever reaps while a box is made takes nothing away from it.
func TestBeginAgainstReaper(t *testing.T) {
	t.Parallel()
	stop, stopped := make(chan struct{}), make(chan struct{})
	p := place(FreshRoot(9))
	t.Cleanup(func() { os.RemoveAll(string(p)) })
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				p.removeStub() // an error is a folder that is no stub
			}
		}
	}()
	for range 300 {
		require.NoError(t, p.begin(record{Root: string(p)}))
		_, err := readRecord(p)
		require.NoError(t, err)
		require.NoError(t, removeAll(string(p)))
	}
	close(stop)
	<-stopped
}

// When the caller is gone, so is the wire for programs: the supervisor must
// still take its time between two looks.
func TestPauseAfterTheCaller(t *testing.T) {
	t.Parallel()
	runs := make(chan request)
	close(runs)
	s := supervisor{runs: runs}
	s.pause(time.Minute)
	started := time.Now()
	s.pause(50 * time.Millisecond)
	require.GreaterOrEqual(t, time.Since(started), 50*time.Millisecond)
}
