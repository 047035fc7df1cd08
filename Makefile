# SPDX-License-Identifier: GPL-2.0-or-later
BIN := .venv/bin

.PHONY: help setup demo test unit machine claims torture bench check format lock

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 20

setup: ## install what is missing: packages, .venv, the counting plugin
	@scripts/setup

# Whatever was done before is found again, so an interrupted demonstration goes on.
demo: setup ## count in Debian's own kernel, then all features against their base
	$(BIN)/granule stat --kernel debian -- perf bench futex hash -t 1 -r 1
	$(BIN)/granule run demo
	$(BIN)/granule show --plan demo
	$(BIN)/granule report -o report.html demo

test: check unit machine claims ## everything; the machine tests boot and take minutes

unit: setup ## tests that boot nothing
	cargo test --release --locked --workspace --quiet
	$(BIN)/python -m pytest -q

# A file runs on one worker: its tests share what they built and booted.
machine: setup ## tests that boot the emulated machine
	$(BIN)/python -m pytest -q -m 'machine and not torture' \
	  -n auto --maxprocesses 4 --dist loadfile --durations 15

# All features at once stand for each alone, which would be a kernel more for each.
CANDIDATE := linux-6.12+all
claims: setup ## measure the kernel with all features and judge every claim
	$(BIN)/granule run --candidate $(CANDIDATE) mte-kernel-policy mte-sync
	$(BIN)/granule check --candidate $(CANDIDATE) mte-kernel-policy mte-sync

# What has a result for today's patches is not tried again, so it can be interrupted.
torture: setup ## what takes hours: debug kernels, page sizes, races, another Linux
	$(BIN)/granule torture
	$(BIN)/granule torture --candidate linux-6.12+mte-swap mte-swap
	$(BIN)/python -m pytest -q -m torture

bench: setup ## what counting and storing tags cost, timed on this host, against limits
	$(BIN)/python bench/cost.py
	$(BIN)/python bench/tags.py
	$(BIN)/python bench/tag_corpus.py

check: setup ## all linters
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	cargo fmt --all --check
	cargo clippy --release --locked --workspace --all-targets --quiet -- -D warnings
	shellcheck scripts/setup scripts/check-spdx .ci/run
	scripts/check-spdx
	$(BIN)/granule features --checkpatch

format: setup ## put Python and Rust into their usual form
	$(BIN)/ruff format
	cargo fmt --all

lock: setup ## choose the newest versions of the Python packages again
	$(BIN)/pip install --quiet uv
	{ echo '# SPDX-License-Identifier: GPL-2.0-or-later'; \
	  echo '# Made by "make lock" from pyproject.toml.'; \
	  $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	    --all-extras --no-header --no-annotate --upgrade pyproject.toml; } > requirements.lock.new
	mv requirements.lock.new requirements.lock
