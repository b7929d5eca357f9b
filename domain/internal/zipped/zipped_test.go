package zipped_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pasteport/domain/internal/zipped"
)

// texts are the contents of entries, by their place.
type texts struct {
	content []string
	sums    map[int]uint32
	opened  int
	cut     int // bytes that every entry lacks
}

func (s *texts) Open(_ context.Context, i int, from int64) (io.ReadCloser, error) {
	s.opened++
	text := s.content[i][:len(s.content[i])-min(s.cut, len(s.content[i]))]
	return io.NopCloser(strings.NewReader(text[min(int(from), len(text)):])), nil
}

func (s *texts) Sum(_ context.Context, i int) (uint32, bool, error) {
	sum, known := s.sums[i]
	return sum, known, nil
}

func (s *texts) Keep(i int, sum uint32) { s.sums[i] = sum }

// hundred lays out files and folders, and returns what is in them by name.
func hundred() (*zipped.Layout, *texts, map[string]string) {
	var names zipped.Names
	var entries []zipped.Entry
	s, want := &texts{sums: map[int]uint32{}}, map[string]string{}
	add := func(name, content string) {
		entries = append(entries, zipped.Entry{Name: name, Size: int64(len(content)), Modified: time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)})
		s.content = append(s.content, content)
		want[name] = content
	}
	folder := names.Of("", "文件夹", true)
	add(folder, "")
	for i := range 99 {
		in := ""
		if i%3 == 0 {
			in = folder
		}
		add(names.Of(in, fmt.Sprintf("报告 %d.txt", i%40), false), strings.Repeat(fmt.Sprint(i), i*i%4000))
	}
	return zipped.New(entries), s, want
}

func whole(t *testing.T, l *zipped.Layout, s zipped.Source) []byte {
	t.Helper()
	data, err := io.ReadAll(l.Read(t.Context(), s, 0, l.Size()))
	if err != nil {
		t.Fatal(err)
	}
	if int64(len(data)) != l.Size() {
		t.Fatalf("%d bytes were sent, %d announced", len(data), l.Size())
	}
	return data
}

func TestAnArchiveOfAHundredEntriesIsAsLongAsAnnouncedAndOpens(t *testing.T) {
	l, s, want := hundred()
	data := whole(t, l, s)
	if s.opened != 98 { // one file is empty
		t.Errorf("%d readings for a whole archive of 98 files with content", s.opened)
	}
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.File) != 100 {
		t.Errorf("%d entries", len(r.File))
	}
	for _, f := range r.File {
		body, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(body)
		if err != nil || want[f.Name] != string(content) || f.NonUTF8 || f.Method != zip.Store || !f.Modified.Equal(time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)) {
			t.Errorf("%s: %d bytes, %v, %v", f.Name, len(content), err, f.FileHeader)
		}
	}
	if program, err := exec.LookPath("unzip"); err == nil {
		path := filepath.Join(t.TempDir(), "a.zip")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(program, "-t", path).CombinedOutput(); err != nil {
			t.Errorf("unzip -t: %v\n%s", err, out)
		}
	}
}

func TestADownloadGoesOnAtAnyOffset(t *testing.T) {
	l, s, _ := hundred()
	data := whole(t, l, s)
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		offset := random.Int64N(l.Size())
		length := 1 + random.Int64N(l.Size()-offset)
		fresh := &texts{content: s.content, sums: map[int]uint32{}} // nobody knows a checksum
		got, err := io.ReadAll(l.Read(t.Context(), fresh, offset, length))
		if err != nil || !bytes.Equal(got, data[offset:offset+length]) {
			t.Fatalf("%d bytes from %d on are others: %v", length, offset, err)
		}
	}
	s.opened = 0
	end, err := io.ReadAll(l.Read(t.Context(), s, l.Size()-5000, 5000))
	if err != nil || !bytes.Equal(end, data[l.Size()-5000:]) || s.opened != 0 {
		t.Errorf("with known checksums the directory takes %d readings, %v", s.opened, err)
	}
}

