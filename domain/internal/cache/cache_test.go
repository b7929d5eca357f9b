package cache

import (
	"slices"
	"testing"
)

// kept are the keys whose values are there, without using them.
func kept(c *Cache[string, int]) (keys []string) {
	for _, e := range c.entries {
		keys = append(keys, e.Value.(*entry[string, int]).key)
	}
	slices.Sort(keys)
	return keys
}

func TestTheLeastUsedGoesWhenAllCostTooMuch(t *testing.T) {
	var gone []string
	c := New[string, int](10, 8)
	c.Gone = func(key string, _ int) { gone = append(gone, key) }
	c.Put("a", 1, 4)
	c.Put("b", 2, 4)
	if v, ok := c.Get("a", nil); v != 1 || !ok {
		t.Errorf("got %d %t", v, ok)
	}
	c.Put("c", 3, 4)
	if got := kept(c); !slices.Equal(got, []string{"a", "c"}) || !slices.Equal(gone, []string{"b"}) {
		t.Errorf("kept %v, gone %v", got, gone)
	}
	c.Grow("c", func(v int) bool { return v == 4 }, 100) // another value is meant
	c.Grow("c", func(v int) bool { return v == 3 }, 3)
	if got := kept(c); !slices.Equal(got, []string{"c"}) || c.cost != 7 {
		t.Errorf("kept %v for %d", got, c.cost)
	}
	if want := (Use{Hits: 1, Pruned: 2, Size: 1}); c.Use() != want {
		t.Errorf("used %+v, want %+v", c.Use(), want)
	}
}

func TestAValueThatCostsTooMuchOnlyTakesTheOldOneAway(t *testing.T) {
	c := New[string, int](10, 5)
	c.Put("a", 1, 5)
	c.Put("a", 2, 6)
	if got := kept(c); len(got) != 0 || c.cost != 0 {
		t.Errorf("kept %v for %d", got, c.cost)
	}
	c.Put("a", 3, 5)
	c.Put("a", 4, 2)
	if v, ok := c.Peek("a", nil); v != 4 || !ok || c.cost != 2 {
		t.Errorf("got %d %t for %d", v, ok, c.cost)
	}
}

func TestWhatIsTooOldOrChangedIsForgotten(t *testing.T) {
	c := New[string, int](100, 100)
	for i, key := range []string{"a", "b", "c", "d"} {
		c.Put(key, i, 1)
	}
	young := func(v int) bool { return v > 0 }
	if _, ok := c.Get("a", young); ok {
		t.Error("an old value is given away")
	}
	if _, ok := c.Peek("a", nil); ok {
		t.Error("an old value stays")
	}
	c.Missed()
	c.Drop("b")
	c.Drop("nosuch")
	if n := c.DropAll(func(key string) bool { return key == "c" }); n != 1 {
		t.Errorf("%d dropped", n)
	}
	if want := (Use{Misses: 2, Expired: 1, Invalidations: 2, Size: 1}); c.Use() != want {
		t.Errorf("used %+v, want %+v", c.Use(), want)
	}
	if n := c.Empty(); n != 1 || c.cost != 0 || c.Use().Size != 0 {
		t.Errorf("%d dropped, %d left", n, c.cost)
	}
}
