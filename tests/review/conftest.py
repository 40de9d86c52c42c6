from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memreview.review.gating import Models
from memreview.review.profile import Profile
from tests.review import gates
from tests.review.builders import profile_with_cases
from tests.review.histories import profile_with_history, read


@pytest.fixture
def profile(tmp_path: Path) -> Iterator[Profile]:
    """Case 1: Lisbon → Porto. Case 2: two wordings of one allergy. Memories 1 to 4."""
    made = profile_with_cases(tmp_path)
    yield made
    made.close()


@pytest.fixture(scope="session")
def models() -> Models:
    """The shipped models around a gate whose weights are set by hand."""
    return gates.models()


@pytest.fixture
def history_read(tmp_path: Path, models: Models) -> Iterator[Profile]:
    """The small history with a planted page, read by the gate."""
    made = profile_with_history(tmp_path)
    read(made, models)
    yield made
    made.close()
