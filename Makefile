# Two targets do everything on a fresh machine with Go and git:
#   make freeze   freezes the newest release again and shows the result
#   make check    everything that CI runs, and the only list of it
SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: help setup build install freeze check bench lint vet test fixtures fuzz clean

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
	@sed -n 's/^\([a-z]*\):.*## /make \1\t/p' "$(ROOT)/Makefile"

setup: ## install what is missing: tmux, and for the tests a C compiler and python3
	@"$(ROOT)/internal/setup/setup.sh" tmux

build: ## bin/freeze and bin/stint
	@cd "$(ROOT)" && go build -trimpath -o bin/ ./cmd/...

install: ## freeze and stint into GOBIN
	@cd "$(ROOT)" && go install -trimpath ./cmd/...
