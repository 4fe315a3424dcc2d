PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# Tests start many processes, which share compiled bytecode.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup demo test fabric-test lint types bench bounds campaign mutants proofs clean

setup: $(STAMP)

# The stamp names the files that decide what is installed: nothing is reinstalled until one of them changes.
$(STAMP): pyproject.toml
	@echo "== setting up $(VENV) (once)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --disable-pip-version-check --only-binary :all: --progress-bar on --upgrade pip
	$(BIN)/python -m pip install --disable-pip-version-check --only-binary numba,numpy,scipy,ortools,matplotlib,pydantic-core --editable '.[dev]'
	@touch $(STAMP)

demo: $(STAMP)
	$(BIN)/python examples/demo.py

lint: $(STAMP)
	$(BIN)/ruff check src tests examples benchmarks
	$(BIN)/ruff format --check src tests examples benchmarks

types: $(STAMP)
	$(BIN)/mypy

test: lint types
	$(BIN)/pytest -n auto

# The loop with the real OpenSM on simulated fabrics. Installs nothing; says which Debian packages are missing.
fabric-test: $(STAMP)
	$(BIN)/python -m tests.fabric_loop $(FABRICS)

# Evidence for checkers that are not ours: Coq, drat-trim, lrat-check, cake_lpr. Installs nothing; says which are missing.
proofs: $(STAMP)
	$(BIN)/python -m tests.proofs

campaign: $(STAMP)
	$(BIN)/pytest -m campaign

# Single faults in functions, and the tests that ought to notice: make mutants GROUPS="verify checker" SECONDS=300 SEED=1
GROUPS ?=
SECONDS ?= 600
mutants: $(STAMP)
	$(BIN)/python -m tests.mutation $(GROUPS) --seconds $(SECONDS) $(if $(SEED),--seed $(SEED))

# Every index checked, in kernels compiled for that alone: a wrong one is an error and not another memory cell.
bounds: $(STAMP)
	rm -rf reports/bounds
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(CURDIR)/reports/bounds $(BIN)/pytest -n auto tests/simulation

bench: $(STAMP)
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) reports .pytest_cache .mypy_cache .ruff_cache
