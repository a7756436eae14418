.PHONY: setup dev dev-venv dev-python dev-ui python run test quick nightly coverage programs check check-python check-ui fix \
	bench ui agent screenshots openapi lock

# Checks and tests start hundreds of processes, which share their compiled files.
export PYTHONDONTWRITEBYTECODE =

# One worker more than there are cores, since many tests wait for something.
WORKERS = $$(($$(nproc) + 1))
PYTEST = .venv/bin/pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

setup: python
	@python3 scripts/setup.py

dev: python
	@python3 scripts/setup.py --dev

# The parts of `dev`, so that the checks of each language start as soon as it is ready.
dev-venv: python
	@python3 scripts/setup.py --dev venv

dev-python: dev-venv
	@python3 scripts/setup.py --dev python

dev-ui: dev-venv
	@python3 scripts/setup.py --dev ui

python:
	@python3 -c 'import sys; sys.exit("Quartet needs Python 3.11 or newer" if sys.version_info < (3, 11) else 0)'

run: setup
	@.venv/bin/quartet serve --demo

programs:
	@python3 scripts/system_programs.py

test: programs check
	$(PYTEST)

# Everything but the browser, Syncthing, kill loops and the slowest tests.
quick: dev
	$(PYTEST) -m "not browser and not engines and not kill and not slow"

# The whole suite with the full numbers of kill rounds, generated examples and looks.
nightly: programs check
	QUARTET_TEST_NIGHTLY=1 $(PYTEST) --timeout 1800

coverage: dev programs
	.venv/bin/coverage erase
	.venv/bin/coverage run -m pytest -n $(WORKERS) --dist loadfile -m "not browser"
	.venv/bin/coverage combine --quiet
	.venv/bin/coverage report
	.venv/bin/coverage html --quiet --directory build/coverage

check: dev-venv
	@$(MAKE) --no-print-directory --output-sync=target -j2 check-python check-ui

check-python: dev-python
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/lint-imports
	.venv/bin/python scripts/check_texts.py
	.venv/bin/python scripts/openapi.py --check
	.venv/bin/python scripts/configuration_page.py --check

check-ui: dev-ui
	python3 scripts/npm.py run --silent check
	python3 scripts/npm.py test --silent

# Formats the code and applies automatic fixes.
fix: dev
	.venv/bin/ruff check --fix .
	.venv/bin/ruff format .
	python3 scripts/npm.py run --silent format
	test ! -f eslint.config.js || python3 scripts/npm.py exec -- eslint --fix ui

bench: dev
	.venv/bin/python -m bench

ui: dev
	python3 scripts/npm.py run --silent build

# One file for devices that have nothing but Python.
agent: dev
	.venv/bin/python scripts/agent.py

screenshots: ui
	.venv/bin/python -m scripts.screenshots

openapi: dev
	.venv/bin/python scripts/openapi.py

# Resolves new versions of everything: review the difference, run the tests, commit.
lock: dev
	.venv/bin/python scripts/lock.py
