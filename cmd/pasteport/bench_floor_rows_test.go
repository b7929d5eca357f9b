//go:build bench

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// floorReads are rows 1, 2, 4 and 5 against the floor.
func (b *bench) floorReads() {
	floor, pid := startFloor(b.t, floorSettings{})
	for _, c := range []struct{ what, path string }{{"1 paste JSON 1 KiB", "/paste/k1"}, {"2 raw 1 KiB", "/raw/k1"}} {
		b.floorLoad(c.what+", 32 connections", 32, b.p.url+"/api"+c.path, floor+"/api"+c.path, pid, ">= 0.92", "<= 1.15")
		b.floorLoad(c.what+", 32 connections, beside the same headers", 32, b.p.url+"/api"+c.path, floor+"/headers"+c.path, pid, "", "")
	}
	var ratios []float64
	for range benchRounds {
		our, their := b.wrk(b.pid(), 256, b.p.url+"/api/paste/k1", ""), b.wrk(pid, 256, floor+"/api/paste/k1", "")
		ratios = append(ratios, float64(our.p99)/float64(their.p99))
	}
	b.add("4 p99 of paste reads, 256 connections, of the floor", median(ratios), "", "", "<= 1.25")
}

// floorLoad compares rate and processor time of two addresses.
func (b *bench) floorLoad(what string, connections int, ours, floor string, floorPID int, rate, cpu string) {
	our, their, used, floorUsed, bad := b.pair(
		func() load { return b.wrk(b.pid(), connections, ours, "") },
		func() load { return b.wrk(floorPID, connections, floor, "") })
	b.add(what+", of the floor", our/their, "", fmt.Sprintf("%.2f (%.0f/s of %.0f/s)%s", our/their, our, their, badMark(bad)), rate)
	b.add(what+", processor time of the floor's", float64(used)/float64(floorUsed), "", fmt.Sprintf("%.2f (%v of %v)", float64(used)/float64(floorUsed), used, floorUsed), cpu)
}

// call sends a request, reads the answer, and returns its body.
func (b *bench) call(method, address string, body io.Reader, length int64, header ...string) []byte {
	var answer bytes.Buffer
	b.callInto(&answer, method, address, body, length, header...)
	return answer.Bytes()
}

