package mounts

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"testing"

	"pasteport/ports"
)

// free lets everything be decoded.
func free(int64) (func(), error) { return func() {}, nil }

// halves is a picture that is red on the left and blue on the right.
func halves(w, h int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			m.SetRGBA(x, y, color.RGBA{255, 0, 0, 255})
			if x >= w/2 {
				m.SetRGBA(x, y, color.RGBA{0, 0, 255, 255})
			}
		}
	}
	return m
}

func jpegOf(t *testing.T, m image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := jpeg.Encode(&out, m, &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func pngOf(t *testing.T, m image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, m); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// held puts the orientation of a camera into a JPEG file.
func held(file []byte, orientation uint16, order binary.ByteOrder) []byte {
	tiff := []byte("MM\x00*")
	if order == binary.LittleEndian {
		tiff = []byte("II*\x00")
	}
	field := func(v any) {
		var b bytes.Buffer
		_ = binary.Write(&b, order, v)
		tiff = append(tiff, b.Bytes()...)
	}
	field(uint32(8))
	field(uint16(2))
	for _, e := range [][3]uint16{{0x0100, 3, 7}, {0x0112, 3, orientation}} {
		field(e[0])
		field(e[1])
		field(uint32(1))
		field(e[2])
		field(uint16(0))
	}
	exif := append([]byte("Exif\x00\x00"), tiff...)
	segment := append([]byte{0xff, 0xe1, byte((len(exif) + 2) >> 8), byte(len(exif) + 2)}, exif...)
	return append(append(bytes.Clone(file[:2]), segment...), file[2:]...)
}

func TestSmallPicturesKeepTheFormAndTheMeanOfTheirPixels(t *testing.T) {
	var animated bytes.Buffer
	frame := image.NewPaletted(image.Rect(0, 0, 40, 20), color.Palette{color.RGBA{255, 0, 0, 255}, color.RGBA{0, 0, 255, 255}})
	for y := range 20 {
		for x := 20; x < 40; x++ {
			frame.SetColorIndex(x, y, 1)
		}
	}
	if err := gif.EncodeAll(&animated, &gif.GIF{Image: []*image.Paletted{frame, image.NewPaletted(frame.Rect, frame.Palette)}, Delay: []int{1, 1}}); err != nil {
		t.Fatal(err)
	}
	clear := halves(40, 20)
	for y := range 20 {
		for x := range 20 {
			clear.SetRGBA(x, y, color.RGBA{})
		}
	}
	for name, c := range map[string]struct {
		file          []byte
		side          int
		width, height int
		kind          string
		left, right   color.RGBA
	}{
		"a JPEG":              {jpegOf(t, halves(1000, 400)), 100, 100, 40, "image/jpeg", color.RGBA{255, 0, 0, 255}, color.RGBA{0, 0, 255, 255}},
		"one that is upright": {jpegOf(t, halves(300, 900)), 90, 30, 90, "image/jpeg", color.RGBA{255, 0, 0, 255}, color.RGBA{0, 0, 255, 255}},
		"a small one":         {pngOf(t, halves(40, 20)), 160, 40, 20, "image/jpeg", color.RGBA{255, 0, 0, 255}, color.RGBA{0, 0, 255, 255}},
		"a thin one":          {pngOf(t, halves(3000, 1)), 100, 100, 1, "image/jpeg", color.RGBA{255, 0, 0, 255}, color.RGBA{0, 0, 255, 255}},
		"a GIF":               {animated.Bytes(), 20, 20, 10, "image/jpeg", color.RGBA{255, 0, 0, 255}, color.RGBA{0, 0, 255, 255}},
		"a clear one":         {pngOf(t, clear), 20, 20, 10, "image/png", color.RGBA{}, color.RGBA{0, 0, 255, 255}},
		"turned right":        {held(jpegOf(t, halves(40, 20)), 6, binary.LittleEndian), 40, 20, 40, "image/jpeg", color.RGBA{255, 0, 0, 255}, color.RGBA{255, 0, 0, 255}},
		"on its head":         {held(jpegOf(t, halves(40, 20)), 3, binary.BigEndian), 40, 40, 20, "image/jpeg", color.RGBA{0, 0, 255, 255}, color.RGBA{255, 0, 0, 255}},
		"mirrored":            {held(jpegOf(t, halves(40, 20)), 2, binary.BigEndian), 40, 40, 20, "image/jpeg", color.RGBA{0, 0, 255, 255}, color.RGBA{255, 0, 0, 255}},
		"held in no way":      {held(jpegOf(t, halves(40, 20)), 99, binary.BigEndian), 40, 40, 20, "image/jpeg", color.RGBA{255, 0, 0, 255}, color.RGBA{0, 0, 255, 255}},
	} {
		p, err := shrink(bytes.NewReader(c.file), c.side, free)
		if err != nil || p.Type != c.kind {
			t.Errorf("%s: %v %s", name, err, p.Type)
			continue
		}
		m, _, err := image.Decode(bytes.NewReader(p.Bytes))
		if err != nil || m.Bounds().Dx() != c.width || m.Bounds().Dy() != c.height {
			t.Errorf("%s: %v %v, want %d by %d", name, err, m.Bounds(), c.width, c.height)
			continue
		}
		for x, want := range map[int]color.RGBA{c.width / 8: c.left, c.width - 1 - c.width/8: c.right} {
			if got := m.At(x, c.height/8); !near(got, want) {
				t.Errorf("%s at %d: got %v, want %v", name, x, got, want)
			}
		}
	}
}

func near(got, want color.Color) bool {
	r, g, b, a := got.RGBA()
	wr, wg, wb, wa := want.RGBA()
	for _, pair := range [][2]uint32{{r, wr}, {g, wg}, {b, wb}, {a, wa}} {
		if max(pair[0], pair[1])-min(pair[0], pair[1]) > 0x1800 {
			return false
		}
	}
	return true
}

func TestTheEightWaysToHoldACameraAreUndone(t *testing.T) {
	// The corners of a picture that is 3 wide and 2 high, as 1 2 / 3 4, and where
	// they belong (Exif 2.3, tag 0x0112).
	for orientation, want := range map[int]string{1: "1234", 2: "2143", 3: "4321", 4: "3412", 5: "1324", 6: "3142", 7: "4231", 8: "2413"} {
		m := image.NewRGBA(image.Rect(0, 0, 3, 2))
		for n, at := range []image.Point{{}, {2, 0}, {0, 1}, {2, 1}} {
			m.SetRGBA(at.X, at.Y, color.RGBA{uint8(n + 1), 0, 0, 255})
		}
		out := turned(m, orientation)
		right, bottom := out.Rect.Dx()-1, out.Rect.Dy()-1
		got := ""
		for _, at := range []image.Point{{}, {right, 0}, {0, bottom}, {right, bottom}} {
			got += string('0' + rune(out.RGBAAt(at.X, at.Y).R))
		}
		if got != want {
			t.Errorf("orientation %d: got %s, want %s", orientation, got, want)
		}
	}
}

func TestNoSmallPictureIsMadeOfWhatIsBrokenOrTooLarge(t *testing.T) {
	// A head that tells of more pixels than are decoded; nothing else follows.
	large := pngOf(t, image.NewGray(image.Rect(0, 0, 1, 1)))[:33]
	binary.BigEndian.PutUint32(large[16:], 5000)
	binary.BigEndian.PutUint32(large[20:], 5000)
	whole := jpegOf(t, halves(400, 400))
	for name, file := range map[string][]byte{
		"too many pixels": large, "cut short": whole[:len(whole)/2], "no picture": []byte("<svg></svg>"), "empty": nil,
		"Exif that leads nowhere": held(whole, 6, binary.BigEndian)[:60],
	} {
		_, err := shrink(bytes.NewReader(file), 100, func(int64) (func(), error) {
			if name == "too many pixels" {
				t.Errorf("%s: decoding began", name)
			}
			return func() {}, nil
		})
		if ports.CodeOf(err) != ports.Unsupported {
			t.Errorf("%s: got %v", name, err)
		}
	}
	broken := errors.New("the storage went away")
	_, err := shrink(&patient{t.Context(), io.MultiReader(bytes.NewReader(whole[:900]), failing{broken})}, 100, free)
	if !errors.Is(err, broken) {
		t.Errorf("a storage that fails: got %v", err)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := shrink(&patient{gone, bytes.NewReader(whole)}, 100, free); !errors.Is(err, context.Canceled) {
		t.Errorf("nobody waits: got %v", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestPixelsBeyondTheBoundWaitForTheirTurn(t *testing.T) {
	var k pictures
	give, err := k.take(t.Context(), maxPixels)
	if err != nil {
		t.Fatal(err)
	}
	second := make(chan func())
	go func() {
		next, _ := k.take(context.WithoutCancel(t.Context()), 1)
		second <- next
	}()
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := k.take(gone, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("while another decodes: got %v", err)
	}
	give()
	(<-second)()
	if k.pixels != 0 {
		t.Errorf("%d pixels were not given back", k.pixels)
	}
}

func TestPicturesAreLetGoTheOldestFirst(t *testing.T) {
	var k pictures
	for _, tag := range []string{"a", "b", "c"} {
		k.put(tag, Picture{Bytes: make([]byte, keptPictures/2)})
	}
	_, a := k.get("a")
	_, c := k.get("c")
	if a || !c || k.bytes > keptPictures {
		t.Errorf("a is kept: %t, c is kept: %t, %d bytes", a, c, k.bytes)
	}
}

// BenchmarkShrinkPhotograph is a photograph of 12 megapixels.
func BenchmarkShrinkPhotograph(b *testing.B) {
	var out bytes.Buffer
	if err := jpeg.Encode(&out, halves(4000, 3000), nil); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := shrink(bytes.NewReader(out.Bytes()), 640, free); err != nil {
			b.Fatal(err)
		}
	}
}
