# A handful of verbs. `make` alone lists them; `make demo` and `make test` need
# nothing installed but Python 3.11 or newer, make and a package index.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OLDEST_VENV := .venv-oldest
FIELD_VENV := .venv-field
NAME :=
ARGS :=
FIELD_ARGS ?= --quick --out field
INSTALL_ARGS ?=
GOLDENS_ARGS ?=
PYTEST_ARGS ?=
SPHINX_ARGS ?=

# Small matrices: more BLAS threads than test processes only slow each other down.
export OMP_NUM_THREADS ?= 1
export OPENBLAS_NUM_THREADS ?= 1
export MPLBACKEND ?= Agg
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# Tests write thousands of small files. If Linux offers two gigabytes of memory as a folder, they write there.
IN_MEMORY := $(shell df -Pk /dev/shm 2> /dev/null | awk '$$6 == "/dev/shm" && $$4 > 2000000 { print $$6 }')
TEST := TMPDIR=$(or $(IN_MEMORY),$(TMPDIR))

.DEFAULT_GOAL := help
.PHONY: help demo test test-browser test-slow test-oldest test-install goldens lint format docs reproduce bench study field lock clean

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/.ready ## set up, then run every method on built-in data (results in demo-output/)
	@echo "== Running the demo"
	@$(BIN)/unlabeled demo --out demo-output

test: $(VENV)/.ready ## set up, then run the tests and the docstring examples
	@echo "== Running the tests on two processes (warnings are errors)"
	@$(TEST) $(BIN)/python -m pytest -n 2 --dist worksteal -rsfE --ignore tests/browser --ignore tests/docs $(PYTEST_ARGS)
	@echo "== Running the tests of arrays of other libraries, which SciPy must be told of first"
	@$(TEST) SCIPY_ARRAY_API=1 $(BIN)/python -m pytest -n 2 -rsfE tests/array_api

# With the browser there, a test that is skipped has failed.
test-browser: $(VENV)/.ready ## test the HTML pages in a Chromium (installs Debian's if there is none)
	@{ $(find_chromium); } > /dev/null || { $(install_chromium); }
	@echo "== Testing the HTML pages in a browser"
	@UNLABELED_NEEDS_BROWSER=1 $(BIN)/python -m pytest -rsfE tests/browser $(PYTEST_ARGS)

test-slow: $(VENV)/.ready ## run the statistical tests (at most 30 minutes)
	@echo "== Running the slow, statistical tests"
	@$(BIN)/python -m pytest -n 2 --dist worksteal -rsfE -m slow --durations 10 tests $(PYTEST_ARGS)

# Docstring examples are left out: they print numbers as the newest NumPy does. So are the benchmarks,
# which are run on the newest versions, arrays of other libraries, which need scikit-learn 1.8, and the
# pages in a browser, which need a newer Playwright.
test-oldest: $(OLDEST_VENV)/.ready ## run the tests on the oldest supported versions (Python 3.11)
	@echo "== Running the tests on the oldest supported versions"
	@$(OLDEST_VENV)/bin/python -c 'import numpy, scipy, sklearn; print("numpy", numpy.__version__, "| scipy", scipy.__version__, "| scikit-learn", sklearn.__version__)'
	@$(TEST) $(OLDEST_VENV)/bin/python -m pytest -n 2 --dist worksteal -rsfE tests --ignore=tests/benchmarks --ignore=tests/browser $(PYTEST_ARGS)

# The device is PyTorch's CPU if PyTorch is installed; else a sentence says which cases were left out.
goldens: $(VENV)/.ready ## compare 60 000 numbers with those of 0.2.0 (a minute; GOLDENS_ARGS="--only audit")
	@echo "== Computing the goldens"
	@SCIPY_ARRAY_API=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tests.goldens $(GOLDENS_ARGS)

# INSTALL_ARGS="--extra dask" looks at one extra only.
test-install: $(VENV)/.ready ## build wheel and source, install and use the wheel with each extra (minutes)
	@echo "== Building the distributions; using the wheel in empty environments (warnings are errors)"
	@$(BIN)/python -m tests.install $(INSTALL_ARGS)

lint: $(VENV)/.ready ## check style (ruff) and types (mypy)
	@echo "== Checking style and types"
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

format: $(VENV)/.ready ## rewrite the files in the project's style
	@$(BIN)/ruff check --fix-only --quiet .
	@$(BIN)/ruff format .

# Every page is read afresh (-E): a page that was read before would not warn again.
docs: $(VENV)/.ready ## build the documentation (warnings are errors), then run what its pages show
	@echo "== Building the documentation"
	@rm -rf docs/reference/generated
	@$(BIN)/python -m sphinx -b html -E -W --keep-going -q -d docs/_build/doctrees $(SPHINX_ARGS) docs docs/_build/html
	@echo "== Running what the pages show"
	@$(BIN)/python -m pytest -n 2 --dist worksteal -rsfE tests/docs $(PYTEST_ARGS)
	@echo "The documentation is in docs/_build/html/index.html"

