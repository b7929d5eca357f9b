package thumbnail

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/draw"
	_ "image/gif" // first frame
	"image/jpeg"
	"image/png"
	"io"
	"runtime"

	"pasteport/ports"
	"pasteport/ports/yield"
)

// maxPixels bounds what is decoded at once, as pixels of plainDepth bytes; those
// of a picture that takes more memory count for more.
const maxPixels = 24_000_000

// plainDepth is what a pixel may take while it is decoded, in bytes: that of a
// progressive JPEG from a camera, or of a PNG of deep colours.
const plainDepth = 8

// maxScans is how often a JPEG may go over its pixels. Cameras and programs need
// about ten; each scan can cost a pass over all pixels for a few bytes.
const maxScans = 100

// sip is how many bytes the decoder gets at once: only when it reads, it looks
// whether somebody still waits, and lets others go first. A few bytes can stand for
// many pixels.
const sip = 128

// maxEdge is the longest side of what is decoded, in pixels.
const maxEdge = 1 << 16

// headBytes are looked at before anything is decoded: the size of a picture
// stands there, behind what cameras write first.
const headBytes = 256 << 10

// jpegQuality of small pictures, 1 to 100.
const jpegQuality = 80

// thumbnail makes a picture whose longer side is so many pixels at most, the way
// up that its camera was held. It ends soon after ctx. take is asked before it
// is decoded and gives leave for so many pixels.
//
// Returns ports.ErrNoThumbnail for what cannot be decoded, has too many pixels or goes
// over them too often.
func thumbnail(ctx context.Context, from io.Reader, side int, take func(pixels int64) (give func(), err error)) (ports.Picture, error) {
	in := bufio.NewReaderSize(&patient{ctx: ctx, from: from}, headBytes)
	head, err := in.Peek(headBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return ports.Picture{}, asked(err)
	}
	config, format, err := image.DecodeConfig(bytes.NewReader(head))
	if err != nil {
		return ports.Picture{}, ports.ErrNoThumbnail.With(err)
	}
	pixels := int64(config.Width) * int64(config.Height)
	if pixels <= 0 || pixels > maxPixels || max(config.Width, config.Height) > maxEdge {
		return ports.Picture{}, ports.ErrNoThumbnail
	}
	size := pixels * depth(format, head)
	if pixels = max(pixels, size/plainDepth); pixels > maxPixels {
		return ports.Picture{}, ports.ErrNoThumbnail
	}
	turn := orientation(head)
	give, err := take(pixels)
	if err != nil {
		return ports.Picture{}, err
	}
	defer give()
	sips := &sips{ctx: ctx, from: in, jpeg: format == "jpeg", turn: yield.Begin()}
	small, err := shrunk(ctx, sips, side)
	if size >= manyBytes {
		// The collector has seen the large picture alive, and would let the heap grow
		// to a multiple of it.
		runtime.GC()
	}
	if err != nil {
		return ports.Picture{}, asked(cmp.Or(sips.failed, err))
	}
	return encode(ctx, turned(small, turn))
}

// manyBytes is from how many bytes on a picture's memory is taken back at once.
// Those of cameras take less.
const manyBytes = 64 << 20

// shrunk decodes a picture and keeps no more of it than the small one.
func shrunk(ctx context.Context, from io.Reader, side int) (*image.RGBA, error) {
	large, _, err := image.Decode(from)
	if err != nil {
		return nil, err
	}
	return scaled(ctx, large, side), nil
}

// depth is how many bytes a pixel takes while it is decoded, as its head tells.
func depth(format string, head []byte) int64 {
	switch {
	case format == "jpeg":
		return jpegDepth(head)
	case format != "png" || len(head) < 29:
		return 1
	}
	bytes := int64(4)
	if head[24] == 16 { // bits of a colour
		bytes = 8
	}
	if head[28] != 0 { // interlaced: the passes are kept beside the picture
		bytes *= 2
	}
	return bytes
}

