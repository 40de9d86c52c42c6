"""Each package has one version, in both files that name it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator

from environment import ROOT


def requirements() -> Iterator[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    yield from project["dependencies"]
    for extra in project["optional-dependencies"].values():
        yield from extra


def normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(lines: Iterator[str]) -> dict[str, str]:
    return {normalized(name): version for name, _, version in (line.partition("==") for line in lines)}


def test_every_requirement_is_pinned_as_in_the_constraints() -> None:
    constraints = (ROOT / "packaging/constraints.txt").read_text("utf-8").splitlines()
    pinned = pins(line for line in constraints if not line.startswith("#"))
    required = pins(requirements())
    assert required
    assert all(required.values())
    assert required.items() <= pinned.items()
    assert all(pinned.values())
