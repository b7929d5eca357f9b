// Package filetype tells what a file is by its name: one table for shares,
// mounts and WebDAV.
package filetype

import (
	"hash/fnv"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"pasteport/ports"
)

// OctetStream is the type of files we know nothing about.
const OctetStream = "application/octet-stream"

// mimeTypes is fixed in the binary, so that an answer does not depend on the
// machine (contract §1.3).
var mimeTypes = extensionTable(`
application/epub+zip epub
application/gzip gz tgz
application/java-archive jar
application/json json map
application/manifest+json webmanifest
application/msword doc dot
application/pdf pdf
application/postscript ps eps ai
application/rtf rtf
application/sql sql
application/vnd.android.package-archive apk
application/vnd.apple.mpegurl m3u8
application/vnd.microsoft.portable-executable exe dll
application/vnd.ms-excel xls xlt
application/vnd.ms-powerpoint ppt pps
application/vnd.oasis.opendocument.presentation odp
application/vnd.oasis.opendocument.spreadsheet ods
application/vnd.oasis.opendocument.text odt
application/vnd.openxmlformats-officedocument.presentationml.presentation pptx
application/vnd.openxmlformats-officedocument.spreadsheetml.sheet xlsx
application/vnd.openxmlformats-officedocument.wordprocessingml.document docx
application/vnd.rar rar
application/wasm wasm
application/x-7z-compressed 7z
application/x-bzip2 bz2
application/x-iso9660-image iso
application/x-msi msi
application/x-shockwave-flash swf
application/x-sh sh
application/x-tar tar
application/x-xz xz
application/xhtml+xml xhtml xht
application/xml xml xsl xsd
application/yaml yml yaml
application/zip zip
application/zstd zst
audio/aac aac
audio/flac flac
audio/midi mid midi
audio/mp4 m4a
audio/mpeg mp3
audio/ogg ogg oga opus
audio/wav wav
audio/webm weba
audio/x-ms-wma wma
font/otf otf
font/ttf ttf
font/woff woff
font/woff2 woff2
image/apng apng
image/avif avif
image/bmp bmp
image/gif gif
image/heic heic
image/heif heif
image/jpeg jpg jpeg jpe jfif
image/png png
image/svg+xml svg svgz
image/tiff tif tiff
image/vnd.microsoft.icon ico
image/webp webp
text/calendar ics
text/css css
text/csv csv
text/html html htm
text/javascript js mjs cjs
text/markdown md markdown mdown mkd mdwn mdtxt mdtext rmd
text/plain txt text log conf ini cfg properties env srt ass lrc java go rs c cc cpp h hpp py php rb pl bat cmd ps1 tsx jsx vue toml dockerfile makefile gitignore license readme
text/tab-separated-values tsv
text/vcard vcf
text/vtt vtt
video/mp2t ts m2ts
video/mp4 mp4 m4v
video/mpeg mpeg mpg
video/ogg ogv
video/quicktime mov
video/webm webm
video/x-flv flv
video/x-matroska mkv
video/x-ms-wmv wmv
video/x-msvideo avi
application/vnd.rn-realmedia-vbr rmvb
`)

// ContentType returns the media type of a file name by its extension.
func ContentType(name string) string {
	if t, ok := mimeTypes[Extension(name)]; ok {
		return t
	}
	return OctetStream
}

// Extension returns the part after the last dot, in lower case; empty without
// a dot.
func Extension(name string) string {
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return ""
	}
	return strings.ToLower(name[dot+1:])
}

// kinds are the file types with their codes (contract §1.3), in the order in
// which the lists are searched, and the extensions of each that hold when the
// settings name none.
var kinds = []struct {
	name  string
	code  int
	files map[string]bool
}{
	{"video", 2, wordSet("mp4 mkv avi mov rmvb webm flv m3u8")},
	{"audio", 3, wordSet("mp3 flac ogg m4a wav opus wma")},
	{"text", 4, wordSet("txt htm html xml java properties sql js md json conf ini vue php py bat yml go sh c cpp h hpp tsx vtt srt ass rs lrc dockerfile makefile gitignore license readme")},
	{"image", 5, wordSet("jpg tiff jpeg png gif bmp svg ico swf webp avif")},
	{"office", 6, wordSet("doc docx xls xlsx ppt pptx rtf")},
	{"document", 7, wordSet("pdf")},
}

// Folder is the code and the name of folders.
const (
	FolderCode = 1
	FolderName = "folder"
)

// Kind is the type of a file as clients know it (contract §1.3).
type Kind struct {
	Code int
	Name string
}

