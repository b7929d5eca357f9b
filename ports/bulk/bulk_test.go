package bulk

import "testing"

func TestOnlySoManyLargeBuffersAreLent(t *testing.T) {
	var back []func()
	lend := func(want int) {
		t.Helper()
		b, release := Buffer()
		if len(b) != want {
			t.Errorf("%d bytes, want %d", len(b), want)
		}
		back = append(back, release)
	}
	for range most {
		lend(Large)
	}
	lend(Small)
	for _, release := range back {
		release()
	}
	back = nil
	lend(Large)
	back[0]()
}
