package sniff

import "testing"

func TestATypeIsThatOfTheContent(t *testing.T) {
	for name, c := range map[string]struct{ head, want string }{
		"a picture":  {"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "image/png"},
		"a document": {"%PDF-1.7\n", "application/pdf"},
		"a program":  {"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00>\x00", "application/x-executable"},
		"a page":     {"<!DOCTYPE html><html>", "text/html"},
		"a text":     {"你好", "text/plain"},
		"nothing":    {"", "text/plain"},
		"noise":      {"\x00\x01\x02\x03\xff\xfe\x80", "application/octet-stream"},
	} {
		if got := TypeOf([]byte(c.head)); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
