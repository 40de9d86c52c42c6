"""The tree of a conversation, whose edits and retries are branches: a reading order and the current path."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Walk(NamedTuple):
    """`order` has each node once, parents first; `active` the path to the current leaf; `guessed` says that the file
    did not name that leaf; `cyclic` that some nodes were each other's ancestors."""

    order: list[str]
    active: set[str]
    guessed: bool
    cyclic: bool


def walk(parents: Mapping[str, str | None], times: Mapping[str, int | None], current: str | None) -> Walk:
    """Linear in the nodes and without recursion: chains of thousands are usual. Without a `current` that exists, the
    leaf with the newest time is taken, and of several the deepest."""
    children: dict[str, list[str]] = {}
    roots = []
    for node, parent in parents.items():
        if parent is None or parent not in parents:
            roots.append(node)
        else:
            children.setdefault(parent, []).append(node)
    for siblings in children.values():
        if len(siblings) > 1:
            siblings.sort(key=lambda node: (times.get(node) is None, times.get(node) or 0))
    depth = _preorder(roots, children)
    cyclic = len(depth) < len(parents)
    if cyclic:
        for node in parents:
            if node not in depth:
                depth.update(_preorder([node], children, depth))
    guessed = current not in parents
    if guessed:
        leaves = [node for node in depth if node not in children] or list(depth)
        current = max(leaves, key=lambda node: (times.get(node) or 0, depth[node]), default=None)
    return Walk(list(depth), _path(parents, current), guessed and len(children) > 0, cyclic)


def _preorder(
    roots: list[str], children: Mapping[str, list[str]], done: Mapping[str, int] | None = None
) -> dict[str, int]:
    """The depth of each node below `roots`, in reading order."""
    depth: dict[str, int] = {}
    stack = [(root, 0) for root in reversed(roots)]
    while stack:
        node, level = stack.pop()
        if node in depth or (done and node in done):
            continue
        depth[node] = level
        stack.extend((child, level + 1) for child in reversed(children.get(node, ())))
    return depth


def _path(parents: Mapping[str, str | None], leaf: str | None) -> set[str]:
    path: set[str] = set()
    while leaf is not None and leaf in parents and leaf not in path:
        path.add(leaf)
        leaf = parents[leaf]
    return path
