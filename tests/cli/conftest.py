"""The made-up person of the demo, imported and audited once for all tests of the command line."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from memreview.review import jobs
from memreview.review.profile import Profile


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made while files are open to everybody unless the program says otherwise. Tests only read it."""
    home = tmp_path_factory.mktemp("sample") / "home"
    before = os.umask(0)
    try:
        profile = Profile.open(home)
        jobs.sample(profile, {}, lambda *_: None)
        jobs.backup(profile, {}, lambda *_: None)
    finally:
        os.umask(before)
    profile.close()
    return home


@pytest.fixture
def demo(sample: Path, tmp_path: Path) -> Path:
    """A copy of it to decide in."""
    return shutil.copytree(sample, tmp_path / "demo")
