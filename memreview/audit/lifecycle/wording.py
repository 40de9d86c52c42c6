"""The texts that the audit writes: the memory after the change, and a transition's name by meaning."""

from __future__ import annotations

import re

from memreview.audit.lifecycle.grammar import stems

_NAMED = re.compile(r"^[A-Z][a-z]+ (?=[a-z]+s\b)")
_COPULA = re.compile(r"\b(?:is|are|was|am)\b(?!\s+no longer)", re.I)
_SUBJECT = re.compile(r"^(?:the user|user|i|we|they|she|he)\b\s+", re.I)
_PERSONS = (
    (r"\bI'm\b|\bI am\b|\bwe're\b|\bwe are\b", "user is"),
    (r"\bI've\b|\bI have\b|\bwe've\b|\bwe have\b", "user has"),
    (r"\bI'll\b|\bwe'll\b", "user will"),
    (r"\bI'd\b|\bwe'd\b", "user would"),
    (r"\b(?:I|we) (?:don't|do not|dont)\b", "user doesn't"),
    (r"\b(?:I|we)\b", "user"),
    (r"\b(?:my|our)\b", "their"),
    (r"\b(?:me|us)\b", "them"),
    (r"\b(?:mine|ours)\b", "theirs"),
    (r"\bmyself\b|\bourselves\b", "themselves"),
)
_VERBS = (
    "live|work|take|drive|use|go|eat|drink|prefer|wake|run|sleep|weigh|have|need|want|study|play|bank|commute"
    "|cycle|walk|see|like|love|wear|swim|do|get"
    "|speak|read|smoke|own|pay|ride"
)
_PLAIN = re.compile(rf"^(?:{_VERBS})$")
_VERB = re.compile(rf"\buser (?!is\b|has\b|will\b|would\b|doesn't\b)((?:now |still |just |mostly )*)({_VERBS})\b")


def third(verb: str) -> str:
    """The third person singular of a plain form."""
    irregular = {"have": "has", "do": "does", "go": "goes", "be": "is"}
    if verb in irregular:
        return irregular[verb]
    if re.search(r"(?:s|x|z|ch|sh|o)$", verb):
        return verb + "es"
    return verb[:-1] + "ies" if re.search(r"[^aeiou]y$", verb) else verb + "s"


def replaced(text: str, old: str, new: str) -> str:
    """The note with its value exchanged, or "" where the value does not stand in it. A value that begins
    with a plain verb ("take the bus") takes the person of the one it replaces ("cycles")."""
    place = re.search(rf"(?<!\w){re.escape(old)}(?!\w)", text, re.I)
    if place is None:
        return ""
    new = new.strip(" .")
    after = text[place.end() :].strip(" .").casefold()
    new = next((new[: -len(end)].rstrip() for end in _tails(new) if after.startswith(end.casefold())), new)
    first, _, rest = new.partition(" ")
    if _PLAIN.match(first) and re.match(r"[A-Z]?[a-z]+s\b", old):
        new = f"{third(first)} {rest}".strip()
    if re.search(r"\b(?:an?|the)\s+$", text[: place.start()], re.I):
        new = re.sub(r"^(?:an?|the)\s+", "", new)
    if place.start() == 0 or text[: place.start()].strip() == "":
        new = new[:1].upper() + new[1:]
    before = re.sub(
        r"\b([Aa])n?(\s+)$", lambda a: f"{a[1]}{'n' if new[:1] in 'aeiouAEIO' else ''}{a[2]}", text[: place.start()]
    )
    return f"{before}{new}{text[place.end() :]}"


def _tails(words: str) -> list[str]:
    """All endings of some words but the whole, longest first."""
    parts = words.split(" ")
    return [" ".join(parts[start:]) for start in range(1, len(parts))]


_ENDING = (
    (r"\bis leaving\b", "left"), (r"\bis quitting\b", "quit"), (r"\bis selling\b", "sold"),
    (r"\bis moving\b", "moved"), (r"\bis giving up\b", "gave up"),
)  # fmt: skip
_AND = re.compile(r",?\s+and\s+(?=(?:is|has|does|goes|[a-z]{2,}s)\s)")
_BACKWARDS = re.compile(r"\b(?:there|it|its|that|them|this)\b", re.I)


def denied(text: str, value: str) -> str:
    """The note without what no longer holds: only the clause with `value` is denied, and stands last. Other clauses
    stay as they are, unless they lean on the denied one ("swims there")."""
    for pattern, done in _ENDING:
        if re.search(pattern, text, re.I):
            return re.sub(pattern, done, text, count=1, flags=re.I)
    clauses = _AND.split(text.rstrip(" ."))
    place = next((n for n, clause in enumerate(clauses) if value.casefold() in clause.casefold()), None)
    if len(clauses) == 1 or place is None:
        return no_longer(text)
    subject = _SUBJECT.match(text) or _NAMED.match(text)
    head = text[: subject.end()] if subject else ""
    over = no_longer(head + clauses[place] if place else clauses[0]).removeprefix(head)
    kept = [
        clause.removeprefix(head) for n, clause in enumerate(clauses) if n != place and not _BACKWARDS.search(clause)
    ]
    if kept and not head:
        over = over[:1].lower() + over[1:]
    told = " and ".join([*kept, over])
    return f"{head}{told if head else told[:1].upper() + told[1:]}" + "." * text.rstrip().endswith(".")


def no_longer(text: str) -> str:
    """The note, ended: "User smokes." → "User no longer smokes."."""
    subject = _SUBJECT.match(text) or _NAMED.match(text)
    rest = text[subject.end() :] if subject else text
    head = text[: subject.end()] if subject else ""
    copula = _COPULA.search(" ".join(rest.split(" ")[:5]))
    if copula:
        return f"{head}{rest[: copula.end()]} no longer{rest[copula.end() :]}"
    if head:
        return f"{head}no longer {rest}"
    return f"No longer {rest[:1].lower()}{rest[1:]}"


def told(words: str) -> str:
    """A statement in the third person, as a store would note it."""
    text = re.sub(
        r"^(?:(?:ok|okay|so|well|and|but|actually|anyway|hey|btw|heads up|correction)\b[,:]?\s*)+",
        "",
        words.strip(),
        flags=re.I,
    )
    for pattern, replacement in _PERSONS:
        text = re.sub(pattern, replacement, text, flags=re.I)
    text = _VERB.sub(lambda found: f"user {found[1]}{third(found[2])}", text).strip(" ,;:-")
    text = text[:1].upper() + text[1:]
    return re.sub(r"(?<=[,;:] )user\b", "they", text) or words.strip() or "Changed"


def key(slot: str, old_value: str, old_claim: str, new_value: str) -> str:
    """A transition's name by meaning. In a typed slot the slot and the value are the claim; else its words
    are."""
    claim = old_value if slot else old_claim
    return "|".join(
        (
            slot,
            " ".join(sorted(set(stems(claim)))) or claim.casefold(),
            " ".join(sorted(set(stems(new_value)))) or new_value.casefold(),
        )
    )
