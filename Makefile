.PHONY: setup dev dev-venv dev-python dev-ui python run programs test tests nightly-tests quick timings nightly \
	coverage check check-python check-ui check-ui-types ui-types compiled-tests fix bench ui agent standalone \
	screenshots openapi lock pipeline docs

# Checks and tests start hundreds of processes, which share their compiled files.
export PYTHONDONTWRITEBYTECODE =

# More workers than cores, since many tests wait for something.
WORKERS = $$(($$(nproc) * 2 + 1))
PYTEST = .venv/bin/pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder
PARALLEL = $(MAKE) --no-print-directory --output-sync=target -j$(WORKERS)
CHECKS = check-python check-ui check-ui-types
# The checks use the time in which tests wait.
LATER = nice -n 10

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
	@python3 scripts/system_programs.py demo
	@.venv/bin/quartet serve --demo

programs:
	@python3 scripts/system_programs.py

# Without collecting the output, so that the tests show their progress.
test: dev-venv
	@$(PARALLEL) --output-sync=none tests $(CHECKS)

tests: programs compiled-tests ui-types
	$(PYTEST) -m "not nightly"

# Everything but the browser, Syncthing, kill loops and slow tests.
quick: dev
	$(PYTEST) -m "not browser and not engines and not kill and not slow and not nightly"

# Measures again which tests are slow, of those that have no other marker.
timings: programs dev
	$(PYTEST) -m "not browser and not engines and not kill and not nightly" --junitxml build/tests.xml
	.venv/bin/python -m scripts.slow_tests build/tests.xml

# The whole suite with the full numbers of kill rounds, generated examples and looks.
nightly: dev-venv
	@$(PARALLEL) --output-sync=none nightly-tests $(CHECKS)

nightly-tests: programs compiled-tests ui-types
	QUARTET_TEST_NIGHTLY=1 $(PYTEST) --timeout 1800

coverage: dev programs
	.venv/bin/coverage erase
	.venv/bin/coverage run -m pytest -n $(WORKERS) --dist loadfile -m "not browser"
	.venv/bin/coverage combine --quiet
	.venv/bin/coverage report
	.venv/bin/coverage html --quiet --directory build/coverage

check: dev-venv
	@$(PARALLEL) $(CHECKS)

check-python: dev-python
	$(LATER) .venv/bin/ruff check .
	$(LATER) .venv/bin/ruff format --check .
	$(LATER) .venv/bin/mypy
	$(LATER) .venv/bin/lint-imports
	$(LATER) .venv/bin/python scripts/check_texts.py
	$(LATER) .venv/bin/python scripts/openapi.py --check
	$(LATER) .venv/bin/python scripts/configuration_page.py --check

# Generated once, since both checks of the UI and the gallery of the tests read them.
ui-types: dev-ui
	@python3 scripts/npm.py run --silent generate

check-ui: ui-types
	$(LATER) python3 scripts/npm.py run --silent lint
	$(LATER) python3 scripts/npm.py test --silent

check-ui-types: ui-types
	$(LATER) python3 scripts/npm.py run --silent types

# Compiles the tests once; otherwise each worker compiles all of them.
compiled-tests: programs dev-python
	@python3 scripts/system_programs.py browser
	@.venv/bin/pytest --collect-only --quiet --quiet > /dev/null

# Formats the code and applies automatic fixes.
fix: dev
	.venv/bin/ruff check --fix .
	.venv/bin/ruff format .
	python3 scripts/npm.py run --silent format
	python3 scripts/npm.py exec -- eslint --fix ui

bench: dev
	.venv/bin/python -m bench

ui: dev
	python3 scripts/npm.py run --silent build

# One file for devices that have nothing but Python.
agent: dev
	.venv/bin/python scripts/agent.py

# The agent together with Python, for devices that have neither.
standalone: python
	@python3 scripts/self_contained_agent.py

screenshots: ui
	PYTHONPATH=scripts .venv/bin/python -m screenshots

openapi: dev
	.venv/bin/python scripts/openapi.py

# Resolves new versions of everything: review the difference, run the tests, commit.
lock: dev
	.venv/bin/python scripts/lock.py

# The documentation site in build/site, and the manual page; every broken link is an error.
docs: dev
	.venv/bin/python -m quartet.manual > build/quartet.1
	.venv/bin/python scripts/docs_site.py

# Installs and uses everything in bare systems, as a release must: sudo make pipeline
# Only some steps: sudo make pipeline PIPELINE="--keep --systems debian-13 --steps README wheel"
pipeline:
	@python3 scripts/system_programs.py pipeline
	@PYTHONPATH=scripts python3 -m pipeline $(PIPELINE)
