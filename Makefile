# Every target has a line of help after "##". Continuous integration calls only
# targets of this file.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

export CGO_ENABLED := 0
# What was built or checked in one folder need not be again in another one.
export GOFLAGS := -trimpath
VERSION := 0.1.0
COMMIT := $(shell git rev-parse --short=12 HEAD 2>/dev/null)
DATE := $(shell TZ=UTC git log -1 --date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%cd 2>/dev/null)
LDFLAGS := -s -w -buildid= -X main.version=$(VERSION) -X main.commit=$(COMMIT) -X main.date=$(DATE)
# The most bytes that the program may have (docs/adr/0013).
MAX_SIZE := 80000000
TOOLS := .cache/bin

# Packages that start goroutines, which the race detector checks.
RACE := $(shell grep -rlE '^\s*go [a-z]|\.Go\>|t\.Parallel' --include='*.go' adapters/bunstore adapters/opa adapters/pluginhost adapters/secrets adapters/httpapi domain | xargs -n1 dirname | sort -u)

# Of those, the ones that leave nothing out under the race detector (-short) and
# need not run again without it.
ONCE := $(filter-out $(shell grep -rlE 'testing\.Short|OnlyWithoutRaces' --include='*_test.go' $(RACE) | xargs -n1 dirname | sort -u),$(RACE))

# SQLite, translated from C, is six times slower when each of its memory accesses
# is watched, and none of them is ours.
UNCHECKED := modernc.org/...=-race=false

# Most tests wait for disks and processes, so more run at once than there are
# processors, and cmd/pasteport, which waits the longest, starts first. The time
# limit only ends what never ends. lint-go vets everything.
TOGETHER := -p 4 -parallel 4 -timeout 40m -vet=off

# The memory of tests is collected as seldom as the program's own is
# (adapters/process), which takes a tenth to a quarter off their processor time.
test-go test-race: export GOGC := 300

# Flows of the program that also run on PostgreSQL; make test-long runs them all.
POSTGRES_FLOWS := TestSpec|TestContract2_1|TestContract8_(6|7|11)|TestDecision3|TestA6|TestE3|TestL2|TestFoldersOfMounts|TestFilesOfMounts|TestASecondDisk

