"""Claims about typed and named attributes of a person, read off notes and statements alike."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from memreview.audit.lifecycle.grammar import KIN, NOBODY, SELF, actor, stems
from memreview.audit.lifecycle.slots import BY_TRIGGER, CLOCK, DAY, NUMBER, Slot
from memreview.audit.lifecycle.stance import Sentence, real

NOW = re.compile(
    r"\b(?:now|these days|nowadays|from now on|any ?more|no longer|as of|lately|again|correction|changed my mind"
    r"|after all|renamed"
    r"|since (?:\w+day|january|february|march|april|may|june|july|august|september|october|november|december|last"
    r"|the|spring|summer|autumn|winter)"
    r"|went up|raised|new|anymore|instead|not \w+ any more|has changed|changed to|let's make)\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Claim:
    """`value` is `text[start:end]` of the text that was read; `canon` what values are compared by."""

    subject: str
    slot: str
    value: str
    start: int
    end: int
    canon: frozenset[str]
    changed: bool  # told as a change
    sentence: Sentence
    single: bool = True  # one value excludes another

    @property
    def key(self) -> tuple[str, str]:
        return self.subject, self.slot

    @property
    def typed(self) -> bool:
        """Of an attribute, and not only a sentence with a number in it."""
        return not self.slot.startswith("number.")

    def agrees(self, other: Claim) -> bool:
        return self.canon == other.canon or self.canon < other.canon or other.canon < self.canon


_VEHICLES = {"cycl": "bike", "drive": "car", "walk": "foot", "ride": "bike", "car": "car"}
_NOISE = frozenset({"take", "get", "new", "work", "commut"})
_DIETS = {"meat": "omnivore", "carnivor": "omnivore", "meat-eat": "omnivore", "eater": "omnivore"}

_WORDS = re.compile(r"[^\W\d_][\w'-]*")
_LONGEST = 2_000  # no sentence (a key, a picture in base64, a wall of words): the patterns below take its cube
_ATTR_END = (
    r"(?=\s*(?:$|,(?!\d{3})|[;!?()—–]|:(?!\d)|(?<!\bMr)(?<!\bDr)(?<!\bMs)(?<!\bSt)\.(?=\s|$)|\b(?:and|but|since"
    r"|because|so|now|these days|any ?more|which|who|when|while|from now|instead|again"
    r"|at the moment|as of|until|after|due|thanks|lately|nowadays)\b))"
)
_HEAD = r"(?:(?!(?:my|our|the|an?|i|we|it|is|are|and|but|since|that|user's)\b)[^\W\d_][\w'-]*\s+){0,3}?[^\W\d_][\w'-]*"
_ATTRIBUTE = re.compile(
    r"(?:^|(?<=[,;:.!?—–]\s)|(?<=\s))(?P<whose>(?:my|our|the|her|his|their|(?:the )?user's)\s+)?(?P<head>"
    + _HEAD
    + r")"
    r"(?:\s+(?P<verb>is|are|meets?|starts?|takes place|has been moved to|was moved to|got moved to|moved to"
    r"|has changed to|changed to|weighs?|takes)"
    r"|(?P<short>'s))\s+(?P<now>(?:now|currently)\s+)?(?P<named>(?:called|named)\s+)?(?:with\s+)?(?P<v>(?:[^,;!?"
    r"()\n—–]|,(?=\d{3}))+?)" + _ATTR_END,
    re.I,
)
_NAME_OF = re.compile(
    r"\b(?:has|have|own|owns)\s+(?:an?|one)\s+(?P<head>[\w-]+)\s+(?:named|called)\s+(?P<v>[^\W\d_][\w'-]*)", re.I
)
_STATES = re.compile(
    r"\b(?:is|are|meets?|starts?|takes|weighs?|moved to|changed to)\b|'s\b", re.I
)  # cheap, for most have none
_AT_TIMES = re.compile(
    rf"\b(?:has|have|attends?|goes? to|takes?|do(?:es)?|doing)\s+(?:an?\s+|their\s+|my\s+|our\s+)?"
    rf"(?P<head>{_HEAD})(?:\s+\([^)]*\))?\s+(?P<v>(?:on|at|every)\s+"
    rf"(?:{DAY}|{CLOCK})[^,;!?()\n—–]*?)" + _ATTR_END,
    re.I,
)
_MOVED = re.compile(
    r"\b(?:moved|changed|shifted|pushed|rescheduled|postponed)\s+(?:my|our|the)\s+(?P<head>"
    r"(?:[\w'-]+\s+){0,2}[\w'-]+)\s+to\s+(?P<v>(?:[^,;!?()\n—–]|,(?=\d{3}))+?)" + _ATTR_END,
    re.I,
)
_RENAMED = re.compile(
    r"\b(?:renamed\s+(?:my|our|the)\s+(?P<head>[\w-]+)|(?:my|our|the)\s+(?P<subject>[\w-]+)\s+(?:was|has been|got"
    r"|is being)\s+renamed)"
    r"(?:\s+to\s+|[^.;]*?\b(?:(?:is|it's|are) (?:now )?called|we're|it's)\s+)(?P<v>(?!now\b)[^,;!?()\n—–]+?)"
    + _ATTR_END,
    re.I,
)
_GENERAL_HEADS = frozenset(
    "it this that there he she they i we you what which who goal plan question problem "
    "issue idea point reason thing".split()
)
_DROPPED_FROM_HEADS = frozenset({"new", "current", "old", "own", "name", "call"})
_RAISED = re.compile(
    rf"(?P<whose>(?:my|our|the)\s+)?(?P<head>{_HEAD})\s+(?:went up|went down|has gone up|was raised|got raised"
    rf"|increased|has changed|changed)\b"
    r"[^.;]*?\b(?:to|it's(?: now)?|it is(?: now)?)\s+(?P<v>(?:[^,;!?()\n—–]|,(?=\d{3}))+?)" + _ATTR_END,
    re.I,
)
# Attributes that have a typed slot under another name.
_TYPED = {
    "home citi": "location.city",
    "home town": "location.city",
    "citi": "location.city",
    "employ": "work.employer",
    "job": "work.role",
    "occup": "work.role",
    "diet": "diet.pattern",
    "phone": "device.phone",
    "car": "transport.car",
    "bank": "money.bank",
}
_OTHER_ONE = frozenset(
    {"work", "second", "other", "compani", "spare", "last", "next", "first", "former", "wife", "husband"}
)
_OWN_WORDS = {False: ("my", "our"), True: ("my", "our", "her", "his", "their", "user's", "the user's")}
_MANY_OF = re.compile(rf"^(?:dog|cat|pet|rabbit|horse|bird|fish|hamster|friend|{KIN})$", re.I)
_ONE_OF = re.compile(
    r"^(?:boss|manager|landlord|landlady|partner|wife|husband|girlfriend|boyfriend|spouse|dentist|doctor|gp"
    r"|therapist|coach|teacher|team|company"
    r"|mother|father|mum|mom|dad)$",
    re.I,
)
_TIME = re.compile(
    rf"\b{DAY}\b|\b\d{{1,2}}[:.]\d\d\b|\b\d{{1,2}}\s*(?:am|pm|o'clock)\b|\b(?:every|weekly|daily|monthly)\b", re.I
)
_WHEN = re.compile(rf"^(?:on|at|every|from|the (?:first|second|third|last))\b|^{DAY}\b|^{CLOCK}$", re.I)


def claims(sentence: Sentence, *, noted: bool, heads: frozenset[str] = frozenset()) -> list[Claim]:
    """All claims of one sentence. `heads` are attributes known from the notes: a statement may name those
    without "my"."""
    if len(sentence.text) > _LONGEST:
        return []
    return [*_typed(sentence, noted), *_attributes(sentence, noted, heads), *_named(sentence, noted)]


NUMERIC = re.compile(rf"(?<![\w.,:$€£-])[$€£]?{NUMBER}(?![\w:/])", re.I)


def number_of(text: str) -> re.Match[str] | None:
    """The only number of a text; a year is none."""
    found = [match for match in NUMERIC.finditer(text) if not re.fullmatch(r"(?:19|20)\d\d", match[0])]
    return found[0] if len(found) == 1 else None


def _counts(text: str, number: re.Match[str]) -> bool:
    """Has it a unit ("20 km"), a currency, or a name before it ("Windows 10")? A serial number has none."""
    unit = re.match(r"\s*([^\W\d_]+|%|€)", text[number.end() :])
    named = re.search(r"(?<=\s)[A-Z]\w+\s$", text[: number.start()])
    return bool(named or number[0][0] in "$€£" or (unit and (stems(unit[1]) or unit[1] in "%€")))


def measure(text: str) -> Claim | None:
    """A note with one number of something, as a claim that competes with the same words around another number."""
    number = number_of(text)
    frame = sorted({stem for stem in stems(text) if not stem[0].isdigit()})
    if number is None or len(frame) < 2 or not _counts(text, number):
        return None
    canon = frozenset(stems(number[0]))
    return Claim(SELF, f"number.{' '.join(frame)}", number[0], *number.span(), canon, False, Sentence(text, 0))


def _typed(sentence: Sentence, noted: bool) -> Iterator[Claim]:
    text = sentence.text
    told_now = NOW.search(text) is not None
    for slot in _slots_of(text):
        for pattern, event in slot.phrases:
            for match in pattern.finditer(text):
                who = actor(text, match.start(), noted=noted, verb_text=match[0])
                if who.subject == NOBODY or who.denied or who.former:
                    continue
                if not noted and not event and (sentence.momentary or sentence.scoped):
                    continue
                claim = _claim(sentence, slot.name, who.subject, match, event or told_now)
                if claim:
                    yield claim


def _slots_of(text: str) -> list[Slot]:
    found: dict[str, Slot] = {}
    for word in _WORDS.findall(text.casefold()):
        for part in (word, *word.split("'")[:1]):
            for slot in BY_TRIGGER.get(part, ()):
                found[slot.name] = slot
    if re.search(r"\d\s*(?:mg|mcg|µg|ml|units)\b", text):
        found.update((slot.name, slot) for slot in BY_TRIGGER["mg"])
    return list(found.values())


def _claim(
    sentence: Sentence, slot: str, subject: str, match: re.Match[str], changed: bool, single: bool = True
) -> Claim | None:
    value = match["v"].rstrip(" .")
    start = sentence.start + match.start("v")
    if not value or len(value.split()) > 8:
        return None
    canon = frozenset(_canonical(slot, value))
    if not canon:
        return None
    if slot == "habit.prefers":
        slot, canon = _preference(value, sentence.text[match.end() :])
        if not canon:
            return None
    if "of" in match.re.groupindex:
        slot = f"{slot}.{' '.join(stems(match['of']))}"
    return Claim(subject, slot, value, start, start + len(value), canon, changed, sentence, single)


def _canonical(slot: str, value: str) -> set[str]:
    found = set(stems(value)) or {value.casefold()}
    if slot == "transport.commute":
        return {_VEHICLES.get(stem, stem) for stem in found} - _NOISE
    if slot == "diet.pattern":
        return {_DIETS.get(stem, stem) for stem in found}
    if slot == "work.shift":
        return found - {"shift"}
    return found


def _preference(value: str, after: str) -> tuple[str, frozenset[str]]:
    """A preference competes only with one for the same kind of thing: "window seats", "aisle seats"."""
    chosen, over, rejected = value.partition(" over ")
    occasion = re.match(r"\s*(?:when|for|on|in|during|at)\s+[\w ]+", after)
    scope = f" {' '.join(stems(occasion[0]))}" if occasion else ""
    if over:
        kind = "/".join(sorted({*stems(chosen), *stems(rejected)}))
        return f"habit.prefers.{kind}{scope}", frozenset(stems(chosen))
    kind = (stems(chosen) or ("",))[-1]
    return f"habit.prefers.{kind}{scope}", frozenset(stems(chosen)) - {kind}


def _attributes(sentence: Sentence, noted: bool, heads: frozenset[str]) -> Iterator[Claim]:
    text = sentence.text
    told_now = NOW.search(text) is not None
    for match in (
        *(_ATTRIBUTE.finditer(text) if _STATES.search(text) else ()),
        *_MOVED.finditer(text),
        *_RENAMED.finditer(text),
        *_RAISED.finditer(text),
    ):
        groups = match.groupdict()
        named = match.re is _RENAMED or groups.get("named") is not None or "name" in (groups["head"] or "").casefold()
        head = _head(groups.get("head") or groups.get("subject") or "")
        if not noted and head not in heads:
            head = _known(head, heads, told_now)
        if not head or not real(text[: match.start()]):
            continue
        changed = (
            told_now
            or match.re is not _ATTRIBUTE
            or "moved" in (groups.get("verb") or "")
            or groups.get("now") is not None
        )
        own = (groups.get("whose") or "").strip().casefold() in _OWN_WORDS[noted] or match.re in (_MOVED, _RENAMED)
        if not (noted or own) and re.search(r"[^s]s\b", groups.get("head") or ""):
            continue
        at_the_start = noted and not text[: match.start()].strip()
        if not noted and (sentence.momentary or (sentence.scoped and not own)):
            continue
        value_type = kind_of(match["v"])
        if value_type == "other":
            continue
        if not (own or at_the_start or (head in heads and (changed or value_type == "time"))):
            continue
        slot = _TYPED.get(head) or f"{'name' if named else 'time' if value_type == 'time' else 'attr'}.{head}"
        claim = _claim(sentence, slot, SELF, match, changed, single=_single(head, named))
        if claim:
            yield claim


def _named(sentence: Sentence, noted: bool) -> Iterator[Claim]:
    for match in _NAME_OF.finditer(sentence.text):
        if actor(sentence.text, match.start(), noted=noted, verb_text=match[0]).subject == SELF:
            claim = _claim(sentence, f"name.{_head(match['head'])}", SELF, match, False, single=False)
            if claim:
                yield claim
    for match in _AT_TIMES.finditer(sentence.text):
        if (
            not (sentence.momentary and not noted)
            and actor(sentence.text, match.start(), noted=noted, verb_text=match[0]).subject == SELF
        ):
            claim = _claim(sentence, f"time.{_head(match['head'])}", SELF, match, NOW.search(sentence.text) is not None)
            if claim:
                yield claim


@lru_cache(maxsize=8192)
def _head(words: str) -> str:
    """The attribute's name: its stems in order, without what only says that it is the present one; empty if
    too general."""
    if words.split(" ", maxsplit=1)[0].casefold() in (
        "and",
        "but",
        "so",
        "because",
        "since",
        "if",
        "when",
        "as",
        "than",
        "with",
        "for",
        "of",
    ):
        words = words.partition(" ")[2]
    if not words or words.casefold() in _GENERAL_HEADS:
        return ""
    kept = [stem for stem in stems(words) if stem not in _DROPPED_FROM_HEADS]
    return " ".join(kept) or ("name" if "name" in words.casefold() else "")


def _known(head: str, heads: frozenset[str], changed: bool) -> str:
    """The attribute among the known ones that is meant: "broadband" for the only "home broadband"; told as
    a change, also "thesis deadline" for "deadline", but not "work phone" for "phone"."""
    longer = [known for known in heads if set(head.split(" ")) < set(known.split(" "))]
    if len(longer) == 1 or not changed:
        return longer[0] if len(longer) == 1 else head
    words = head.split(" ")
    for count in range(1, len(words)):
        if " ".join(words[count:]) in heads and not _OTHER_ONE & set(words[:count]):
            return " ".join(words[count:])
    return head


def _single(head: str, named: bool) -> bool:
    last = head.rsplit(" ", maxsplit=1)[-1]
    if named:
        return not _MANY_OF.match(last) or _ONE_OF.match(last) is not None
    return not _MANY_OF.match(head) or _ONE_OF.match(head) is not None


_QUALITY = re.compile(
    r"^(?:so|very|really|too|quite|pretty|not|a bit|slow|broken|dead|dying|great|good|bad|nice|fine|late|early"
    r"|going|getting|being|about|in|of|to|like"
    r"|that|what|how|why|if|full|empty|over|done|here|there|off|up|down|out|always|never|still|already|also|gone"
    r"|lovely|annoying|crazy|back|the (?:same|best|worst))\b",
    re.I,
)


def kind_of(value: str) -> str:
    """What a value is made of; only values of one kind compete."""
    value = value.strip()
    if _QUALITY.match(value):
        return "other"
    if _WHEN.match(value) and (_TIME.search(value) or value[:1].isdigit()):
        return "time"
    if re.match(r"(?:at|on)\b", value, re.I):
        return "other"
    if re.search(r"\d", value):
        return "number"
    if re.match(r"an?\s", value, re.I):
        return "thing"
    return "name" if re.search(r"(?:^|\s)[A-Z]", value) else "word"
