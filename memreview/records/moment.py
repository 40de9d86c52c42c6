"""A point in time as a source told it: UTC microseconds, the offset it was written with, and what we assumed."""

from __future__ import annotations

import msgspec


class Moment(msgspec.Struct, frozen=True, gc=False):
    """`us` is UTC microseconds since 1970, or None when unknown; `offset` the original UTC offset in minutes
    (None where the source gave none); `assumed` is true when a naive time was taken for UTC."""

    us: int | None = None
    offset: int | None = None
    assumed: bool = False

    @property
    def known(self) -> bool:
        return self.us is not None


UNKNOWN = Moment()
