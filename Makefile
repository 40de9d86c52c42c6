# Everything here also works without make: see packaging/bootstrap.py.
PYTHON ?= python3

.PHONY: help demo test lint

help:
	@echo "make demo   set everything up, review the sample, open the window"
	@echo "make test   set everything up, run every check and test"
	@echo "make lint   run the checks alone, once 'make test' has set them up"

demo:
	@$(PYTHON) packaging/bootstrap.py demo

test:
	@$(PYTHON) packaging/bootstrap.py test

lint:
	.venv/bin/ruff check
	.venv/bin/mypy
	.venv/bin/lint-imports
