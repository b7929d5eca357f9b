// Package webui holds the built files of the web UI.
//
// What the server does with them:
//
//   - dist/index.html is the shell of every route that is not an asset and not under /api or /dav. Per
//     response the server replaces each "__CSP_NONCE__" by a fresh nonce (the same one as in the
//     Content-Security-Policy header: script-src and style-src 'self' 'nonce-N'; style-src-attr
//     'unsafe-inline'); each `="./` by `="<base path>/`; the text `{}` inside
//     `<script type="application/json" id="pp-config">{}</script>` by a JSON object; and the comment
//     `<!--pp-head-->` by the description of a public share. `<link rel="modulepreload" href="<base
//     path>/assets/...">` lines come before `</head>`. `<title>Pasteport</title>` may be replaced as well.
//   - The JSON object has basePath ("" or "/pp"), apiBase ("/api" or "/pp/api"), version (string) and,
//     when the server knows them cheaply, siteTitle, faviconUrl, logoUrl and accent (the site's own),
//     sourceUrl (the header's link to the source repository, absent when empty), customCode (true when public
//     pages carry the administrator's own HTML, which the panel never does) and openShare ("paste/" and the
//     slug, when anybody may open it and it is not its last view: the page then asks for the text before its
//     scripts are there). encoding/json escapes <, > and &, which makes it safe inside the element.
//   - dist/.vite/pages.json, made by scripts/pages.mjs from src/pages.json and Vite's manifest, lists the pages
//     in the order in which an address is held against them: name, path ("/upload", "/paste/:slug",
//     "/admin/*?"), and by language (zh when Accept-Language starts with zh, else en) the files to preload;
//     "markdown" lists those of a text that is shown as Markdown. The last page, "missing", takes every other
//     address: it gets the shell too, with status 404. The list may be packed as pages.json.br; the .vite folder
//     itself is never served.
//   - dist/assets/* has hashed names: immutable for a year. Everything else in dist: no-cache with an ETag.
//     An unknown name under /assets/ is 404, never the shell.
//   - A file that packs well is in dist only as its .br, index.html excepted. Clients that take brotli get those
//     bytes, others gzip or the plain file, unpacked by the server (Vary); its address is the one without ".br".
//   - Before the web build has run, dist holds only .gitkeep and there is no index.html.
package webui

import "embed"

// Dist is the folder dist as built by "npm run build"; its root in the file system is "dist". What is built later
// than the program is not part of it.
//
//go:embed all:dist
var Dist embed.FS