// jpegDepth is that of a JPEG: a progressive one keeps four bytes of each sample
// beside the picture, one in four colours is copied once more.
func jpegDepth(head []byte) int64 {
	marker, frame := jpegFrame(head)
	if len(frame) < 6 {
		return plainDepth
	}
	var samples, across, down int64
	colours := min(int(frame[5]), (len(frame)-6)/3)
	for i := range colours {
		h, v := int64(frame[7+3*i]>>4), int64(frame[7+3*i]&15)
		samples, across, down = samples+h*v, max(across, h), max(down, v)
	}
	if samples == 0 {
		return plainDepth
	}
	if marker == 0xc2 {
		samples *= 5
	}
	bytes := (samples + across*down - 1) / (across * down)
	if colours == 4 {
		bytes += 4
	}
	return bytes
}

// jpegFrame finds the segment that describes the picture, without its length.
func jpegFrame(head []byte) (marker byte, frame []byte) {
	for at := 2; at+4 <= len(head) && head[at] == 0xff; {
		size := int(binary.BigEndian.Uint16(head[at+2:]))
		end := at + 2 + size
		if size < 2 || end > len(head) {
			return 0, nil
		}
		if m := head[at+1]; m >= 0xc0 && m <= 0xc2 {
			return m, head[at+4 : end]
		}
		at = end
	}
	return 0, nil
}

// asked is what a failure while reading means: that of the storage or of the
// caller's patience is passed on, any other is the picture's.
func asked(err error) error {
	var from *patienceError
	if errors.As(err, &from) {
		return from.cause
	}
	return ports.ErrNoThumbnail.With(err)
}

// encode writes what is opaque as JPEG, and the rest as PNG.
func encode(ctx context.Context, m *image.RGBA) (ports.Picture, error) {
	out := written{ctx: ctx, turn: yield.Begin()}
	if m.Opaque() {
		err := jpeg.Encode(&out, m, &jpeg.Options{Quality: jpegQuality})
		return ports.Picture{Bytes: out.Bytes(), Type: "image/jpeg"}, ports.Wrap("encode a small picture", err)
	}
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	err := encoder.Encode(&out, m)
	return ports.Picture{Bytes: out.Bytes(), Type: "image/png"}, ports.Wrap("encode a small picture", err)
}

// written takes in a picture as it is encoded, and lets others go first.
type written struct {
	bytes.Buffer
	ctx  context.Context
	turn yield.Turn
}

// Write implements io.Writer.
func (w *written) Write(p []byte) (int, error) {
	w.turn.Pass(w.ctx)
	return w.Buffer.Write(p)
}

// scaled makes a picture smaller, never larger: each pixel is the mean of those
// that it stands for. It needs little memory beside the picture, since it goes
// strip by strip.
func scaled(ctx context.Context, from image.Image, side int) *image.RGBA {
	area := from.Bounds()
	w, h := area.Dx(), area.Dy()
	width, height := w, h
	if longer := max(w, h); longer > side {
		width, height = max(1, w*side/longer), max(1, h*side/longer)
	}
	to := image.NewRGBA(image.Rect(0, 0, width, height))
	if width == w && height == h {
		draw.Draw(to, to.Bounds(), from, area.Min, draw.Src)
		return to
	}
	strip := image.NewRGBA(image.Rect(0, 0, w, h/height+1))
	turn := yield.Begin()
	for y := range height {
		turn.Pass(ctx)
		top, bottom := y*h/height, (y+1)*h/height
		draw.Draw(strip, image.Rect(0, 0, w, bottom-top), from, area.Min.Add(image.Pt(0, top)), draw.Src)
		for x := range width {
			to.SetRGBA(x, y, mean(strip, x*w/width, (x+1)*w/width, bottom-top))
		}
	}
	return to
}

// mean is the mean colour of the columns from left to right, in the first rows.
func mean(strip *image.RGBA, left, right, rows int) color.RGBA {
	var sum [4]uint32
	for y := range rows {
		row := strip.Pix[y*strip.Stride+4*left : y*strip.Stride+4*right]
		for ; len(row) >= 4; row = row[4:] {
			sum[0] += uint32(row[0])
			sum[1] += uint32(row[1])
			sum[2] += uint32(row[2])
			sum[3] += uint32(row[3])
		}
	}
	n := uint32(rows * (right - left))
	part := func(s uint32) uint8 { return uint8((s + n/2) / n) }
	return color.RGBA{part(sum[0]), part(sum[1]), part(sum[2]), part(sum[3])}
}

