"""torch comes in its CPU build: from where pip looks anyway if it is there, else from PyTorch's own index."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
import torch_source
from environment import Environment

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere PyPI's torch is the CPU build")


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Environment:
    """One whose pip looks into an empty folder and nowhere else."""
    environment = Environment(tmp_path)
    environment.python.parent.mkdir(parents=True)
    environment.python.symlink_to(sys.executable)
    environment.constraints.parent.mkdir()
    environment.constraints.write_text("torch==2.13.0\n")
    (tmp_path / "offer").mkdir()
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "offer"))
    return environment


def test_a_cpu_build_at_hand_is_taken(environment: Environment) -> None:
    (environment.root / "offer" / "torch-2.13.0+cpu-py3-none-any.whl").touch()
    assert torch_source.cpu_arguments(environment) == ["torch==2.13.0+cpu"]


def test_else_it_comes_from_the_cpu_index_and_never_with_cuda(environment: Environment) -> None:
    (environment.root / "offer" / "torch-2.13.0-py3-none-any.whl").touch()
    assert torch_source.cpu_arguments(environment) == [
        "--extra-index-url",
        "https://download.pytorch.org/whl/cpu",
        "torch==2.13.0+cpu",
    ]
