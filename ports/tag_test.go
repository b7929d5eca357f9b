package ports

import "testing"

func TestTagOfTellsValuesApart(t *testing.T) {
	same := TagOf("a", 1, true)
	if same != TagOf("a", 1, true) || len(same) != 34 || same[0] != '"' || same[33] != '"' {
		t.Errorf("got %s and %s", same, TagOf("a", 1, true))
	}
	for _, other := range [][]any{{"a", 1, false}, {"a1", true}, {"a", 1}, {"a", "1", true}, {"", "a", 1, true}} {
		if TagOf(other...) == same {
			t.Errorf("%v has the tag of another", other)
		}
	}
}

func TestUnchangedAsksOnlyWhoNamesATag(t *testing.T) {
	for _, c := range []struct {
		ifMatch, tag string
		want         Code
	}{{"", `"a"`, Internal}, {`"a"`, `"a"`, Internal}, {`"a"`, `"b"`, Precondition}, {"a", `"a"`, Precondition}} {
		err := Unchanged(c.ifMatch, c.tag)
		if (err == nil) != (c.want == Internal) || (err != nil && !Is(err, c.want)) {
			t.Errorf("%s against %s: %v", c.ifMatch, c.tag, err)
		}
	}
}
