package webapp

import (
	"encoding/json"
	"net/http"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/content"
)

// appManifest is the W3C application manifest: what browsers need to install
// the app. Its paths hold the base path and its name is the site's.
type appManifest struct {
	ID         string         `json:"id"`
	Name       string         `json:"name"`
	ShortName  string         `json:"short_name"`
	StartURL   string         `json:"start_url"`
	Scope      string         `json:"scope"`
	Display    string         `json:"display"`
	Theme      string         `json:"theme_color"`
	Background string         `json:"background_color"`
	Categories []string       `json:"categories"`
	Icons      []manifestIcon `json:"icons"`
	Shortcuts  []shortcut     `json:"shortcuts"`
	Launch     any            `json:"launch_handler"`
	Share      shareTarget    `json:"share_target"`
	Files      []fileHandler  `json:"file_handlers"`
}

type manifestIcon struct {
	Src     string `json:"src"`
	Sizes   string `json:"sizes"`
	Type    string `json:"type"`
	Purpose string `json:"purpose,omitempty"`
}

type shortcut struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

// shareTarget says how a phone's share sheet hands texts and files over: to
// the service worker, see webui/src/pwa/sw.ts.
type shareTarget struct {
	Action  string      `json:"action"`
	Method  string      `json:"method"`
	Enctype string      `json:"enctype"`
	Params  shareParams `json:"params"`
}

type shareParams struct {
	Title string       `json:"title"`
	Text  string       `json:"text"`
	URL   string       `json:"url"`
	Files []shareFiles `json:"files"`
}

type shareFiles struct {
	Name   string   `json:"name"`
	Accept []string `json:"accept"`
}

// fileHandler names the files that the system may open with the app.
type fileHandler struct {
	Action string              `json:"action"`
	Accept map[string][]string `json:"accept"`
}

// shareTargetPath takes what another app shares. The service worker answers
// it; without one the caller is led to the first page.
const shareTargetPath = "/share-target"

// serveManifest answers with the manifest, in the caller's language.
func (web *Web) serveManifest(scope httpapi.Scope) error {
	names := []string{"Upload", "Files", "Admin"}
	if scope.Language() == "zh" {
		names = []string{"上传", "文件", "管理"}
	}
	at := func(p string) string { return scope.Base() + p }
	png := func(name, sizes, purpose string) manifestIcon {
		return manifestIcon{at("/icons/" + name + ".png"), sizes, "image/png", purpose}
	}
	title, _ := web.site()
	m := appManifest{
		ID: at("/"), Name: title, ShortName: title, StartURL: at("/"), Scope: at("/"), Display: "standalone",
		// The light ground of webui/src/theme/tokens.ts.
		Theme: "#F6F6F2", Background: "#F6F6F2",
		Categories: []string{"productivity", "utilities"},
		Icons: []manifestIcon{
			png("32", "32x32", ""), png("96", "96x96", ""), png("192", "192x192", ""), png("512", "512x512", ""),
			png("maskable-512", "512x512", "maskable"),
		},
		Shortcuts: []shortcut{{names[0], at("/upload")}, {names[1], at("/mount-explorer")}, {names[2], at("/admin")}},
		Launch:    map[string]string{"client_mode": "navigate-existing"},
		Share: shareTarget{at(shareTargetPath), http.MethodPost, "multipart/form-data",
			shareParams{"title", "text", "url", []shareFiles{{"files", []string{"*/*"}}}}},
		Files: []fileHandler{{at("/?open"), map[string][]string{
			"text/markdown": {".md", ".markdown", ".mdown", ".mkd"},
			"text/plain":    {".txt", ".text", ".log"},
		}}},
	}
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	scope.Header()["Content-Type"] = []string{"application/manifest+json"}
	scope.Header()["Cache-Control"] = content.NoCache
	scope.Header()["Vary"] = []string{"Accept-Language"}
	scope.Answer(http.StatusOK, data)
	return nil
}
