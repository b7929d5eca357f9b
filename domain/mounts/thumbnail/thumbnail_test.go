package thumbnail

import (
	"testing"

	"pasteport/ports"
)

func TestPicturesAreLetGoTheOldestFirst(t *testing.T) {
	k := newPictures().kept
	for _, tag := range []string{"a", "b", "c"} {
		k.Put(tag, ports.Picture{Bytes: make([]byte, keptPictures/2)}, keptPictures/2)
	}
	_, a := k.Get("a", nil)
	_, c := k.Get("c", nil)
	if a || !c || k.Use().Size != 2 {
		t.Errorf("a is kept: %t, c is kept: %t, %d pictures", a, c, k.Use().Size)
	}
}
