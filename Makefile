# make demo | test | fuzz | validate | bench | docs | plan | wheel | lint | lock | clean
# Everything runs in .venv, which these rules create from the lock files; only Python, pip and make are needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q

.PHONY: demo test fuzz validate bench docs plan wheel fresh-wheel lint lock clean

demo: $(VENV)/.run
	$(BIN)/ropewalk demo --out out/demo

test: $(VENV)/.dev lint
	$(BIN)/python -m pytest

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# random systems by every method that claims them: make fuzz N=10000 SEED=1 KIND=--auto (a new seed, printed, if none is given)
N ?= 1000
fuzz: $(VENV)/.dev
	$(BIN)/python tests/agreement/fuzz.py --cases $(N) $(KIND) $(if $(SEED),--seed $(SEED)) --keep out/fuzz

validate: $(VENV)/.dev fresh-wheel
	$(BIN)/python -m pytest -m slow
	$(BIN)/python docs/validation_plots.py
	$(BIN)/python docs/gallery_plots.py
	$(BIN)/python docs/readme_picture.py

bench: $(VENV)/.dev
	$(BIN)/python -m benchmarks

# the list of kernels that a first use compiles on all cores (src/ropewalk/numerics/kernel_plan.json)
plan: $(VENV)/.dev
	$(BIN)/python -c "from ropewalk.analysis.warmup import record_plan; record_plan()"

# a wheel with kernels compiled for x86-64-v3, in out/; on other processors, or with another numba, they compile as usual
SHIPPED := src/ropewalk/kernels
wheel: $(VENV)/.dev
	rm -rf $(SHIPPED) out/ropewalk-*.whl
	NUMBA_CPU_NAME=x86-64-v3 NUMBA_CPU_FEATURES= ROPEWALK_CACHE=$(CURDIR)/$(SHIPPED) $(BIN)/ropewalk warmup
	NUMBA_CPU_NAME=x86-64-v3 NUMBA_CPU_FEATURES= ROPEWALK_CACHE=$(CURDIR)/$(SHIPPED) $(BIN)/ropewalk demo --duration 2 --out out/shipped
	rm -f $(SHIPPED)/prepared-*
	$(PIP) wheel --no-deps --no-build-isolation -w out . ; status=$$? ; rm -rf $(SHIPPED) ; exit $$status

# the wheel in an environment of its own: a demo, after which the cache must be empty
fresh-wheel: wheel
	rm -rf out/fresh && $(PYTHON) -m venv out/fresh
	out/fresh/bin/python -m pip --disable-pip-version-check -q install -r requirements.lock out/ropewalk-*.whl
	cd out && ROPEWALK_CACHE=$(CURDIR)/out/fresh/kernels fresh/bin/ropewalk demo --duration 2 --out fresh/demo
	test -z "$$(find out/fresh/kernels -name '*.kernel')"

docs: $(VENV)/.dev
	$(BIN)/sphinx-build -W --keep-going -b html docs docs/_build/html

# new pins: needs uv (pip install uv); the files name no registry
lock:
	uv pip compile --universal --python-version 3.11 --no-header --no-annotate --extra plot --extra build pyproject.toml -o requirements.lock
	uv pip compile --universal --python-version 3.11 --no-header --no-annotate --extra dev -c requirements.lock pyproject.toml -o requirements-dev.lock

clean:
	rm -rf $(VENV) out docs/_build docs/generated

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: requirements.lock pyproject.toml | $(BIN)/python
	$(PIP) install -r requirements.lock
	$(PIP) install --no-deps --no-build-isolation -e .
	touch $@

$(VENV)/.dev: requirements-dev.lock pyproject.toml | $(BIN)/python
	$(PIP) install -r requirements-dev.lock
	$(PIP) install --no-deps --no-build-isolation -e .
	touch $@ $(VENV)/.run
