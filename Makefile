PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# Tests start many processes, which share compiled bytecode.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: frontend setup demo test floors release lock sbom fabric-test ethernet-test lanes-load browser-test lint types docs docs-check bench bounds campaign mutants proofs clean

setup: $(STAMP)

# The stamp names the files that decide what is installed: nothing is reinstalled until one of them changes.
# uv takes a third of the time of pip, but reads no settings of pip; where uv fails, pip installs with them.
# Bytecode of libraries is made where they are imported: that of all modules takes longer than to install them.
INSTALLED := --only-binary numba,numpy,scipy,ortools,matplotlib,pydantic-core --editable '.[dev]'
$(STAMP): pyproject.toml
	@echo "== setting up $(VENV) (once)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --disable-pip-version-check --only-binary :all: --quiet uv && \
		$(BIN)/uv pip install --python $(BIN)/python $(INSTALLED) || \
		$(BIN)/python -m pip install --disable-pip-version-check --no-compile $(INSTALLED)
	@touch $(STAMP)

demo: $(STAMP)
	$(BIN)/python examples/demo.py

lint: $(STAMP)
	$(BIN)/ruff check src tests examples benchmarks docs release_version.py hatch_build.py
	$(BIN)/ruff format --check src tests examples benchmarks docs release_version.py hatch_build.py
	$(BIN)/python -m tests.ratchets

types: $(STAMP)
	$(BIN)/mypy

# With CHANGED=1 the tests nearest to what differs from BASE (HEAD), within 25 s of processor time.
BASE ?= HEAD
ifdef CHANGED
test: $(STAMP)
	$(BIN)/ruff check --quiet src tests examples benchmarks docs release_version.py
	$(BIN)/python -m tests.changed --base $(BASE)
else
test: lint types docs-check
	$(BIN)/pytest -n auto --dist loadfile
endif

# Every page read and every reference followed, nothing executed and no page drawn: a warning is an error.
docs-check: $(STAMP)
	UNKNOT_DOCS_EXECUTE=no $(BIN)/sphinx-build -b dummy -n -W --keep-going -q docs docs/_build/check

# The site in docs/_build/html: tutorials and pictures are run, and kept until they change; then tried (docs/_ext/tried.py).
# It is built from nothing, as pages that are gone would stay, and be found by the search.
docs: $(STAMP)
	@rm -rf docs/_build/html
	$(BIN)/sphinx-build -b html -n -W --keep-going docs docs/_build/html
	$(BIN)/python docs/_ext/tried.py docs/_build/html

# The loop with the real OpenSM on simulated fabrics. Installs nothing; says which Debian packages are missing.
fabric-test: $(STAMP)
	$(BIN)/python -m tests.fabric_loop $(FABRICS)

# Ethernet fabrics run by the real FRR in network namespaces, links taken down. Needs root; says what is missing.
ethernet-test: $(STAMP)
	$(BIN)/python -m tests.ethernet_loop $(FABRICS)

# Lanes, loads and saturation of 40 networks beside the real OpenSM. Says which Debian packages are missing.
lanes-load: $(STAMP)
	$(BIN)/python -m benchmarks.lanes_load --simulate

# The front end of the playground, from its sources; needs Node.js and npm. The built files are part of the repository.
frontend:
	cd frontend && npm ci --ignore-scripts=false && npm run lint && npm run build

# Evidence for checkers that are not ours: Coq, drat-trim, lrat-check, cake_lpr. Installs nothing; says which are missing.
proofs: $(STAMP)
	$(BIN)/python -m tests.proofs

# Pages in headless Chromium; pictures of them in reports/browser. Installs nothing; says what is missing.
browser-test: $(STAMP)
	$(BIN)/pytest -m browser tests/browser -rs

# Fabrics of 1,000 end points too, kept row by row: what was stopped goes on, also after a kill.
campaign: $(STAMP)
	@mkdir -p reports
	$(BIN)/python examples/cluster.py --huge --store reports/cluster.sqlite --out reports/cluster.html
	$(BIN)/pytest -m campaign
	$(BIN)/pytest --hypothesis-profile campaign

# The oldest versions that pyproject.toml names, in an environment of their own, and commands tried with them.
FLOORS := .venv-floors
floors: $(FLOORS)/.installed
	$(PYTHON) -m tests.floors $(CURDIR)/$(FLOORS)/bin/python

$(FLOORS)/.installed: pyproject.toml tests/floors.py
	@test -x $(FLOORS)/bin/python || $(PYTHON) -m venv $(FLOORS)
	$(PYTHON) -m tests.floors > $(FLOORS)/constraints.txt
	$(FLOORS)/bin/python -m pip install --disable-pip-version-check --quiet --only-binary :all: --no-binary unknot \
		--constraint $(FLOORS)/constraints.txt --editable '.[solving,plotting,data]'
	@touch $@

# Wheel and sdist, built, installed and tried on every Python that is found, with the newest dependencies.
release: $(STAMP)
	$(BIN)/python -m tests.release $(TAG)

# Exact versions of everything that development installs, with hashes: pip install --require-hashes -r requirements-dev.txt
lock: $(STAMP)
	$(BIN)/uv pip compile --quiet --extra dev --only-binary :all: --generate-hashes --no-header --no-annotate --no-config \
		--universal --python-version 3.11 --output-file requirements-dev.txt pyproject.toml

# What an installation consists of, in the form of CycloneDX.
sbom: $(STAMP)
	@mkdir -p reports
	$(BIN)/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible --output-file reports/sbom.json $(BIN)/python

# Single faults in functions, and the tests that ought to notice: make mutants GROUPS="verify certificates" SECONDS=300 SEED=1
GROUPS ?=
SECONDS ?= 600
mutants: $(STAMP)
	$(BIN)/python -m tests.mutation $(GROUPS) --seconds $(SECONDS) $(if $(SEED),--seed $(SEED))

# Every index checked, in kernels compiled for that alone: a wrong one is an error and not another memory cell.
bounds: $(STAMP)
	NUMBA_BOUNDSCHECK=1 $(BIN)/pytest -n auto tests/simulation

bench: $(STAMP)
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) $(FLOORS) reports docs/_build docs/reference/api docs/reference/commands docs/pictures .pytest_cache .mypy_cache .ruff_cache
