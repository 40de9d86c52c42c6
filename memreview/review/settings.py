"""The person's settings, kept in the profile. Each has a default here; nothing else is stored."""

from __future__ import annotations

import json
from typing import Any

from memreview.review.profile import Profile

ALL: dict[str, Any] = {
    "appearance": "system",  # system, light, dark
    "text_percent": 100,
    "keys": {},  # command id -> key, where the person changed it
    "memory_query": "",
    "memory_sort": ["created", True],
    "window": "",  # geometry as Qt encodes it, base64
    "seen_first_run": False,
    "backup_before_import_hours": 1,
    "language_model": {"type": "bundled"},  # language.llm.choice.Choice
    "language_model_card": None,  # language.llm.probe.Card, of the last probe
    "max_message_chars": 2_000_000,
    "max_total_gigabytes": 64,
}


def get(profile: Profile, name: str) -> Any:
    """The value, else the setting's default. Raises `KeyError` for an unknown name."""
    stored = profile.database.state(f"setting.{name}")
    return json.loads(stored) if stored else ALL[name]


def set(profile: Profile, name: str, value: Any) -> None:
    if name not in ALL:
        raise KeyError(name)
    with profile.database.transaction():
        profile.database.set_state(f"setting.{name}", json.dumps(value))
