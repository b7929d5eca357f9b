package objstore

import (
	"errors"
	"strconv"
	"testing"
)

func TestTokensEndACircle(t *testing.T) {
	for _, c := range []struct {
		name        string
		lead, round int
	}{{"the same token", 0, 1}, {"two in turns", 0, 2}, {"seven after five", 5, 7}, {"a hundred after one", 1, 100}} {
		t.Run(c.name, func(t *testing.T) {
			var tokens Tokens
			for i := range 10 * (c.lead + c.round) {
				n := i
				if i >= c.lead {
					n = c.lead + (i-c.lead)%c.round
				}
				if err := tokens.Follow("t" + strconv.Itoa(n)); err != nil {
					if !errors.Is(err, ErrCircle) || i < c.round {
						t.Errorf("token %d: %v", i, err)
					}
					return
				}
			}
			t.Error("the circle was not seen")
		})
	}
}

func TestTokensLetALongListingPass(t *testing.T) {
	var tokens Tokens
	for i := range 10_000 {
		if err := tokens.Follow(strconv.Itoa(i)); err != nil {
			t.Fatal(i, err)
		}
	}
	if err := tokens.Follow(""); err != nil {
		t.Error("the end:", err)
	}
}
