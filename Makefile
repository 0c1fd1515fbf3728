# Two commands do all the set-up on a fresh machine: `make demo` and `make test`.

PYTHON ?= python3
BIN := .venv/bin
# `constraints-lowest.txt` installs the lower bounds instead.
CONSTRAINTS ?= constraints.txt
PIP := $(BIN)/python -m pip install --quiet --constraint $(CONSTRAINTS)
CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/laconic
# Kept outside the checkout, so a clean checkout does not compile the kernels again. Raise the
# number when a NamedTuple of a kernel is renamed: numba cannot read an index with the old name.
export NUMBA_CACHE_DIR ?= $(CACHE)/numba-5
# Bytecode is always written: the tests start many processes, and pytest compiles its assertions.
unexport PYTHONDONTWRITEBYTECODE
# Corpora beside the checkout are used; without them, or LACONIC_DATA, their tests are skipped.
ifneq ($(wildcard ../shared/data),)
export LACONIC_DATA ?= $(abspath ../shared/data)
endif
WORKERS ?= 2
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1

.DEFAULT_GOAL := help
.PHONY: help demo test test-fast test-slow lint format bench clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

demo: .venv/.installed ## install, run a study of the embedded corpus, print where the result is
	@$(BIN)/laconic corpus pydocs
	@$(BIN)/laconic study pydocs --stem porter --stop-words english -o out/pydocs

test: .venv/.tested ## install the test dependencies, run the tests
	$(ONE_THREAD) $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

test-fast: .venv/.tested ## run one case of each quick test, in under a minute
	$(ONE_THREAD) $(BIN)/python -m pytest --fast -n $(WORKERS) --dist worksteal

test-slow: .venv/.tested-slowly ## run the long tests
	$(ONE_THREAD) $(BIN)/python -m pytest -m slow

lint: .venv/.linted ## check style, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

format: .venv/.linted ## format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: .venv/.benched ## measure speed ratios to peers, write docs/benchmarks.md
	@$(ONE_THREAD) $(BIN)/python -m bench --write docs/benchmarks.md

PAPERS := dasgupta2007 keerthi2005 kolcz2007 paul2014 torkkola
.PHONY: reproduce-quick
reproduce-quick: .venv/.reproducing ## run every paper's figures at a small scale, with verdicts, in out/quick
	@failed=0; for paper in $(PAPERS); do \
	  $(ONE_THREAD) $(BIN)/python -m reproduction $$paper -o out/quick || failed=1; done; \
	echo "pages: out/quick/*.md and out/quick/*.html"; exit $$failed

.PHONY: frontier
frontier: .venv/.benched ## measure quality against words and bytes, write docs/frontier.md; two hours
	@$(ONE_THREAD) $(BIN)/python -m bench.frontier --write docs/frontier.md

.PHONY: docs
docs: .venv/.installed ## write the reference, docs/api, from the docstrings
	@$(BIN)/python docs/make_api.py

clean: ## remove the environment and all outputs
	rm -rf .venv out build .pytest_cache .mypy_cache .ruff_cache .hypothesis

.venv/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Laconic needs Python 3.11 or newer; $(PYTHON) is older. Use: make PYTHON=python3.11 ..."; exit 1; }
	@echo "creating .venv"
	@$(PYTHON) -m venv .venv
	@touch $@

.venv/.installed: .venv/.created pyproject.toml $(CONSTRAINTS)
	@echo "installing Laconic and its dependencies into .venv"
	@$(PIP) --editable .
	@touch $@

.venv/.tested: .venv/.created pyproject.toml $(CONSTRAINTS)
	@echo "installing Laconic and its test dependencies into .venv"
	@$(PIP) --editable '.[test]'
	@touch $@ .venv/.installed

.venv/.tested-slowly: .venv/.tested pyproject.toml $(CONSTRAINTS)
	@echo "installing the dependencies of the long tests into .venv"
	@$(PIP) --editable '.[slow]'
	@touch $@

# Torkkola's stop words are SMART's, which are in a separate package.
.venv/.reproducing: .venv/.created pyproject.toml $(CONSTRAINTS)
	@echo "installing Laconic and the dependencies of the papers' experiments into .venv"
	@$(PIP) --editable '.[smart]'
	@touch $@ .venv/.installed

# Peers that cannot be installed are skipped by the benchmarks.
.venv/.benched: .venv/.tested bench/requirements.txt
	@echo "installing the benchmark competitors into .venv"
	@$(PIP) --requirement bench/requirements.txt || echo "some benchmark competitors could not be installed and are skipped"
	@touch $@

.venv/.linted: .venv/.created pyproject.toml $(CONSTRAINTS)
	@echo "installing the linters into .venv"
	@$(PIP) --editable '.[test,lint]'
	@touch $@ .venv/.tested .venv/.installed