// turned shows a picture the way up that its orientation says (Exif 2.3, tag
// 0x0112).
func turned(from *image.RGBA, orientation int) *image.RGBA {
	if orientation <= 1 || orientation > 8 {
		return from
	}
	w, h := from.Rect.Dx(), from.Rect.Dy()
	width, height := w, h
	if orientation >= 5 {
		width, height = h, w
	}
	to := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			to.SetRGBA(x, y, from.RGBAAt(source(orientation, x, y, width, height)))
		}
	}
	return to
}

// source is where a pixel of the turned picture, of the size given, comes from.
func source(orientation, x, y, width, height int) (int, int) {
	right, bottom := width-1-x, height-1-y
	switch orientation {
	case 2:
		return right, y
	case 3:
		return right, bottom
	case 4:
		return x, bottom
	case 5:
		return y, x
	case 6:
		return y, right
	case 7:
		return bottom, right
	case 8:
		return bottom, x
	}
	return x, y
}

// orientation reads how the camera was held from the front of a JPEG file; 1,
// upright, when it does not say.
func orientation(head []byte) int {
	if len(head) < 4 || head[0] != 0xff || head[1] != 0xd8 {
		return 1
	}
	for at := 2; at+4 <= len(head) && head[at] == 0xff; {
		size := int(binary.BigEndian.Uint16(head[at+2:]))
		end := min(at+2+size, len(head))
		if head[at+1] == 0xda || size < 2 { // the picture itself
			break
		}
		if exif, ok := bytes.CutPrefix(head[at+4:max(end, at+4)], []byte("Exif\x00\x00")); ok && head[at+1] == 0xe1 {
			return exifOrientation(exif)
		}
		at = end
	}
	return 1
}

// exifOrientation looks through the first directory of a TIFF structure.
func exifOrientation(tiff []byte) int {
	if len(tiff) < 8 {
		return 1
	}
	var order binary.ByteOrder = binary.BigEndian
	if tiff[0] == 'I' {
		order = binary.LittleEndian
	}
	at := int(order.Uint32(tiff[4:]))
	if at < 8 || at+2 > len(tiff) {
		return 1
	}
	for n := int(order.Uint16(tiff[at:])); n > 0; n-- {
		entry := tiff[min(at+2, len(tiff)):]
		if len(entry) < 12 {
			break
		}
		if order.Uint16(entry) == 0x0112 {
			return int(order.Uint16(entry[8:]))
		}
		at += 12
	}
	return 1
}

// patient ends reading when its context ends, so that decoding ends too.
type patient struct {
	ctx  context.Context
	from io.Reader
}

// patienceError tells an error of the storage from one of the picture.
type patienceError struct{ cause error }

func (e *patienceError) Error() string { return e.cause.Error() }
func (e *patienceError) Unwrap() error { return e.cause }

// errScans is a JPEG that goes over its pixels too often.
var errScans = errors.New("too many scans")

// sips hands a picture to its decoder little by little, so that decoding ends
// soon after ctx however much of it has been read, and counts the scans of a
// JPEG.
type sips struct {
	ctx   context.Context
	from  io.Reader
	jpeg  bool
	scans int
	last  byte
	turn  yield.Turn
	// failed is why reading ended, if not with the file: decoders may hide it.
	failed error
}

// Read implements io.Reader.
func (s *sips) Read(into []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		s.failed = &patienceError{err}
		return 0, s.failed
	}
	s.turn.Pass(s.ctx)
	n, err := s.from.Read(into[:min(len(into), sip)])
	for _, b := range into[:n] {
		if s.last == 0xff && b == 0xda {
			s.scans++
		}
		s.last = b
	}
	if s.jpeg && s.scans > maxScans {
		n, err = 0, errScans
	}
	if err != nil && !errors.Is(err, io.EOF) {
		s.failed = err
	}
	return n, err
}

// Read implements io.Reader.
func (p *patient) Read(into []byte) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, &patienceError{err}
	}
	n, err := p.from.Read(into)
	if err != nil && !errors.Is(err, io.EOF) {
		err = &patienceError{err}
	}
	return n, err
}
