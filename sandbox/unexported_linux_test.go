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
				if f, err := openFolder(p); err == nil {
					f.removeStub() // an error is a folder that is no stub
					f.close()
				}
			}
		}
	}()
	for range 300 {
		f, err := p.begin(record{Root: string(p)})
		require.NoError(t, err)
		_, err = f.readRecord()
		require.NoError(t, err)
		require.NoError(t, f.remove())
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
