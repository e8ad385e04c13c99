# Every target does its own set-up: Python 3.11 or later and make are all that is needed.
# The environment is made once, in .venv, and again only when pyproject.toml or constraints.txt change.

# The first of these that is Python 3.11 or later; or say make PYTHON=/path/to/python.
PYTHON ?= python3 python3.13 python3.12 python3.11 python
PYTEST_ARGS ?= -n auto --dist worksteal
BENCH_ARGS ?=
NET ?= now
NET_ARGS ?= HEAD
FUZZ_ARGS ?=
MUTANTS_ARGS ?=
CONFORMANCE_ARGS ?=

# Paths are relative, so that a folder with spaces in its name works too.
PROGRAM := .venv/.program
READY := .venv/.ready
RUN := .venv/bin/python -m
# Hundreds of tests start Python: the package is compiled once, whatever the environment says, not by each of them.
test test-long test-all test-quick check-docs: export PYTHONDONTWRITEBYTECODE =
# Kernels are compiled once too, for all workers and until a source of kernels changes: Numba itself looks at the
# file of a loop only, not at those of its helpers.
test test-long test-all test-quick: export NUMBA_CACHE_DIR = $(CURDIR)/build/numba/$(shell cat src/steelyard/kernels/*.py | cksum | cut -d " " -f 1)
AXE := build/axe/axe.min.js
PEERS := $(patsubst conformance/peers/%.txt,build/peers/%/.ready,$(wildcard conformance/peers/*.txt))
LIST_PEERS := $(patsubst %,build/peers/%/.ready,evidently recommenders rectools replay)

.DEFAULT_GOAL := help
.PHONY: help demo picture test test-long test-all test-quick check check-format check-lint check-types check-imports check-data check-docs docs test-pythons bench fuzz mutants net net-check conformance format clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | while IFS='	' read -r name text; do printf '  make %-14s %s\n' "$$name" "$$text"; done

demo: $(PROGRAM) ## simulate a small film shop in build/demo and evaluate three recommenders on it
	@$(RUN) steelyard demo build/demo

picture: demo ## draw the report of the demonstration for the README (needs Chromium)
	@sh tools/picture.sh build/demo/report.html docs/report.png

test: $(READY) $(AXE) ## the tests, doctests included, in 6 minutes on two cores (PYTEST_ARGS="-k ndcg" for a part)
	@$(RUN) pytest -q -m "not peers and not long" $(PYTEST_ARGS)

test-long: $(READY) $(AXE) ## what `make test` leaves out and needs no peer library: all products of parameters, a longer fuzz
	@$(RUN) pytest -q -m "long and not peers" --hypothesis-profile=all $(PYTEST_ARGS)
	@$(RUN) tests.fuzz --cases 20000 $(FUZZ_ARGS)

test-all: $(READY) $(AXE) $(LIST_PEERS) ## all tests with more examples, live peer libraries (2 GB of environments) and a long fuzz
	@$(RUN) pytest -q --hypothesis-profile=all $(PYTEST_ARGS)
	@$(RUN) tests.fuzz --cases 100000 $(FUZZ_ARGS)

test-quick: $(READY) ## the tests to run while writing: every metric, every reader, the laws with few examples (a minute)
	@$(RUN) pytest -q -m "not peers and not long" $(PYTEST_ARGS) @tests/quick.txt

check: check-format check-lint check-types check-imports check-data check-docs ## format, lint, types, import contract, editions and messages, docs

check-format: $(READY)
	@$(RUN) ruff format --check --quiet . || { echo "make format puts that right" >&2; exit 1; }

check-lint: $(READY)
	@$(RUN) ruff check --quiet .

check-types: $(READY)
	@$(RUN) mypy

check-imports: $(READY)
	@.venv/bin/lint-imports --no-logo

check-data: $(READY)
	@.venv/bin/python tools/profiles.py
	@.venv/bin/python tools/messages.py

check-docs: $(READY)
	@.venv/bin/python tools/docs.py --check

docs: $(READY) ## write the generated parts of the documentation anew
	@.venv/bin/python tools/docs.py

test-pythons: ## smoke tests on Python 3.12 and 3.13, and with the lowest versions of the dependencies
	@sh tools/test_pythons.sh

bench: $(READY) $(LIST_PEERS) build/peers/ranx/.ready ## speed and memory, against the peers
	@$(RUN) bench $(BENCH_ARGS)

fuzz: $(READY) ## a million odd inputs, none of which may end in a traceback (FUZZ_ARGS="--cases 10000 --seed 7")
	@$(RUN) tests.fuzz $(FUZZ_ARGS)

mutants: $(READY) ## plant 60 small faults in the source and count those that the tests catch (MUTANTS_ARGS="--seed 7")
	@.venv/bin/python tools/mutants.py $(MUTANTS_ARGS)

net: $(READY) ## keep the answers of some hundred evaluations in build/net, to be compared with others (NET=before)
	@.venv/bin/python tools/net write build/net/$(NET)

net-check: $(READY) ## compare the answers of the working tree with those of a commit (NET_ARGS="main --numbers")
	@.venv/bin/python tools/net check $(NET_ARGS)

conformance: $(READY) $(PEERS) ## every profile against its library, each in an environment of its own; keeps the answers
	@$(RUN) conformance $(CONFORMANCE_ARGS)

format: $(READY) ## put the code into the project's form
	@$(RUN) ruff check --quiet --fix-only .
	@$(RUN) ruff format .

clean: ## remove the environment, builds and caches
	@rm -rf .venv build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The demo needs the program only; everything else adds the development tools to the same environment.
$(PROGRAM): pyproject.toml constraints.txt
	@sh tools/venv.sh .venv "$(PYTHON)" constraints.txt report
	@touch $@

$(READY): pyproject.toml constraints.txt
	@sh tools/venv.sh .venv "$(PYTHON)" constraints.txt dev
	@touch $(PROGRAM) $@

$(AXE): tools/axe.sh
	@sh tools/axe.sh $@

# The peers want other versions than this project, and than each other: each has an environment of its own.
build/peers/%/.ready: conformance/peers/%.txt tools/peers.sh | $(READY)
	@sh tools/peers.sh .venv/bin/python $*