// Kinds are the lists of the settings, read once for many files.
type Kinds map[string]Kind

// Kept are the kinds of settings, made anew when their lists change. The zero
// value is ready, and is safe for concurrent use.
type Kept struct{ last atomic.Pointer[kindsMade] }

// kindsMade is what some lists made.
type kindsMade struct {
	lists [][]string // of kinds
	kinds Kinds
	mark  string
}

// Of returns what KindsOf does, and a short text that changes with it. Nobody
// changes the kinds.
func (k *Kept) Of(settings ports.Settings) (Kinds, string) {
	lists := make([][]string, len(kinds))
	for i, kind := range kinds {
		lists[i] = settings.PreviewTypes(kind.name)
	}
	last := k.last.Load()
	if last == nil || !slices.EqualFunc(last.lists, lists, slices.Equal) {
		made := KindsOf(settings)
		last = &kindsMade{lists, made, made.mark()}
		k.last.Store(last)
	}
	return last.kinds, last.mark
}

// mark is a short text that changes with the lists of extensions.
func (k Kinds) mark() string {
	var sum uint64
	for ext, kind := range k { // in no order, so their sums are added
		h := fnv.New64a()
		_, _ = h.Write([]byte(ext + "\x00" + strconv.Itoa(kind.Code)))
		sum += h.Sum64()
	}
	return strconv.FormatUint(sum, 36)
}

// KindsOf reads the lists of the settings; they come before the built-in ones.
func KindsOf(settings ports.Settings) Kinds {
	found := Kinds{}
	for _, k := range kinds {
		for _, ext := range settings.PreviewTypes(k.name) {
			if _, taken := found[ext]; !taken {
				found[ext] = Kind{k.code, k.name}
			}
		}
	}
	for _, k := range kinds {
		for ext := range k.files {
			if _, taken := found[ext]; !taken {
				found[ext] = Kind{k.code, k.name}
			}
		}
	}
	return found
}

// Of returns the kind of a file.
func (k Kinds) Of(name string) Kind {
	if ext := Extension(name); ext != "" {
		if kind, ok := k[ext]; ok {
			return kind
		}
	}
	return Kind{0, "unknown"}
}

// Groups are what searches tell apart, besides OtherGroup: wider than kinds,
// since a name that no list holds has a content type still.
var Groups = []string{"image", "video", "audio", "text", "document"}

// OtherGroup is the group of what belongs to none of Groups.
const OtherGroup = "other"

// Extensions lists the extensions of a group, in alphabetical order.
func (k Kinds) Extensions(group string) (found []string) {
	for ext, kind := range k {
		if kind.Name == group || kind.Name == "office" && group == "document" {
			found = append(found, ext)
		}
	}
	for ext, media := range mimeTypes {
		if _, listed := k[ext]; !listed && groupOf(ext, media) == group {
			found = append(found, ext)
		}
	}
	slices.Sort(found)
	return found
}

// groupOf puts an extension that no list holds into a group.
func groupOf(ext, media string) string {
	major, minor, _ := strings.Cut(media, "/")
	switch {
	case ext == "ts": // TypeScript far more often than a stream of video
		return "text"
	case slices.Contains(Groups, major):
		return major
	case readable[minor]:
		return "text"
	case written.MatchString(minor):
		return "document"
	}
	return OtherGroup
}

// readable are types below application/ that people read as text.
var readable = wordSet("json manifest+json sql x-sh xhtml+xml xml yaml")

// written are types below application/ of what office programs and readers of
// books show.
var written = regexp.MustCompile(`^(epub\+zip|msword|pdf|rtf|vnd\.(ms-(excel|powerpoint)|oasis\.|openxmlformats-).*)$`)

// Of returns code and name of a file's kind by its extension: the lists of the
// settings come first, then the built-in ones.
func Of(settings ports.Settings, name string) (code int, kind string) {
	ext := Extension(name)
	if ext == "" {
		return 0, "unknown"
	}
	for _, k := range kinds {
		for _, e := range settings.PreviewTypes(k.name) {
			if e == ext {
				return k.code, k.name
			}
		}
	}
	for _, k := range kinds {
		if k.files[ext] {
			return k.code, k.name
		}
	}
	return 0, "unknown"
}

func extensionTable(lines string) map[string]string {
	table := map[string]string{}
	for line := range strings.Lines(lines) {
		words := strings.Fields(line)
		for i := 1; i < len(words); i++ {
			table[words[i]] = words[0]
		}
	}
	return table
}

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}
