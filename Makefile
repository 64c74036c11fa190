# leat: `make run` shows it at work, `make test` proves it. Both need Go alone.

GO      ?= go
export CGO_ENABLED ?= 0
VERSION := $(shell git describe --tags --always 2>/dev/null || echo dev)
LDFLAGS := -s -w -X main.release=$(VERSION)
SAMPLE  := testdata/pipelines/orders
FUZZTIME ?= 30s

.PHONY: run build test check static bench fuzz race sweep long guests clean

# The sample: a script and a wasm transform over real orders. Its exit code 4 (some orders
# are bad on purpose) is its success.
run: build
	@rm -rf bin/sample && mkdir -p bin/sample
	@cp -r $(SAMPLE) bin/sample/orders
	@echo '$$ leat verify orders.yaml'; bin/leat verify bin/sample/orders/orders.yaml
	@echo; echo '$$ leat run orders.yaml'
	@bin/leat run bin/sample/orders/orders.yaml --data-dir bin/sample/.leat; code=$$?; \
		[ $$code -eq 4 ] || { echo "expected exit 4 (partial), got $$code"; exit 1; }
	@echo; echo '$$ head -3 out.jsonl'; head -3 bin/sample/orders/out.jsonl
	@echo; echo '$$ leat dlq list orders.yaml'
	@bin/leat dlq list bin/sample/orders/orders.yaml --data-dir bin/sample/.leat

build:
	@[ -x bin/leat ] || echo 'building leat; the first time this takes a minute or two'
	@$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/leat ./cmd/leat

# The whole suite, sweeps at their minimum.
test:
	$(GO) test -timeout 15m ./...

# What each commit must pass.
check: static
	$(GO) test -short -timeout 5m ./...

static:
	@! git grep -nE '^(<{7}|>{7}|\|{7})( |$$)' || { echo 'merge markers: the lines above'; exit 1; }
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo 'gofmt: the files above'; exit 1; }
	$(GO) mod tidy -diff
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	GOOS=darwin GOARCH=arm64 $(GO) build ./...
	GOOS=windows GOARCH=amd64 $(GO) build ./...
	GOOS=linux GOARCH=arm64 $(GO) build ./...
	cd guests && sha256sum --quiet -c SHA256SUMS

# Ours beside the yardstick, ratios in one run.
bench:
	$(GO) test -run '^$$$$' -bench . -benchtime 1x -timeout 60m ./...

# Every fuzz target for FUZZTIME.
fuzz:
	@.ci/fuzz $(FUZZTIME)

race:
	CGO_ENABLED=1 $(GO) test -race -short -timeout 15m ./runtime ./store ./engine/... ./flavors/process ./cmd/leat/console

# The longer checks without time limits: what .ci/run does, as long as it takes.
long:
	LEAT_KILLS=500 FUZZTIME=10m .ci/run

# Rebuilds the guests' modules with what this machine has.
guests:
	guests/build.sh

clean:
	rm -rf bin
