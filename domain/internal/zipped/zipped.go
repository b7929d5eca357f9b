// Package zipped lays out ZIP files whose length is known and whose every byte
// can be told before any of them was sent, so that a download can go on at any
// offset: entries are stored as they are, and their checksums stand behind their
// bytes (APPNOTE 6.3.10).
package zipped

import (
	"encoding/binary"
	"slices"
	"sort"
	"time"
	"unicode/utf8"
)

// Entry is a file or a folder of an archive.
type Entry struct {
	Name     string    // as Names made it; that of a folder ends in "/"
	Size     int64     // bytes; 0 for a folder
	Modified time.Time // zero means unknown
}

// Lengths of records without what follows them, in bytes, and from where on
// numbers stand elsewhere.
const (
	localLength       = 30
	centralLength     = 46
	endLength         = 22
	end64Length       = 56
	locatorLength     = 20
	descriptorLength  = 16
	descriptor64      = 24
	local64Length     = 20 // the extra field of sizes in a local header
	timeExtra         = 9  // the extra field of a time
	tooLong           = 1<<32 - 1
	tooMany           = 1<<16 - 1
	versionPlain      = 20
	versionZIP64      = 45
	madeByUnix        = 3 << 8
	flagsUTF8Trailing = 1<<11 | 1<<3 // names in UTF-8, checksum behind the bytes
	modeFile          = 0o100644
	modeFolder        = 0o040755
)

// Layout tells where everything of an archive lies. It does not change.
type Layout struct {
	entries  []Entry
	starts   []int64 // of local headers; one more: where the directory begins
	listings []int64 // of directory records; one more: where the end begins
	size     int64
}

// New lays entries out in their order.
func New(entries []Entry) *Layout {
	l := &Layout{entries: entries, starts: make([]int64, len(entries)+1), listings: make([]int64, len(entries)+1)}
	at := int64(0)
	for i := range entries {
		l.starts[i] = at
		at += int64(len(l.local(i))) + entries[i].Size + l.trailing(i)
	}
	l.starts[len(entries)] = at
	for i := range entries {
		l.listings[i] = at
		at += int64(len(l.central(i, 0)))
	}
	l.listings[len(entries)] = at
	l.size = at + int64(len(l.end()))
	return l
}

// Size is the length of the archive, in bytes.
func (l *Layout) Size() int64 { return l.size }

// long reports whether the size of an entry takes 64 bits.
func (l *Layout) long(i int) bool { return l.entries[i].Size >= tooLong }

func (l *Layout) folder(i int) bool {
	name := l.entries[i].Name
	return name[len(name)-1] == '/'
}

// trailing is the length of the checksum behind the bytes of an entry.
func (l *Layout) trailing(i int) int64 {
	switch {
	case l.folder(i):
		return 0
	case l.long(i):
		return descriptor64
	}
	return descriptorLength
}

func (l *Layout) flags(i int) uint16 {
	if l.folder(i) {
		return 1 << 11
	}
	return flagsUTF8Trailing
}

// local is the header before the bytes of an entry. It tells their number, which
// readers that cannot seek are glad of.
func (l *Layout) local(i int) []byte {
	e := &l.entries[i]
	b := make(record, 0, localLength+len(e.Name)+local64Length+timeExtra)
	version, size, extra := uint16(versionPlain), uint32(min(e.Size, tooLong)), record(nil)
	if l.long(i) {
		version = versionZIP64
		extra = extra.u16(1).u16(16).u64(uint64(e.Size)).u64(uint64(e.Size))
	}
	extra = extra.time(e.Modified)
	date, clock := dosTime(e.Modified)
	b = b.u32(0x04034b50).u16(version).u16(l.flags(i)).u16(0).u16(clock).u16(date).u32(0).u32(size).u32(size)
	b = b.u16(uint16(len(e.Name))).u16(uint16(len(extra)))
	return append(append(b, e.Name...), extra...)
}

// descriptor is the checksum behind the bytes of an entry.
func (l *Layout) descriptor(i int, sum uint32) []byte {
	size := l.entries[i].Size
	b := make(record, 0, descriptor64).u32(0x08074b50).u32(sum)
	if l.long(i) {
		return b.u64(uint64(size)).u64(uint64(size))
	}
	return b.u32(uint32(size)).u32(uint32(size))
}

