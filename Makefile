.PHONY: setup dev python run test check check-python check-ui bench ui agent screenshots openapi lock

# Checks and tests start hundreds of processes: what one has compiled the others need not.
export PYTHONDONTWRITEBYTECODE =

setup: python
	@python3 scripts/setup.py

dev: python
	@python3 scripts/setup.py --dev

python:
	@python3 -c 'import sys; sys.exit("Quartet needs Python 3.11 or newer" if sys.version_info < (3, 11) else 0)'

run: setup
	@.venv/bin/quartet serve --demo

test: dev
	@python3 scripts/system_programs.py
	@$(MAKE) --no-print-directory check
# One worker more than there are cores, since many tests wait for something.
	.venv/bin/pytest -n $$(($$(nproc) + 1)) --dist loadfile --no-loadscope-reorder

check: dev
	@$(MAKE) --no-print-directory --output-sync=target -j2 check-python check-ui

check-python: dev
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/lint-imports
	.venv/bin/python scripts/check_texts.py
	.venv/bin/python scripts/openapi.py --check
	.venv/bin/python scripts/configuration_page.py --check

check-ui: dev
	python3 scripts/npm.py run --silent check
	python3 scripts/npm.py test --silent

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

# New versions of everything: look at the difference, run the tests, commit.
lock: dev
	.venv/bin/python scripts/lock.py
