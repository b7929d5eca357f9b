package webapp

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/content"
	"pasteport/domain/settings"
)

// logoPath is where the site's logo lies.
const logoPath = "/logo"

// BrandOf is what the site's settings dress the pages in.
func BrandOf(v *settings.Values) (b Brand) {
	b.LogoType, b.Logo = v.Logo()
	if shades := v.Accent(); shades != nil {
		b.Accent = &Accent{Light: shades.Light, OnLight: shades.OnLight, Dark: shades.Dark, OnDark: shades.OnDark}
	}
	return b
}

func (web *Web) brand() Brand {
	if web.opts.Brand == nil {
		return Brand{}
	}
	return web.opts.Brand()
}

// tagOf names a content in a few letters.
func tagOf(data []byte) string {
	sum := sha256.Sum256(data)
	return base64.RawURLEncoding.EncodeToString(sum[:9])
}

// logoURL is the address of the logo below the base path, which changes with it;
// empty when there is none.
func logoURL(base string, b Brand) string {
	if len(b.Logo) == 0 {
		return ""
	}
	return base + logoPath + "?v=" + tagOf(b.Logo)
}

// serveLogo answers with the logo. Whoever opens its address on its own gets a
// picture that can do nothing, whatever it is made of.
func (web *Web) serveLogo(scope httpapi.Scope) error {
	b := web.brand()
	if len(b.Logo) == 0 {
		return httpapi.ErrNoRoute
	}
	h := scope.Header()
	h["Content-Type"] = []string{b.LogoType}
	h["Content-Security-Policy"] = logoPolicy
	h["Cache-Control"] = content.NoCache
	tag := `"` + tagOf(b.Logo) + `"`
	h["Etag"] = []string{tag}
	if scope.Request().Header.Get("If-None-Match") == tag {
		scope.Answer(http.StatusNotModified, nil)
		return nil
	}
	if scope.Request().URL.Query().Get("v") == tagOf(b.Logo) {
		h["Cache-Control"] = []string{"public, max-age=31536000, immutable"}
	}
	scope.Answer(http.StatusOK, b.Logo)
	return nil
}

var logoPolicy = []string{"default-src 'none'; style-src 'unsafe-inline'; sandbox"}

// colours is the style element that puts the site's colours in the place of the
// built-in ones, stronger than the rules of the build; on paper the light one
// holds. Empty without colours.
func colours(a *Accent, nonce string) string {
	if a == nil {
		return ""
	}
	return `<style nonce="` + nonce + `">html:root{--accent:` + a.Light + `;--on-accent:` + a.OnLight +
		`}@media not print{html:root[data-theme='dark']{--accent:` + a.Dark + `;--on-accent:` + a.OnDark + "}}</style>\n"
}