// central is the record of an entry in the directory at the end.
func (l *Layout) central(i int, sum uint32) []byte {
	e := &l.entries[i]
	version, size, at, extra := uint16(versionPlain), uint32(min(e.Size, tooLong)), uint32(min(l.starts[i], tooLong)), record(nil)
	if l.long(i) {
		extra = extra.u64(uint64(e.Size)).u64(uint64(e.Size))
	}
	if l.starts[i] >= tooLong {
		extra = extra.u64(uint64(l.starts[i]))
	}
	if len(extra) > 0 {
		version = versionZIP64
		extra = append(record(nil).u16(1).u16(uint16(len(extra))), extra...)
	}
	extra = extra.time(e.Modified)
	mode := uint32(modeFile) << 16
	if l.folder(i) {
		mode = modeFolder<<16 | 0x10
	}
	date, clock := dosTime(e.Modified)
	b := make(record, 0, centralLength+len(e.Name)+len(extra))
	b = b.u32(0x02014b50).u16(madeByUnix | versionZIP64).u16(version).u16(l.flags(i)).u16(0).u16(clock).u16(date).u32(sum).u32(size).u32(size)
	b = b.u16(uint16(len(e.Name))).u16(uint16(len(extra))).u16(0).u16(0).u16(0).u32(mode).u32(at)
	return append(append(b, e.Name...), extra...)
}

// end is what stands behind the directory.
func (l *Layout) end() []byte {
	n, from := len(l.entries), l.starts[len(l.entries)]
	length := l.listings[n] - from
	b := make(record, 0, end64Length+locatorLength+endLength)
	if n >= tooMany || length >= tooLong || from >= tooLong {
		b = b.u32(0x06064b50).u64(end64Length - 12).u16(madeByUnix | versionZIP64).u16(versionZIP64).u32(0).u32(0)
		b = b.u64(uint64(n)).u64(uint64(n)).u64(uint64(length)).u64(uint64(from))
		b = b.u32(0x07064b50).u32(0).u64(uint64(from + length)).u32(1)
	}
	count := uint16(min(n, tooMany))
	return b.u32(0x06054b50).u16(0).u16(0).u16(count).u16(count).u32(uint32(min(length, tooLong))).u32(uint32(min(from, tooLong))).u16(0)
}

// entryAt is the entry whose header, bytes or checksum hold the offset.
func (l *Layout) entryAt(offset int64) int {
	return sort.Search(len(l.entries), func(i int) bool { return l.starts[i+1] > offset })
}

// listingAt is the entry whose directory record holds the offset.
func (l *Layout) listingAt(offset int64) int {
	return sort.Search(len(l.entries), func(i int) bool { return l.listings[i+1] > offset })
}

// record is a growing record of an archive: numbers with their low byte first.
type record []byte

func (b record) u16(n uint16) record { return binary.LittleEndian.AppendUint16(b, n) }
func (b record) u32(n uint32) record { return binary.LittleEndian.AppendUint32(b, n) }
func (b record) u64(n uint64) record { return binary.LittleEndian.AppendUint64(b, n) }

// time adds the extra field of a time in seconds since 1970, where it fits.
func (b record) time(at time.Time) record {
	if at.IsZero() || at.Unix() < 0 || at.Unix() > tooLong {
		return b
	}
	return append(b.u16(0x5455).u16(5), 1).u32(uint32(at.Unix()))
}

// dosTime is a time as old systems tell it, from 1980 to 2107, in UTC.
func dosTime(at time.Time) (date, clock uint16) {
	at = at.UTC()
	if at.Year() < 1980 || at.Year() > 2107 {
		return 1<<5 | 1, 0
	}
	return uint16((at.Year()-1980)<<9 | int(at.Month())<<5 | at.Day()), uint16(at.Hour()<<11 | at.Minute()<<5 | at.Second()/2)
}

// Cut shortens a text to at most n bytes, between two characters.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// Folders returns entries for the folders above names that are not among them,
// each before the first entry in it.
func Folders(entries []Entry) []Entry {
	seen := map[string]bool{}
	all := make([]Entry, 0, len(entries))
	for _, e := range entries {
		for i := range len(e.Name) - 1 {
			if e.Name[i] == '/' && !seen[e.Name[:i+1]] {
				seen[e.Name[:i+1]] = true
				all = append(all, Entry{Name: e.Name[:i+1]})
			}
		}
		if seen[e.Name] {
			continue
		}
		seen[e.Name] = true
		all = append(all, e)
	}
	return slices.Clip(all)
}
