package words

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// UnknownText is the message for a text that the catalogue does not have: one
// of a driver of others.
func UnknownText(key string, params map[string]any) string {
	if _, named := params["field"]; named && key == "invalid_argument" {
		return "field_invalid"
	}
	if _, known := Catalogue[key]; known {
		return key
	}
	return "doctor.unexpected"
}

var marked = regexp.MustCompile(`^\p{Han}[\p{Han}，]* \((.*?)\)(:|$)`)

// ForTerminal is a message without the Chinese words that programs of the predecessor
// look for in the English ones (contract §1.4).
func ForTerminal(message string) string { return marked.ReplaceAllString(message, "$1$2") }

// OwnWords is what a driver itself says, in the language or else in English.
func OwnWords(own map[string]string, lang string) string { return cmp.Or(Pick(own, lang), own["en"]) }

// Pick chooses from texts by language tag: the language, then the untagged one.
func Pick(texts map[string]string, lang string) string {
	for _, tag := range []string{lang, lang + "-CN", lang + "-US", ""} {
		if t := texts[tag]; t != "" {
			return t
		}
	}
	return ""
}

// Render fills the placeholders of a message.
func Render(t Text, lang string, params map[string]any) string {
	s := t.ZH
	if lang == "en" {
		s = t.EN
	}
	if !strings.Contains(s, "{") {
		return s
	}
	var b strings.Builder
	for {
		open := strings.IndexByte(s, '{')
		end := strings.IndexByte(s, '}')
		if open < 0 || end < open {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:open])
		name, form, _ := strings.Cut(s[open+1:end], "|")
		b.WriteString(param(params, name, form))
		s = s[end+1:]
	}
}

func param(params map[string]any, name, form string) string {
	v, ok := params[name]
	if !ok && name == "rest" {
		v, ok = max(number(params["total"])-number(params["used"]), 0), true
	}
	if !ok {
		v = ""
	}
	switch form {
	case "bytes":
		return SizeText(number(v))
	case "size":
		return Size(number(v))
	case "over":
		return sizeOver(number(v), number(params["limit"]))
	}
	return fmt.Sprint(v)
}

// sizeOver writes a size that is over a limit, to the byte where both would read alike.
func sizeOver(n, limit int64) string {
	if Size(n) == Size(limit) {
		return strconv.FormatInt(n, 10) + " B"
	}
	return Size(n)
}

func number(v any) int64 {
	switch n := v.(type) {
	case int64:
		return n
	case int:
		return int64(n)
	case float64:
		return int64(n)
	}
	return 0
}

// SizeText writes a size with two decimals, base 1024, as clients take it apart
// (contract §1.4).
func SizeText(n int64) string {
	value, unit := scaled(n, 1024)
	return strconv.FormatFloat(value, 'f', 2, 64) + " " + unit
}

// Size writes a size for people, base 1024, with the decimals that say something: "3 MB",
// "1.95 KB".
func Size(n int64) string {
	// 1023.999 KB would be written as "1024 KB", so the step is taken where the rounding takes it.
	value, unit := scaled(n, 1023.995)
	return strconv.FormatFloat(math.Round(value*100)/100, 'f', -1, 64) + " " + unit
}

// scaled is a number of bytes in the first unit in which it is less than step.
func scaled(n int64, step float64) (float64, string) {
	units := []string{"B", "KB", "MB", "GB", "TB"}
	f, i := float64(n), 0
	for f >= step && i < len(units)-1 {
		f /= 1024
		i++
	}
	return f, units[i]
}

// Language chooses between "zh" and "en" by Accept-Language; fallback where it
// names neither.
func Language(accept []string, fallback string) string {
	best, bestQ := fallback, 0.0
	for _, line := range accept {
		for item := range strings.SplitSeq(line, ",") {
			tag, params, _ := strings.Cut(strings.TrimSpace(item), ";")
			tag = strings.ToLower(tag)
			lang := ""
			switch {
			case strings.HasPrefix(tag, "zh"):
				lang = "zh"
			case strings.HasPrefix(tag, "en"):
				lang = "en"
			default:
				continue
			}
			q := 1.0
			if v, ok := strings.CutPrefix(strings.TrimSpace(params), "q="); ok {
				if p, err := strconv.ParseFloat(v, 64); err == nil {
					q = p
				}
			}
			if q > bestQ {
				best, bestQ = lang, q
			}
		}
	}
	return best
}
