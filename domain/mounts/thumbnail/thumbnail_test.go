package thumbnail

import (
	"testing"

	"pasteport/ports"
)

func TestPicturesAreLetGoTheOldestFirst(t *testing.T) {
	k := newPictures()
	for _, tag := range []string{"a", "b", "c"} {
		k.put(tag, ports.Picture{Bytes: make([]byte, keptPictures/2)})
	}
	_, a := k.get("a")
	_, c := k.get("c")
	if a || !c || k.bytes > keptPictures {
		t.Errorf("a is kept: %t, c is kept: %t, %d bytes", a, c, k.bytes)
	}
}
