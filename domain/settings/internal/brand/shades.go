package brand

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Shades are a colour as the two themes show it, each "#RRGGBB" with the colour
// of text on it. Text in a shade has at least 4.5:1 on every ground of its theme
// (WCAG 2.2, 1.4.3), and so has the text on it.
type Shades struct{ Light, OnLight, Dark, OnDark string }

// What webui/src/theme/tokens.ts says: the grounds of the themes that text in
// the accent stands on, and the colours of text on a filled control.
var (
	lightGrounds = []rgb{{0xF6, 0xF6, 0xF2}, {0xFF, 0xFF, 0xFF}, {0xED, 0xF2, 0xF0}}
	darkGrounds  = []rgb{{0x11, 0x16, 0x1A}, {0x1A, 0x21, 0x27}, {0x1F, 0x2C, 0x31}}
)

// Text on the accent of either theme.
const (
	onLight = "#FFFFFF"
	onDark  = "#0C1214"
)

// least is the contrast of text and ground that WCAG AA asks for.
const least = 4.5

// steps are the parts by which a colour is moved towards black or white.
const steps = 50

// ShadesOf returns the shades of a colour, "#RRGGBB": itself where it can be
// read, else the nearest darker or lighter one. ok is false for any other text.
func ShadesOf(colour string) (s Shades, ok bool) {
	c, ok := parse(colour)
	if !ok {
		return Shades{}, false
	}
	return Shades{
		Light: c.readable(rgb{}, lightGrounds).String(), OnLight: onLight,
		Dark: c.readable(rgb{0xFF, 0xFF, 0xFF}, darkGrounds).String(), OnDark: onDark,
	}, true
}

type rgb [3]float64

// parse reads "#RRGGBB".
func parse(colour string) (rgb, bool) {
	digits, hash := strings.CutPrefix(colour, "#")
	n, err := strconv.ParseUint(digits, 16, 24)
	if !hash || len(digits) != 6 || err != nil {
		return rgb{}, false
	}
	return rgb{float64(n >> 16), float64(n >> 8 & 0xFF), float64(n & 0xFF)}, true
}

func (c rgb) String() string { return fmt.Sprintf("#%02X%02X%02X", int(c[0]), int(c[1]), int(c[2])) }

// readable moves c towards an end, black or white, until it can be read on all
// grounds.
func (c rgb) readable(end rgb, grounds []rgb) rgb {
	for step := range steps {
		shade := c.towards(end, float64(step)/steps)
		if shade.worst(grounds) >= least {
			return shade
		}
	}
	return end
}

func (c rgb) towards(end rgb, part float64) rgb {
	var mixed rgb
	for i := range c {
		mixed[i] = math.Floor(c[i] + (end[i]-c[i])*part + 0.5)
	}
	return mixed
}

// worst is the least contrast of c on any of the grounds.
func (c rgb) worst(grounds []rgb) float64 {
	worst := math.Inf(1)
	for _, ground := range grounds {
		high, low := c.luminance(), ground.luminance()
		if high < low {
			high, low = low, high
		}
		worst = min(worst, (high+0.05)/(low+0.05))
	}
	return worst
}

// luminance is the relative luminance of WCAG 2.2.
func (c rgb) luminance() float64 {
	var parts rgb
	for i, channel := range c {
		part := channel / 255
		if part <= 0.04045 {
			parts[i] = part / 12.92
		} else {
			parts[i] = math.Pow((part+0.055)/1.055, 2.4)
		}
	}
	return 0.2126*parts[0] + 0.7152*parts[1] + 0.0722*parts[2]
}
