from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memreview.store.database import FILE_NAME, Database


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database.open(tmp_path / FILE_NAME)
    yield opened
    opened.close()