reproduce: $(VENV)/.ready ## repeat a small version of the paper's studies (results in reproduced/)
	@echo "== Repeating the paper's studies, the quick version (two minutes)"
	@$(BIN)/python -m reproduction --quick --out reproduced

# The last two make 20 million rows, and the ensemble's largest table has a million: UNLABELED_BENCH_ROWS=100000 makes
# fewer. Rows made in UNLABELED_BENCH_FOLDER stay there. Other packages' methods are timed where `make field` has put them;
# else a sentence says so.
bench: $(VENV)/.ready ## time every method on one thread, some on two, beside others' where installed
	@echo "== Running the benchmarks"
	@OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.timings
	@OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 \
		$(if $(wildcard $(FIELD_VENV)/.ready),$(FIELD_VENV),$(VENV))/bin/python -m benchmarks.timings.against_pulearn

# It goes on where it stopped, and writes records and page into docs/NAME. ARGS=--page-only measures nothing. Before a
# release, ARGS="--again 3" measures three recorded cells of every file again and says which numbers this version makes
# differently; records that differ are removed, and measured again.
study: $(VENV)/.ready ## measure what a page of the documentation shows (NAME=audit; without NAME: the list, with costs)
	@$(BIN)/python -m benchmarks $(NAME) $(ARGS)

# The peers are no dependencies of the project: they have an environment of their own.
field: $(FIELD_VENV)/.ready ## compare with other packages (FIELD_ARGS; a small version in field/)
	@echo "== Comparing with the field: python -m benchmarks.field $(FIELD_ARGS)"
	@$(FIELD_VENV)/bin/python -m benchmarks.field $(FIELD_ARGS)

lock: $(VENV)/.ready ## renew the pinned versions in requirements/
	@echo "== Renewing requirements/"
	@$(BIN)/python -m pip install --quiet uv
	@$(BIN)/uv pip compile --quiet pyproject.toml --extra test --extra boosters --extra lint --extra docs --extra array-api --upgrade \
		--universal --python-version 3.11 --no-header -o requirements/dev.txt
	@$(BIN)/uv pip compile --quiet pyproject.toml --extra test --upgrade \
		--resolution lowest-direct --constraint requirements/oldest-constraints.txt \
		--python-version 3.11 --no-header -o requirements/oldest.txt
	@$(BIN)/uv pip compile --quiet pyproject.toml requirements/field.in --extra plots --upgrade \
		--universal --python-version 3.11 --no-header --no-annotate \
		| grep -vE '^(nvidia|cuda|triton)' > requirements/field.txt

clean: ## remove the environments and everything built
	rm -rf $(VENV) $(OLDEST_VENV) $(FIELD_VENV) demo-output reproduced docs/_build docs/auto_examples docs/gen_modules \
		docs/reference/generated docs/sg_execution_times.rst build dist

# An environment is ready when its stamp is there and newer than what it was made from.
# The stamp goes first and comes back last, so an interrupted set-up starts afresh.
$(VENV)/.ready: pyproject.toml requirements/dev.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "unlabeled needs Python 3.11 or newer: run make with PYTHON=/path/to/python3.11 (found: $$($(PYTHON) --version 2>&1 | head -n 1))."; exit 1; }
	$(call set_up,$(VENV),requirements/dev.txt)

$(OLDEST_VENV)/.ready: pyproject.toml requirements/oldest.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null || { \
		echo "The oldest supported versions need Python 3.11: run make with PYTHON=/path/to/python3.11 (found: $$($(PYTHON) --version 2>&1 | head -n 1))."; exit 1; }
	$(call set_up,$(OLDEST_VENV),requirements/oldest.txt)

$(FIELD_VENV)/.ready: pyproject.toml requirements/field.txt
	$(call set_up,$(FIELD_VENV),requirements/field.txt)

find_chromium = command -v chromium || command -v chromium-browser || command -v google-chrome

define install_chromium
	echo "== Installing Debian's Chromium"; \
	as_root=sudo; if [ "$$(id -u)" -eq 0 ]; then as_root=env; fi; \
	if ! { command -v apt-get && command -v $$as_root; } > /dev/null; then \
		echo "The tests need a Chromium, and installing one needs apt-get and root or sudo:"; \
		echo "install chromium, then run make test-browser again."; exit 1; fi; \
	$$as_root apt-get update -qq; \
	$$as_root apt-get install -y -qq --no-install-recommends chromium
endef

define set_up
	@if [ -e $(1)/.ready ]; then echo "== Updating the environment $(1)"; rm -f $(1)/.ready; \
	else echo "== Creating the environment $(1)"; $(PYTHON) -m venv --clear $(1); fi
	@echo "== Installing the versions pinned in $(2) (a minute or two the first time)"
	@$(1)/bin/python -m pip install --quiet --requirement $(2)
	@echo "== Installing unlabeled itself, editable"
	@$(1)/bin/python -m pip install --quiet --no-deps --editable .
	@touch $(1)/.ready
endef
