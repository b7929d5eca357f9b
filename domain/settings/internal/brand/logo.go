package brand

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"image/png"
	"strings"
)

// MaxLogo is the largest logo, in bytes.
const MaxLogo = 64 << 10

// maxSide is the longest side of a PNG, in pixels.
const maxSide = 4096

// Logo is a picture that may be sent to strangers: of a type that browsers show
// without running anything.
type Logo struct {
	Type string // its media type
	Data []byte
}

// errLogo is why a text is no logo; the reasons in detail are for the log only.
var errLogo = errors.New("not a logo")

// ReadLogo reads a logo from a data URL in base64: a PNG, a WebP, or an SVG, of
// which only the drawing is kept. The empty text is no logo and no error.
func ReadLogo(dataURL string) (Logo, error) {
	if dataURL == "" {
		return Logo{}, nil
	}
	head, encoded, ok := strings.Cut(dataURL, ";base64,")
	kind, isData := strings.CutPrefix(head, "data:")
	if !ok || !isData || len(encoded) > base64.StdEncoding.EncodedLen(MaxLogo) {
		return Logo{}, fmt.Errorf("%w: no data URL, or a large one", errLogo)
	}
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(data) > MaxLogo {
		return Logo{}, fmt.Errorf("%w: no base64, or too much of it", errLogo)
	}
	switch kind {
	case "image/png":
		config, err := png.DecodeConfig(bytes.NewReader(data))
		if err != nil || config.Width > maxSide || config.Height > maxSide {
			return Logo{}, fmt.Errorf("%w: no PNG, or a large one", errLogo)
		}
	case "image/webp":
		if len(data) < 16 || string(data[:4]) != "RIFF" || string(data[8:15]) != "WEBPVP8" {
			return Logo{}, fmt.Errorf("%w: no WebP", errLogo)
		}
	case "image/svg+xml":
		if data, err = drawing(data); err != nil {
			return Logo{}, err
		}
	default:
		return Logo{}, fmt.Errorf("%w: of type %q", errLogo, kind)
	}
	return Logo{Type: kind, Data: data}, nil
}
