"""What a person reads in place of our own names for things, where the window and the command line say the same."""

from __future__ import annotations

from memreview.records import MemoryStatus, Origin, TransitionKind

KINDS = {
    TransitionKind.EXPLICIT: "You said that it changed",
    TransitionKind.SAME_SUBJECT: "Another value for the same thing",
    TransitionKind.DUPLICATE: "The same thing twice",
    TransitionKind.IMPLICIT: "Probably changed",
    TransitionKind.PROPAGATED: "Follows from another change",
}
"""Of cases."""

STANDINGS = {
    MemoryStatus.ACTIVE: "In use",
    MemoryStatus.SUPERSEDED: "Replaced by a newer one",
    MemoryStatus.QUARANTINED: "Held back",
    MemoryStatus.EVICTED: "Left out",
    MemoryStatus.DELETED: "Deleted",
}
"""Of memories."""

LIFE = {
    "said": "Said",
    "stored": "Remembered",
    "version": "Changed by the assistant",
    "gate": "Checked",
    "held": "Held back",
    "corroborated": "Confirmed",
    "changed": "Changed",
    "faded": "Faded",
    "decided": "Your decision",
}
"""Kinds of lines in a memory's life."""

ACTIONS = {
    "retain": "keep as it is",
    "add": "new",
    "scope": "only in a situation",
    "revise": "changed",
    "quarantine": "hold back",
    "ask": "ask you",
}
"""What the gate can do with a claim."""

ORIGINS = {
    Origin.USER: "You",
    Origin.ASSISTANT: "Assistant",
    Origin.TOOL_OUTPUT: "Tool result",
    Origin.RETRIEVED_DOCUMENT: "Web page",
    Origin.SHARED_FILE: "File",
}

PROVIDERS = {
    "chatgpt": "ChatGPT",
    "claude": "Claude",
    "mem0": "mem0",
    "openmemory": "OpenMemory",
    "mcp": "MCP memory",
    "letta": "Letta",
    "list": "a list",
    "generic": "a list",
    "pasted": "a pasted list",
}

ACTORS = {"person": "You", "program": "Automatic"}
STEP_STATES = {"done": "", "undone": "undone", "dropped": "undone, can't be redone"}