// callInto sends a request and reads the answer into memory that is used again: new
// memory for each long list costs this process more time than the list.
func (b *bench) callInto(answer *bytes.Buffer, method, address string, body io.Reader, length int64, header ...string) {
	r, err := http.NewRequestWithContext(b.t.Context(), method, address, body)
	if err != nil {
		b.t.Fatal(err)
	}
	if length != 0 {
		r.ContentLength = length
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer a.Body.Close()
	answer.Reset()
	if _, err := answer.ReadFrom(a.Body); err != nil || a.StatusCode > 299 {
		b.t.Fatalf("%s %s: %d %.300s, %v", method, address, a.StatusCode, answer.Bytes(), err)
	}
}

// alternate takes the times of two things in turn, in seconds.
func alternate(times int, ours, theirs func(i int)) (our, their float64) {
	var a, b []float64
	for i := range times {
		begin := time.Now()
		ours(i)
		middle := time.Now()
		theirs(i)
		a, b = append(a, middle.Sub(begin).Seconds()), append(b, time.Since(middle).Seconds())
	}
	return median(a), median(b)
}

// floorLists are rows 20 to 22 against the floor.
func (b *bench) floorLists() {
	folder := filepath.Join(b.p.dir, localFolder)
	small := filepath.Join(folder, "small")
	if err := os.MkdirAll(small, 0o700); err != nil {
		b.t.Fatal(err)
	}
	for i := range 10 {
		if err := os.WriteFile(filepath.Join(small, fmt.Sprintf("file-%d.txt", i)), []byte("x"), 0o600); err != nil {
			b.t.Fatal(err)
		}
	}
	floor, _ := startFloor(b.t, floorSettings{Folder: folder})
	basic := basicAuth("admin", adminPassword)
	var answer bytes.Buffer
	ask := func(method, address string, header ...string) (size int) {
		b.callInto(&answer, method, address, nil, 0, header...)
		return answer.Len()
	}
	clear := func() { b.admin.post("/api/admin/cache/clear", map[string]any{}) }
	for _, c := range []struct {
		what, dir                string
		times                    int
		cold, warm, pCold, pWarm string
	}{{"10", "small", 61, "<= 1.3", "<= 1.3", "<= 1.5", "<= 1.5"}, {"10,000", "big", 15, "<= 1.0", "<= 1.3", "<= 1.0", "<= 1.2"}} {
		var size, floorSize int // of the last answers, in bytes
		list := func(int) {
			size = ask("GET", b.p.url+"/api/fs/list?path=/local/"+c.dir, "Authorization", b.admin.auth, "Accept-Encoding", "identity") // as the floor is asked: this client would unpack for longer than we answer
		}
		propfind := func(int) {
			size = ask("PROPFIND", b.p.url+"/dav/local/"+c.dir+"/", "Authorization", basic, "Depth", "1", "Accept-Encoding", "identity")
		}
		theirs := func(method, query string) func(int) {
			return func(int) {
				floorSize = ask(method, floor+"/list/"+c.dir+query, "Accept-Encoding", "identity")
			}
		}
		for _, row := range []struct {
			what, method, query, must string
			ours                      func(int)
		}{
			{"20 list of " + c.what + ", cold", "GET", "?cold", c.cold, list}, {"21 list of " + c.what + ", warm", "GET", "", c.warm, list},
			{"22 PROPFIND of " + c.what + ", cold", "PROPFIND", "?cold", c.pCold, propfind}, {"22 PROPFIND of " + c.what + ", warm", "PROPFIND", "", c.pWarm, propfind},
		} {
			other := theirs(row.method, row.query)
			var our, their []float64
			for i := range c.times {
				if row.query != "" {
					clear()
				}
				o, t := alternate(1, func(int) { row.ours(i) }, other)
				our, their = append(our, o), append(their, t)
			}
			o, t := median(our[1:]), median(their[1:])
			b.add(row.what+", of the floor", o/t, "", fmt.Sprintf("%.2f (%.2f ms of %.2f ms; %d KiB of %d)", o/t, o*1000, t*1000, size>>10, floorSize>>10), row.must)
		}
	}
}

// floorRows are rows 12, 13, 16, 18 and 19 against the floor.
func (b *storageBench) floorRows() {
	floor, pid := startFloor(b.t, floorSettings{S3: b.options})
	b.part("flows", func() { b.floorFlows(floor, pid) })
	b.part("small", func() {
		b.share("floorsmall", 1024)
		b.call("PUT", floor+"/file/small.bin", bytes.NewReader(pattern(6, 1024)), 1024)
		b.floorLoad("13 proxied 1 KiB, 32 connections", 32, b.p.url+"/api/file-download/floorsmall", floor+"/file/small.bin", pid, ">= 0.95", "<= 1.25")
	})
	size := b.mib << 20
	b.part("read", func() {
		b.call("PUT", floor+"/file/large.bin", filler(size), size)
		b.share("floor", size)
		b.floorBytes("16 proxied, one stream", "<= 0.9", pid,
			func(int) { b.read(b.p.url+"/api/file-download/floor", size, 1, b.pid()) },
			func(int) { b.read(floor+"/file/large.bin", size, 1, pid) })
	})
	b.part("form", func() {
		b.floorBytes("18 form upload", "<= 1.1", pid,
			func(i int) { b.send(b.formRequest(fmt.Sprintf("form%d.bin", i), true)) },
			func(i int) {
				r := b.formRequest(fmt.Sprintf("form%d.bin", i), true)
				at, _ := url.Parse(fmt.Sprintf("%s/form?size=%d", floor, size))
				r.URL, r.Host = at, at.Host
				b.send(r)
			})
	})
	b.part("put", func() {
		b.floorBytes("19 WebDAV PUT", "<= 1.05", pid,
			func(i int) {
				r := b.request(http.MethodPut, fmt.Sprintf("/dav/s3/floor%d.bin", i), filler(size), size)
				r.SetBasicAuth("admin", adminPassword)
				b.send(r)
			},
			func(i int) { b.call("PUT", fmt.Sprintf("%s/file/put%d.bin", floor, i), filler(size), size) })
	})
}

func (b *storageBench) send(r *http.Request) {
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer a.Body.Close()
	if text, err := io.ReadAll(a.Body); err != nil || a.StatusCode > 299 {
		b.t.Fatalf("%s: %d %s, %v", r.URL, a.StatusCode, text, err)
	}
}

// floorBytes compares the processor time that large bodies cost, drivers
// included. The kernel tells it in steps of 10 ms, of which one body takes fifteen:
// medians of few bodies told 0.83 and 1.15 of the same code, so all are summed.
func (b *storageBench) floorBytes(what, must string, floorPID int, ours, theirs func(i int)) {
	var our, their time.Duration
	const rounds = 3 * benchRounds
	for i := range rounds {
		used, floorUsed := cpuTime(b.pid()), cpuTime(floorPID)
		ours(i)
		our += cpuTime(b.pid()) - used
		theirs(i)
		their += cpuTime(floorPID) - floorUsed
	}
	gib := rounds * float64(b.mib) / 1024
	o, t := our.Seconds()/gib, their.Seconds()/gib
	b.add(what+", processor time per GiB, of the floor's", o/t, "", fmt.Sprintf("%.2f (%.2f s of %.2f s)", o/t, o, t), must)
}

// eights is how often eighty flows are measured.
const eights = 5

// floorFlows are shares by presigned upload: one at a time, and eight.
func (b *storageBench) floorFlows(floor string, pid int) {
	content := pattern(3, 64<<10)
	flow := func(presign, commit string, fields map[string]any) {
		var begun struct {
			FileID    string `json:"file_id"`
			UploadURL string `json:"upload_url"`
			Data      *struct {
				FileID    string `json:"file_id"`
				UploadURL string `json:"upload_url"`
			}
		}
		post := func(address string, fields map[string]any) []byte {
			body, _ := json.Marshal(fields)
			return b.call("POST", address, bytes.NewReader(body), int64(len(body)), "Content-Type", "application/json", "Authorization", b.admin.auth)
		}
		if err := json.Unmarshal(post(presign, fields), &begun); err != nil {
			b.t.Fatal(err)
		}
		if begun.Data != nil {
			begun.FileID, begun.UploadURL = begun.Data.FileID, begun.Data.UploadURL
		}
		b.call("PUT", begun.UploadURL, bytes.NewReader(content), int64(len(content)))
		post(commit, map[string]any{"file_id": begun.FileID})
	}
	ours := func(int) {
		flow(b.p.url+"/api/s3/presign", b.p.url+"/api/s3/commit", map[string]any{"s3_config_id": b.id, "filename": "flow.bin", "size": len(content)})
	}
	theirs := func(int) {
		flow(floor+"/presign", floor+"/commit", map[string]any{"filename": "flow.bin", "size": len(content)})
	}
	ours(0) // the driver starts
	our, their := alternate(100, ours, theirs)
	b.add("12 share flow, one at a time, of the floor", our/their, "", fmt.Sprintf("%.2f (%.2f ms of %.2f ms)", our/their, our*1000, their*1000), "<= 1.5")
	eight := func(one func(int)) func(int) {
		return func(int) {
			var all sync.WaitGroup
			for range 8 {
				all.Go(func() {
					for i := range 10 {
						one(i)
					}
				})
			}
			all.Wait()
		}
	}
	var ourCPU, theirCPU time.Duration
	counted := func(pid int, sum *time.Duration, do func(int)) func(int) {
		return func(i int) {
			before := cpuTime(pid)
			do(i)
			*sum += cpuTime(pid) - before
		}
	}
	our, their = alternate(eights, counted(b.pid(), &ourCPU, eight(ours)), counted(pid, &theirCPU, eight(theirs)))
	b.add("12 share flows, eight at a time, rate of the floor's", their/our, "", fmt.Sprintf("%.2f (%.0f/s of %.0f/s)", their/our, 80/our, 80/their), ">= 0.70")
	b.add("12 share flow, processor time of the floor's, driver included", ourCPU.Seconds()/theirCPU.Seconds(), "", fmt.Sprintf("%.2f (%v of %v)", ourCPU.Seconds()/theirCPU.Seconds(), ourCPU/(80*eights), theirCPU/(80*eights)), "")
}
