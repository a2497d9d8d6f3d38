# Two targets do everything on a fresh machine with Go and git:
#   make freeze   freezes the newest release again and shows the result
#   make check    everything that CI runs, and the only list of it
SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: help setup build install freeze examples check lint vet fixtures read test regressions sample mutate fuzz bench report check-report

# The result must not depend on where make was started or on the caller's
# settings of the programs under test.
ROOT := $(shell cd "$$(dirname "$(strip $(MAKEFILE_LIST))")" && pwd)
unexport TZ TERM CDPATH ENV BASH_ENV NO_COLOR MAKEFLAGS
unexport $(filter TMUX% XDG_% STINT_% GIT_% PERMAFROST_% LC_%,$(.VARIABLES))
export LC_ALL := C.UTF-8
HOME := $(shell "$(ROOT)/internal/setup/home.sh")
export HOME

FUZZTIME ?= 5s
BENCH ?= .

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1	\2/p' "$(ROOT)/Makefile"

setup: ## install what is missing: tmux
	@"$(ROOT)/internal/setup/setup.sh" tmux

# Without the C library each start takes half a millisecond less.
build: ## bin/freeze and bin/stint
	@cd "$(ROOT)" && CGO_ENABLED=0 go build -trimpath -o bin/ ./cmd/...

install: ## freeze and stint into GOBIN
	@cd "$(ROOT)" && CGO_ENABLED=0 go install -trimpath ./cmd/...

freeze: setup build ## freeze the newest release again and show the result
	@cd "$(ROOT)" && internal/setup/freeze.sh "$(ROOT)/bin/freeze"

examples: setup build ## freeze the programs of others again: as frozen, and read as recorded
	@cd "$(ROOT)" && internal/setup/examples.sh "$(ROOT)/bin/freeze"

check: ## all that CI runs; the only list of it
	@"$(ROOT)/internal/setup/setup.sh" tmux gcc python3 zsh fish
	@cd "$(ROOT)" && before=$$(git status --porcelain) && $(MAKE) -s -f Makefile lint vet build fixtures read test regressions sample check-report fuzz && \
		{ [ "$$before" = "$$(git status --porcelain)" ] || { echo "check: the tree is not as git found it before:" >&2; git status --short >&2; exit 1; }; }

lint:
	@echo "check: gofmt, tidy, staticcheck"
	@cd "$(ROOT)" && unformatted=$$(git ls-files -co --exclude-standard '*.go' | xargs gofmt -s -l) && \
		{ [ -z "$$unformatted" ] || { echo "check: run gofmt -s -w on $$unformatted" >&2; exit 1; }; }
	@cd "$(ROOT)" && go mod tidy -diff && go -C examples/ci mod tidy -diff
	@cd "$(ROOT)" && go tool staticcheck -checks inherit,ST1000 ./...

vet:
	@echo "check: vet on three systems"
	@cd "$(ROOT)" && go -C examples/ci vet ./... && go vet ./... && GOOS=darwin go vet ./... && GOOS=windows go vet ./...

fixtures: build ## the fixtures are as frozen, and today's code can be frozen
	@echo "check: fixtures"
	@cd "$(ROOT)" && if [ -e fixtures/releases.toml ]; then bin/freeze check; fi
	@cd "$(ROOT)" && bin/freeze --quiet --dry-run HEAD

read: setup build ## every release and today's code on what every release left: as recorded
	@echo "check: read"
	@cd "$(ROOT)" && if [ -e fixtures/releases.toml ]; then bin/freeze --quiet read --matrix --check >/dev/null; fi

# The suites below contracts/ read and compare; the harness they share is raced.
test: ## the tests, with the race detector; what they need is not skipped
	@echo "check: test -race"
	@command -v npm >/dev/null && command -v node >/dev/null || echo "check: NOT TESTED: the provider npm, since npm or node is not on this machine" >&2
	@cd "$(ROOT)" && PERMAFROST_CHECK=1 go test -race -timeout 45m $$(go list ./... | grep -v '/contracts/')
	@echo "check: test examples/ci"
	@cd "$(ROOT)" && go -C examples/ci test ./...
	@echo "check: test contracts"
	@cd "$(ROOT)" && PERMAFROST_CHECK=1 go test -timeout 45m $$(go list ./contracts/... | grep '/contracts/')

# Go now and then reports the end of the time as a failure, with no input that
# fails: the target is tried again then.
fuzz: ## every fuzz target for FUZZTIME
	@cd "$(ROOT)" && git grep --untracked -o '^func Fuzz[A-Za-z0-9]*' -- '*_test.go' | while IFS=: read -r file func; do \
		for try in 1 2 3; do \
			said=$$(go test -run '^$$' -fuzz "^$${func#func }$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 20x "./$$(dirname "$$file")" 2>&1) && ok=0 || ok=$$?; \
			printf '%s\n' "$$said"; \
			[ $$ok -ne 0 ] || break; \
			case "$$try $$said" in 3*|*"Failing input"*) exit 1 ;; *"context deadline exceeded"*) ;; *) exit 1 ;; esac; \
		done; \
	done

regressions: setup build ## every regression is caught by the assertion meant for it
	@echo "check: mutate"
	@cd "$(ROOT)" && bin/freeze --quiet mutate

# The commit is the seed: each draws others, and one draws the same again.
sample: setup build ## mutants of the readers, as many as two minutes allow, are caught
	@echo "check: mutate --generated"
	@cd "$(ROOT)" && bin/freeze --quiet mutate --generated --sample 300 --for 2m --steady 1 --seed $$(printf %d 0x$$(git rev-parse --short=12 HEAD))

mutate: regressions ## and every mutant of the readers is caught, or listed with a reason
	@cd "$(ROOT)" && bin/freeze mutate --generated

report: build ## bin/report.html, and in it which regressions are caught
	@cd "$(ROOT)" && { bin/freeze mutate --json >bin/mutate.json || true; } && bin/freeze report --mutate bin/mutate.json --output bin/report.html

# Its tests have a tag of their own, since the library that drives the browser
# takes long to compile.
check-report: ## a real browser shows the report as it should be
	@echo "check: report in a browser"
	@command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || "$(ROOT)/internal/setup/setup.sh" chromium
	@cd "$(ROOT)" && go vet -tags browser ./freeze/report && go tool staticcheck -tags browser -checks inherit,ST1000 ./freeze/report
	@cd "$(ROOT)" && go test -tags browser -run Browser -count=1 ./freeze/report

bench: setup ## measure what the documentation claims
	@cd "$(ROOT)" && CGO_ENABLED=0 go test -run '^$$' -bench '$(BENCH)' -benchmem ./...
