"""What holds for every test: Qt draws off screen unless the caller says otherwise."""

from __future__ import annotations

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