func TestAnEntryOfAnotherLengthEndsTheArchiveWithAnError(t *testing.T) {
	for cut, want := range map[int]error{1: io.ErrUnexpectedEOF, 3: io.ErrUnexpectedEOF} {
		l := zipped.New([]zipped.Entry{{Name: "a", Size: 5}, {Name: "b", Size: 5}})
		s := &texts{content: []string{"12345", "12345"}, sums: map[int]uint32{}, cut: cut}
		if _, err := io.ReadAll(l.Read(t.Context(), s, 0, l.Size())); !errors.Is(err, want) {
			t.Errorf("a source that is cut by %d: %v", cut, err)
		}
		if _, err := io.ReadAll(l.Read(t.Context(), s, l.Size()-30, 30)); !errors.Is(err, want) {
			t.Errorf("its checksum: %v", err)
		}
		s = &texts{content: []string{"1234567", "12345"}, sums: map[int]uint32{}}
		if _, err := io.ReadAll(l.Read(t.Context(), s, 0, l.Size())); err == nil {
			t.Error("a source that has grown goes unnoticed")
		}
	}
}

// zeros are large entries without content.
type zeros struct{ entries []zipped.Entry }

func (z zeros) Open(_ context.Context, i int, from int64) (io.ReadCloser, error) {
	return io.NopCloser(io.LimitReader(zero{}, z.entries[i].Size-from)), nil
}
func (z zeros) Sum(context.Context, int) (uint32, bool, error) { return 1, true, nil }
func (z zeros) Keep(int, uint32)                               {}

// zero has no end.
type zero struct{}

func (zero) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// sparse reads an archive of which little more than the directory is asked for.
type sparse struct {
	t       *testing.T
	l       *zipped.Layout
	entries []zipped.Entry
}

func (s sparse) ReadAt(b []byte, at int64) (int, error) {
	return io.ReadFull(s.l.Read(s.t.Context(), zeros{s.entries}, at, int64(len(b))), b)
}

func TestLargeArchivesHaveLargeNumbers(t *testing.T) {
	const large = 5 << 30
	few := []zipped.Entry{{Name: "a.iso", Size: large}, {Name: "b.iso", Size: 1<<32 - 1}, {Name: "c", Size: 7}}
	entries := make([]zipped.Entry, 70_000)
	for i := range entries {
		entries[i] = zipped.Entry{Name: fmt.Sprint(i), Size: int64(i)}
	}
	for name, entries := range map[string][]zipped.Entry{"large": few, "many": entries} {
		l := zipped.New(entries)
		r, err := zip.NewReader(sparse{t, l, entries}, l.Size())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i, f := range r.File {
			at, err := f.DataOffset()
			if err != nil || name == "large" && i == 2 && (f.UncompressedSize64 != 7 || at < large) {
				t.Fatalf("%s: %s: at %d, %v", name, f.Name, at, err)
			}
			if i > 10 {
				break
			}
		}
		if name == "many" && len(r.File) != 70_000 || name == "large" && r.File[0].UncompressedSize64 != large {
			t.Errorf("%s: %d entries, the first of %d bytes", name, len(r.File), r.File[0].UncompressedSize64)
		}
	}
}

func TestNamesAreSafeAndThereOnce(t *testing.T) {
	var names zipped.Names
	for _, c := range []struct{ name, want string }{
		{"a.txt", "a.txt"}, {"A.TXT", "A(1).TXT"}, {"a.txt", "a(2).txt"}, {"../../etc/passwd", ".._.._etc_passwd"}, {"..", "_"}, {"", "_(1)"},
		{`C:\x`, "C__x"}, {"nul.txt", "_nul.txt"}, {"COM1", "_COM1"}, {"com12", "com12"}, {"dots...", "dots"}, {"文 件.md", "文 件.md"},
		{"evil\u202etxt.exe", "evil_txt.exe"}, {"line\nend", "line_end"}, {"\xff", "_(2)"},
	} {
		if got := names.Of("", c.name, false); got != c.want {
			t.Errorf("%q becomes %q, want %q", c.name, got, c.want)
		}
	}
	long := names.Of("", strings.Repeat("文", 200)+".txt", false)
	if len(long) > zipped.MaxName || !strings.HasSuffix(long, ".txt") && len(long) < 250 {
		t.Errorf("a long name has %d bytes", len(long))
	}
}
