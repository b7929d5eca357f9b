package thumbnail

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
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
		p, err := thumbnail(t.Context(), bytes.NewReader(c.file), c.side, free)
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
		_, err := thumbnail(t.Context(), bytes.NewReader(file), 100, func(int64) (func(), error) {
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
	_, err := thumbnail(t.Context(), io.MultiReader(bytes.NewReader(whole[:900]), failing{broken}), 100, free)
	if !errors.Is(err, broken) {
		t.Errorf("a storage that fails: got %v", err)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := thumbnail(gone, bytes.NewReader(whole), 100, free); !errors.Is(err, context.Canceled) {
		t.Errorf("nobody waits: got %v", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// scans is the head of a JPEG of the size given, and one of the scans that may
// follow: it costs a pass over all blocks and takes few bytes.
func scans(width, height uint16, marker byte, sampling ...byte) (head, scan []byte) {
	var b bytes.Buffer
	segment := func(marker byte, data ...byte) {
		b.Write([]byte{0xff, marker})
		_ = binary.Write(&b, binary.BigEndian, uint16(len(data)+2))
		b.Write(data)
	}
	b.Write([]byte{0xff, 0xd8})
	segment(0xdb, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)...)
	frame := []byte{8, byte(height >> 8), byte(height), byte(width >> 8), byte(width), byte(len(sampling))}
	for i, s := range sampling {
		frame = append(frame, byte(i+1), s, 0)
	}
	segment(marker, frame...)
	// The one code "0" says: this block and the next 2^14 + n have no more.
	segment(0xc4, 0x10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xe0)
	head = bytes.Clone(b.Bytes())
	b.Reset()
	segment(0xda, 1, 1, 0x00, 1, 63, 0x10)
	blocks := (int(width) + 7) / 8 * ((int(height) + 7) / 8)
	bits := ""
	for range (blocks + 1<<15 - 2) / (1<<15 - 1) {
		bits += "011111111111111"
	}
	for bits += "1111111"; len(bits) >= 8; bits = bits[8:] {
		n, _ := strconv.ParseUint(bits[:8], 2, 8)
		if b.WriteByte(byte(n)); n == 0xff {
			b.WriteByte(0)
		}
	}
	return head, b.Bytes()
}

func TestAPictureThatGoesOverItsPixelsAgainAndAgainIsGivenUp(t *testing.T) {
	head, scan := scans(64, 64, 0xc2, 0x11, 0x11, 0x11)
	file := func(n int) []byte { return slices.Concat(head, bytes.Repeat(scan, n), []byte{0xff, 0xd9}) }
	if _, err := thumbnail(t.Context(), bytes.NewReader(file(maxScans)), 100, free); err != nil {
		t.Errorf("%d scans: %v", maxScans, err)
	}
	read := bytes.NewReader(file(100 * maxScans))
	if _, err := thumbnail(t.Context(), read, 100, free); ports.CodeOf(err) != ports.Unsupported {
		t.Errorf("%d scans: %v", 100*maxScans, err)
	}
	large, scan := scans(4800, 4800, 0xc2, 0x11)
	gone, leave := context.WithCancel(t.Context())
	_, err := thumbnail(gone, bytes.NewReader(slices.Concat(large, bytes.Repeat(scan, maxScans), []byte{0xff, 0xd9})), 100, func(int64) (func(), error) {
		leave() // when all of the file is in memory
		return func() {}, nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("nobody waits for what is decoded: %v", err)
	}
}

func TestPicturesThatTakeMoreMemoryCountForMore(t *testing.T) {
	deep := pngOf(t, image.NewNRGBA64(image.Rect(0, 0, 30, 20)))
	interlaced := bytes.Clone(deep)
	interlaced[28] = 1
	binary.BigEndian.PutUint32(interlaced[29:], crc32.ChecksumIEEE(interlaced[12:29]))
	const pixels = 30 * 20
	head := func(marker byte, sampling ...byte) []byte {
		head, scan := scans(30, 20, marker, sampling...)
		return append(head, scan...)
	}
	for name, c := range map[string]struct {
		file []byte
		want int64 // bytes of a pixel
	}{
		"a camera's":               {head(0xc0, 0x22, 0x11, 0x11), 2},
		"a camera's, progressive":  {head(0xc2, 0x22, 0x11, 0x11), 8},
		"of whole colours":         {head(0xc2, 0x11, 0x11, 0x11), 15},
		"for a printer":            {head(0xc2, 0x11, 0x11, 0x11, 0x11), 24},
		"a PNG":                    {pngOf(t, halves(30, 20)), 4},
		"a PNG of deep colours":    {deep, 8},
		"one that comes in passes": {interlaced, 16},
	} {
		config, format, err := image.DecodeConfig(bytes.NewReader(c.file))
		if got := depth(format, c.file); err != nil || got != c.want || config.Width != 30 {
			t.Errorf("%s: %d bytes, want %d (%v)", name, got, c.want, err)
		}
		_, _ = thumbnail(t.Context(), bytes.NewReader(c.file), 100, func(asked int64) (func(), error) {
			if want := pixels * max(c.want, 8) / 8; asked != want {
				t.Errorf("%s: leave for %d pixels was asked, want %d", name, asked, want)
			}
			return func() {}, nil
		})
	}
	tooMuch, scan := scans(4800, 4800, 0xc2, 0x11, 0x11, 0x11, 0x11)
	_, err := thumbnail(t.Context(), bytes.NewReader(append(tooMuch, scan...)), 100, func(int64) (func(), error) {
		t.Error("decoding began")
		return func() {}, nil
	})
	if ports.CodeOf(err) != ports.Unsupported {
		t.Errorf("half a gigabyte of memory: %v", err)
	}
}

func TestPixelsBeyondTheBoundWaitForTheirTurn(t *testing.T) {
	k := New()
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
	if !k.pixels.TryAcquire(maxPixels) {
		t.Error("pixels were not given back")
	}
}

// BenchmarkShrinkPhotograph is a photograph of 12 megapixels.
// The program lets its heap grow to four times what lives; what a picture of deep
// colours leaves behind must not count as living.
func TestDecision73_LargePicturesLeaveNoMemoryBehind(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(300))
	file := pngOf(t, image.NewNRGBA64(image.Rect(0, 0, 3000, 3000))) // 72 MB
	if _, err := thumbnail(t.Context(), bytes.NewReader(file), 160, free); err != nil {
		t.Fatal(err)
	}
	var m runtime.MemStats
	if runtime.ReadMemStats(&m); m.NextGC > manyBytes {
		t.Errorf("the heap may grow to %d MiB before anything is collected", m.NextGC>>20)
	}
}

func BenchmarkShrinkPhotograph(b *testing.B) {
	var out bytes.Buffer
	if err := jpeg.Encode(&out, halves(4000, 3000), nil); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := thumbnail(b.Context(), bytes.NewReader(out.Bytes()), 640, free); err != nil {
			b.Fatal(err)
		}
	}
}
