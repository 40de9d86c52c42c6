"""When two scopes are one: where a belief holds is said in words, and seldom twice in the same ones."""

from __future__ import annotations

from memreview.language.sentences import content_tokens
from memreview.ledger.constants import Policy
from memreview.records.gate import GLOBAL_SCOPE


def is_global(scope: str) -> bool:
    return scope in ("", GLOBAL_SCOPE)


def same(one: str, other: str, policy: Policy) -> bool:
    if is_global(one) or is_global(other):
        return is_global(one) and is_global(other)
    words, others = set(content_tokens(one)), set(content_tokens(other))
    if not words or not others:
        return one.casefold() == other.casefold()
    return 2 * len(words & others) / (len(words) + len(others)) >= policy.same_scope


def match(of_node: str, asked: str, policy: Policy) -> float:
    """How far a node of that scope suits a question about this one, in [0, 1]."""
    if same(of_node, asked, policy):
        return 1.0
    return policy.scope_of_global if is_global(of_node) else 0.0
