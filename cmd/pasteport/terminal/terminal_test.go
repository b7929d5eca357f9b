package terminal

import "testing"

func TestVersionsAreApartByTwoMinorOnesEitherWay(t *testing.T) {
	for _, one := range []struct {
		ours, theirs string
		apart        bool
	}{
		{"0.3.0", "0.1.9", true}, {"0.1.0", "0.3.0", true}, {"1.0.0", "0.9.0", true}, {"0.9.0", "1.0.0", true},
		{"0.3.0", "0.2.0", false}, {"0.3.0", "0.4.7", false}, {"0.3.0", "0.3.1", false}, {"dev", "0.3.0", false}, {"v0.3.0", "0.3.0", false},
	} {
		if got := apart(one.ours, one.theirs); got != one.apart {
			t.Errorf("%s and %s: apart = %t", one.ours, one.theirs, got)
		}
	}
}
