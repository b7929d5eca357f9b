package brand

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/png"
	"os"
	"regexp"
	"strings"
	"testing"
)

// The panel makes the same shades while a colour is chosen; it reads the same
// cases (webui/src/admin/settings/shades.test.ts).
func TestShadesAreTheColourItselfOrTheNearestThatCanBeRead(t *testing.T) {
	data, err := os.ReadFile("testdata/shades.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct{ Colour, Light, Dark string }
	if err := json.Unmarshal(data, &cases); err != nil || len(cases) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, c := range cases {
		got, ok := ShadesOf(c.Colour)
		if !ok || got.Light != c.Light || got.Dark != c.Dark {
			t.Errorf("ShadesOf(%s) = %+v, %t, want %s and %s", c.Colour, got, ok, c.Light, c.Dark)
		}
		light, _ := parse(got.Light)
		dark, _ := parse(got.Dark)
		for _, shade := range []struct {
			of      rgb
			grounds []rgb
			on      string
		}{{light, lightGrounds, got.OnLight}, {dark, darkGrounds, got.OnDark}} {
			on, _ := parse(shade.on)
			if shade.of.worst(shade.grounds) < least || on.worst([]rgb{shade.of}) < least {
				t.Errorf("%s: the shade %s has too little contrast", c.Colour, shade.of)
			}
		}
	}
}

func TestOnlySixDigitsAreAColour(t *testing.T) {
	for _, text := range []string{"", "red", "#fff", "0A6A6A", "#0A6A6", "#0A6A6A0", "#0A6A6G", "#+A6A6A", "#0A6A6A;}"} {
		if _, ok := ShadesOf(text); ok {
			t.Errorf("%q is taken as a colour", text)
		}
	}
}

func TestGroundsAreThoseOfThePages(t *testing.T) {
	read := func(name string) string {
		data, err := os.ReadFile("../../../../webui/src/theme/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	tokens := strings.Split(read("tokens.ts"), "export const ")
	colour := regexp.MustCompile(`(surface|wash|onAccent): '(#[0-9A-F]{6})'`)
	found := 0
	for _, theme := range []struct {
		name    string
		grounds []rgb
		on      string
	}{{"light", lightGrounds, onLight}, {"dark", darkGrounds, onDark}} {
		for _, part := range tokens {
			if !strings.HasPrefix(part, theme.name+":") {
				continue
			}
			for _, match := range colour.FindAllStringSubmatch(part, -1) {
				want := map[string]string{"surface": theme.grounds[1].String(), "wash": theme.grounds[2].String(), "onAccent": theme.on}[match[1]]
				if match[2] != want {
					t.Errorf("%s of the %s theme is %s, want %s as here", match[1], theme.name, match[2], want)
				}
				found++
			}
		}
		if ground := theme.name + ": '" + theme.grounds[0].String() + "'"; !strings.Contains(read("grounds.ts"), ground) {
			t.Errorf("no %s in grounds.ts", ground)
		}
	}
	if found != 6 {
		t.Errorf("%d colours found, want 6", found)
	}
}

func dataURL(kind string, data []byte) string {
	return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(data)
}

func picture(t *testing.T, width int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, 1))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestALogoIsOfATypeThatRunsNothing(t *testing.T) {
	webp := []byte("RIFF\x10\x00\x00\x00WEBPVP8 \x00\x00\x00\x00")
	for name, c := range map[string]struct {
		url  string
		good bool
	}{
		"none":                   {"", true},
		"PNG":                    {dataURL("image/png", picture(t, 8)), true},
		"WebP":                   {dataURL("image/webp", webp), true},
		"SVG":                    {dataURL("image/svg+xml", []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`)), true},
		"wide PNG":               {dataURL("image/png", picture(t, maxSide+1)), false},
		"HTML called PNG":        {dataURL("image/png", []byte("<html>")), false},
		"HTML called SVG":        {dataURL("image/svg+xml", []byte("<html/>")), false},
		"HTML":                   {dataURL("text/html", []byte("<html>")), false},
		"SVG with a parameter":   {"data:image/svg+xml;charset=utf-8," + "<svg/>", false},
		"SVG that is cut":        {dataURL("image/svg+xml", []byte(`<svg xmlns="http://www.w3.org/2000/svg"><g>`)), false},
		"SVG with an entity":     {dataURL("image/svg+xml", []byte(`<!DOCTYPE svg [<!ENTITY a "b">]><svg xmlns="http://www.w3.org/2000/svg"><text>&a;</text></svg>`)), false},
		"two SVGs":               {dataURL("image/svg+xml", []byte(strings.Repeat(`<svg xmlns="http://www.w3.org/2000/svg"/>`, 2))), false},
		"SVG of another country": {dataURL("image/svg+xml", []byte(`<svg xmlns="http://example.org"/>`)), false},
		"deep SVG":               {dataURL("image/svg+xml", []byte(`<svg xmlns="http://www.w3.org/2000/svg">`+strings.Repeat("<g>", maxDepth)+strings.Repeat("</g>", maxDepth)+`</svg>`)), false},
		"large PNG":              {dataURL("image/png", append(picture(t, 8), make([]byte, MaxLogo)...)), false},
		"address":                {"https://example.org/logo.png", false},
		"no base64":              {"data:image/png;base64,%%%", false},
	} {
		logo, err := ReadLogo(c.url)
		if (err == nil) != c.good {
			t.Errorf("%s: %+v, %v", name, logo.Type, err)
		}
	}
}

func TestOfAnSVGOnlyTheDrawingIsKept(t *testing.T) {
	const source = `<?xml version="1.0"?><!DOCTYPE svg><!-- made by hand -->
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:x="http://example.org" viewBox="0 0 8 8" onload="run()" style="background:url(http://a)">
<script>run()</script><style>@import "http://a"</style><metadata><x:y/></metadata><x:script>run()</x:script>
<foreignObject><body xmlns="http://www.w3.org/1999/xhtml"><script>run()</script></body></foreignObject>
<a href="javascript:run()"><path d="M0 0"/></a><image href="http://a/b.png"/><animate attributeName="href" to="javascript:run()"/>
<defs><linearGradient id="g"><stop offset="0" stop-color="#fff"/></linearGradient></defs>
<use xlink:href="#g"/><use href="http://a#b"/><use href="data:image/svg+xml,x"/>
<rect width="8" fill="url(#g)" stroke="url(http://a)" mask="u\72l(http://a)" onclick="run()" x:href="#g"/>
<text>a &lt; b &amp; "c"</text></svg>`
	logo, err := ReadLogo(dataURL("image/svg+xml", []byte(source)))
	if err != nil {
		t.Fatal(err)
	}
	got := string(logo.Data)
	for _, bad := range []string{"run(", "script", "style", "http://a", "javascript", "foreign", "<a", "image", "animate", "data:", "metadata", "<!", "<?", `\72`} {
		if strings.Contains(got, bad) {
			t.Errorf("%q is left in %s", bad, got)
		}
	}
	for _, good := range []string{`viewBox="0 0 8 8"`, `fill="url(#g)"`, `<use href="#g">`, `a &lt; b &amp; &#34;c&#34;`, `stop-color="#fff"`} {
		if !strings.Contains(got, good) {
			t.Errorf("%q is missing in %s", good, got)
		}
	}
	again, err := ReadLogo(dataURL("image/svg+xml", logo.Data))
	if err != nil || string(again.Data) != got {
		t.Errorf("read once more it is %s, %v", again.Data, err)
	}
}
