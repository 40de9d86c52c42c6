"""The command line: thin over `review`, with `--json` everywhere. Exit 0 done, 1 bad input (one line), 2 usage."""

from memreview.cli.main import main

__all__ = ["main"]
