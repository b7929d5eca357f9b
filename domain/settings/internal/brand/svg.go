package brand

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
)

const svgSpace = "http://www.w3.org/2000/svg"

// maxDepth is how deep elements may lie in each other.
const maxDepth = 64

// drawn are the elements of SVG that draw, and nothing else: no scripts, styles,
// links, pictures from elsewhere, foreign content or animations.
var drawn = words(`svg g defs symbol use path rect circle ellipse line polyline polygon text tspan title desc
	linearGradient radialGradient stop clipPath mask pattern`)

// said are the attributes that say how. Of them href leads only to the drawing
// itself, and so does url() in any value.
var said = words(`id class viewBox preserveAspectRatio width height x y x1 y1 x2 y2 cx cy r rx ry fx fy dx dy d points
	transform fill fill-opacity fill-rule stroke stroke-width stroke-opacity stroke-linecap stroke-linejoin
	stroke-miterlimit stroke-dasharray stroke-dashoffset opacity color clip-path clip-rule mask display visibility
	offset stop-color stop-opacity gradientUnits gradientTransform spreadMethod clipPathUnits maskUnits
	maskContentUnits patternUnits patternContentUnits patternTransform vector-effect paint-order
	font-family font-size font-weight font-style text-anchor letter-spacing dominant-baseline href`)

func words(list string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}

// inside is a reference to another part of the same drawing.
var (
	inside    = regexp.MustCompile(`^#[\w.-]+$`)
	insideURL = regexp.MustCompile(`^url\(\s*['"]?#[\w.-]+['"]?\s*\)`)
)

// drawing writes an SVG anew with nothing in it but what draws. What else it had
// is left out with all that lay in it. Returns an error for what is no
// well-formed SVG, and for one that has nothing left.
func drawing(source []byte) ([]byte, error) {
	var out bytes.Buffer
	decoder := xml.NewDecoder(bytes.NewReader(source))
	// Entities of a document type stay unknown, and with them all that they could be made of.
	decoder.Strict = true
	depth, roots := 0, 0
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%w: no well-formed SVG", errLogo)
		}
		switch t := token.(type) {
		case xml.StartElement:
			isRoot := depth == 0
			if isRoot && (t.Name.Local != "svg" || t.Name.Space != svgSpace) || depth == maxDepth {
				return nil, fmt.Errorf("%w: no SVG, or a deep one", errLogo)
			}
			if t.Name.Space != svgSpace || !drawn[t.Name.Local] {
				if err := decoder.Skip(); err != nil {
					return nil, fmt.Errorf("%w: no well-formed SVG", errLogo)
				}
				continue
			}
			if isRoot {
				roots++
			}
			depth++
			begin(&out, t, isRoot)
		case xml.EndElement:
			depth--
			out.WriteString("</" + t.Name.Local + ">")
		case xml.CharData:
			if depth > 0 {
				_ = xml.EscapeText(&out, t) // a buffer takes everything
			}
		}
	}
	if roots != 1 {
		return nil, fmt.Errorf("%w: no SVG", errLogo)
	}
	return out.Bytes(), nil
}

// begin writes the start of an element with the attributes that draw.
func begin(out *bytes.Buffer, t xml.StartElement, root bool) {
	out.WriteString("<" + t.Name.Local)
	if root {
		out.WriteString(` xmlns="` + svgSpace + `"`)
	}
	wrote := map[string]bool{}
	for _, a := range t.Attr {
		if !said[a.Name.Local] || wrote[a.Name.Local] || !stays(a) {
			continue
		}
		wrote[a.Name.Local] = true
		out.WriteString(" " + a.Name.Local + `="`)
		_ = xml.EscapeText(out, []byte(a.Value))
		out.WriteByte('"')
	}
	out.WriteByte('>')
}

// stays reports whether an attribute leads nowhere but into its own drawing.
func stays(a xml.Attr) bool {
	if a.Name.Local == "href" {
		return inside.MatchString(a.Value)
	}
	if a.Name.Space != "" {
		return false
	}
	value := strings.ToLower(a.Value)
	// A backslash could write the word in another way.
	if strings.Contains(value, `\`) {
		return false
	}
	return !strings.Contains(value, "url") || insideURL.MatchString(strings.TrimSpace(a.Value)) && strings.Count(value, "url") == 1
}
