package cli_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A restart of many sessions against that of one, of which each waits for a
// second to see that its program stays.
func BenchmarkRestartAll(b *testing.B) {
	for _, n := range []int{20, 100} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			d := newRotation(b, "TOKEN=0\n")
			var ids []string
			for range n {
				ids = append(ids, d.open("sleep", "agent"))
			}
			turn := 0
			measure := func(want int, args ...string) time.Duration {
				turn++
				d.rotate(fmt.Sprintf("TOKEN=%d\n", turn))
				began := time.Now()
				out, _ := d.stint(0, append([]string{"session", "restart"}, args...)...)
				took := time.Since(began)
				require.Len(b, rows(out), want)
				for _, row := range rows(out) {
					require.Equal(b, "restarted", row)
				}
				return took
			}
			var one, all time.Duration
			for b.Loop() {
				one += measure(1, ids[0])
				all += measure(n, "--all")
			}
			b.ReportMetric(one.Seconds()/float64(b.N), "s/one")
			b.ReportMetric(all.Seconds()/float64(b.N), "s/all")
			b.ReportMetric(all.Seconds()/one.Seconds(), "all/one")
		})
	}
}