UI_SOURCES := $(shell find webui/src webui/public webui/scripts policies/gallery policies/schemas -type f 2>/dev/null) $(wildcard webui/*.ts webui/*.json webui/*.html)

.PHONY: help run build test test-go test-race test-ui test-browser test-long test-live lint lint-go lint-ui bench bench-load bench-nodes bench-growth audit proto release ldflags image install clean

help: ## show this list
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: build ## build everything and serve on http://localhost:8787 with data in ./data
	bin/pasteport serve

build: bin/pasteport ## build the web UI, the server and its drivers into bin/

bin/pasteport: webui/dist/notices.txt.br go.mod go.sum $(shell find . -path ./webui/node_modules -prune -o \( -name '*.go' -o -name '*.sql' -o -name '*.rego' \) -print)
	go build -ldflags '$(LDFLAGS)' -o $@ ./cmd/pasteport
	@echo "$@: $$(stat -c %s $@) bytes"

webui/dist/index.html: webui/node_modules/.package-lock.json $(UI_SOURCES)
	npm --prefix webui run build
	@touch $@

webui/dist/notices.txt.br: webui/dist/index.html go.mod .ci/notices.mjs
	node .ci/notices.mjs $@

webui/node_modules/.package-lock.json: webui/package.json webui/package-lock.json
	npm --prefix webui ci --ignore-scripts --no-audit --no-fund --fetch-retries 5
	@touch $@

# All is built before the lanes begin, so that the longest can begin first and the
# shortest fill up what is left at the end.
test: ## fetch what the tests need and pass all of them, two lanes at a time (under 35 minutes on 2 cores)
	@$(MAKE) --no-print-directory -j2 lint-marks build $(TOOLS)/staticcheck $(TOOLS)/systems
	@$(MAKE) --no-print-directory -j2 test-browser test-go test-race test-ui lint-ui lint-go
	@echo "make test: all lanes passed"
	@cat webui/test-results/repeated-flows.txt

test-go: build ## the Go tests, with the real program and a private PostgreSQL
	.ci/need postgresql litmus rclone openssh-server cadaver curl nginx caddy promtool
	@size=$$(stat -c %s bin/pasteport); if [ $$size -gt $(MAX_SIZE) ]; then echo "bin/pasteport has $$size bytes, more than $(MAX_SIZE)"; exit 1; fi
	go test $(TOGETHER) ./cmd/pasteport $$(go list ./... | grep -vxF $(ONCE:%=-e pasteport/%))
	GOFLAGS= go -C .tools test ./...
	PASTEPORT_TEST_DATABASE=postgres go test $(TOGETHER) -run '$(POSTGRES_FLOWS)' ./cmd/pasteport/

test-race: webui/dist/index.html ## the packages with goroutines under the race detector
	.ci/need gcc postgresql
	CGO_ENABLED=1 go test -race -gcflags='$(UNCHECKED)' -short $(TOGETHER) $(RACE:%=./%)

test-ui: webui/node_modules/.package-lock.json ## the unit tests of the web UI
	npm --prefix webui test

test-browser: build ## the flows in headless Chromium against the real program
	.ci/need chromium
	npm --prefix webui run e2e

test-long: build ## kill loops, soaks, the suites of drivers in full, every look and picture of the pages and every flow on PostgreSQL, by hand before an issue is closed
	.ci/need postgresql litmus rclone openssh-server cadaver curl nginx caddy promtool chromium
	PASTEPORT_TEST_LONG=1 go test -timeout 60m -count=1 -run 'Long|KillLoop|TheContract' ./...
	PASTEPORT_TEST_DATABASE=postgres go test -timeout 60m -count=1 ./cmd/pasteport/
	PASTEPORT_TEST_LONG=1 npm --prefix webui run e2e -- screens everypage

test-live: ## the driver suite in real buckets that PASTEPORT_LIVE_AWS, _R2, _B2, _S3 name (docs/drivers.md)
	go test -tags live -timeout 60m -count=1 -v -run TestLive ./plugins/s3/live/

lint: lint-marks lint-go lint-ui ## marks of a merge, gofmt, vet, types on other systems, staticcheck, strict Rego, tsc, ESLint and Prettier

lint-marks:
	@marked=$$(git grep -nIE '^(<{7} |={7}$$|>{7} |\|{7} )' -- . || true); if [ -n "$$marked" ]; then echo "marks of a merge:"; echo "$$marked"; exit 1; fi

lint-go: webui/dist/index.html $(TOOLS)/staticcheck $(TOOLS)/systems
	@unformatted=$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go')); if [ -n "$$unformatted" ]; then echo "gofmt: $$unformatted"; exit 1; fi
	go vet ./...
	go vet -tags bench ./cmd/pasteport ./adapters/bunstore
	go vet -tags live ./plugins/s3/live
	$(TOOLS)/systems . windows/amd64 darwin/arm64 linux/arm
	$(TOOLS)/staticcheck ./...
	go test -run 'Lint' ./adapters/opa/

lint-ui: webui/dist/index.html
	npm --prefix webui run lint

$(TOOLS)/staticcheck: .tools/go.mod .tools/go.sum
	go build -C .tools -o ../$@ honnef.co/go/tools/cmd/staticcheck

$(TOOLS)/systems: .tools/go.mod .tools/go.sum .tools/systems/main.go
	go build -C .tools -o ../$@ ./systems

bench: build ## measure the hot paths, as ratios to nginx and to SQLite in the same run
	.ci/need nginx nginx-dav wrk
	go test -run '^$$' -bench . -benchmem ./adapters/... ./domain/... ./plugins/...
	go test -tags bench -timeout 30m -count=1 -v -run '^TestBench(Mounts|Storage)?$$' ./cmd/pasteport/

bench-load: build ## measure p99 and memory, minute by minute, under 1,000 idle and 256 active connections (PASTEPORT_BENCH_MINUTES, 10)
	.ci/need wrk
	go test -tags bench -timeout 60m -count=1 -v -run '^TestBenchLoad$$' ./cmd/pasteport/

bench-nodes: build ## measure one, two and four nodes on PostgreSQL behind nginx
	.ci/need nginx wrk postgresql
	go test -tags bench -timeout 30m -count=1 -v -run '^TestBenchNodes$$' ./cmd/pasteport/

bench-growth: ## measure lists, searches and counts as the site grows (under 40 minutes)
	go test -tags bench -timeout 60m -count=1 -v -run TestBenchGrowth ./adapters/bunstore/

audit: ## look for known vulnerabilities (needs the network; not part of the tests)
	go run golang.org/x/vuln/cmd/govulncheck@latest ./...
	npm --prefix webui audit

proto: ## generate the plugin protocol again (needs protoc)
	go build -C .tools -o ../$(TOOLS)/protoc-gen-go google.golang.org/protobuf/cmd/protoc-gen-go
	go build -C .tools -o ../$(TOOLS)/protoc-gen-go-grpc google.golang.org/grpc/cmd/protoc-gen-go-grpc
	PATH="$(CURDIR)/$(TOOLS):$$PATH" protoc --go_out=. --go_opt=module=pasteport --go-grpc_out=. --go-grpc_opt=module=pasteport plugins/sdk/proto/*.proto

release: ## build the archives of a release into ./release, twice, and compare the bytes
	.ci/release $(VERSION)

ldflags: # what .ci/release links with
	@echo '$(LDFLAGS)'

image: webui/dist/notices.txt.br ## make the image localhost/pasteport, with buildah or docker (ARCH=arm64 or arm for another architecture)
	.ci/image $(VERSION)

install: bin/pasteport ## put the program, its man page and the systemd unit below $(DESTDIR)/usr/local and /etc/systemd
	install -D -m 755 bin/pasteport $(DESTDIR)/usr/local/bin/pasteport
	mkdir -p $(DESTDIR)/usr/local/share/man/man1
	bin/pasteport man > $(DESTDIR)/usr/local/share/man/man1/pasteport.1
	install -D -m 644 docs/deploy/pasteport.service $(DESTDIR)/etc/systemd/system/pasteport.service
	install -D -m 644 docs/deploy/pasteport.socket $(DESTDIR)/etc/systemd/system/pasteport.socket

clean: ## remove what was built; ./data stays
	rm -rf bin release .cache webui/node_modules webui/dist/* webui/test-results
