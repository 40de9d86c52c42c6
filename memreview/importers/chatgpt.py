"""Not written yet."""

from __future__ import annotations

from collections.abc import Sequence

from memreview.importers.container import Container
from memreview.importers.contract import ColumnMapping, Limits
from memreview.importers.sniff import FileExport, Probe


def sniff(probe: Probe) -> bool:
    return False


def read(
    container: Container, probes: Sequence[Probe], limits: Limits, mapping: ColumnMapping | None
) -> list[FileExport]:
    return []
