"""Typed attributes of a person: the phrases that state them, whether one value excludes another, and what a
wrong one costs.

A phrase begins at its verb; who does it, and in which mood, is read off the words before it (`claims`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# A value ends at punctuation or at a word that opens the next thought.
_END = (
    r"\s*(?:$|[,;:!?()\n—–]|(?<!\bMr)(?<!\bDr)(?<!\bMs)(?<!\bSt)\.(?=\s|$)|\b(?:and|but|since|because|so|with"
    r"|after|when|while|where|which|who|that|until|as of|now|these days"
    r"|at the moment|any ?more|instead|last|this|every|due to|thanks to|again|already|lately|starting|right now"
    r"|for (?:now|the)"
    r"|in (?:january|february|march|april|may|june|july|august|september|october|november|december|spring|summer"
    r"|autumn|winter|fall|the)"
    r"|on (?:mon|tues|wednes|thurs|fri|satur|sun)day|over the|a (?:few|couple|while|week|month|year))\b)"
)
_STOP = rf"(?={_END})"
V = r"(?P<v>(?:[^,;:!?()\n—–]|,(?=\d{3}))+?)" + _STOP
_DWELLING = (
    r"(?:an?\s+(?:[\w-]+\s+){0,2}(?:flat|house|apartment|room|studio|cottage|village|town|suburb"
    r"|houseboat)\s+(?:in|near|outside|of)\s+)?"
)
# A place is capitalized; people who write all in small letters are believed when they live there, or say that
# moving meant a home.
_PLACE = _DWELLING + r"(?P<v>(?-i:[A-ZÀ-Ž])[^,;:!?()\n—–]*?)" + _STOP
_SMALL_PLACE = (
    _DWELLING + r"(?P<v>(?!(?:an?|the|my|our|his|her|their|this|that|another|one|two|fear|peace|hope|here|there"
    r"|it)\b)[^\W\d_]{3,}(?: [^\W\d_]{3,})?)" + _STOP
)
_HOME_AHEAD = (
    r"(?=[^.]*\b(?:last (?:week|weekend|month|year)|box(?:es)?|flat|apartment|house|place|live|landlord"
    r"|city|town|country|keys|lease)\b)"
)

PHONE = r"(?:iphone|pixel|galaxy|fairphone|oneplus|android|xiaomi|nokia|motorola|huawei|nothing phone)\b"
CAR = (
    r"(?:volvo|kia|skoda|škoda|toyota|honda|ford|fiat|bmw|audi|tesla|vw|volkswagen|golf|opel|vauxhall|renault"
    r"|peugeot|citro[eë]n"
    r"|seat|mazda|nissan|hyundai|subaru|suzuki|mini|dacia|mercedes|jeep|chevrolet|polestar|lexus|porsche|saab)\b"
)
DIET = r"vegan|vegetarian|pescatarian|omnivore|carnivore|flexitarian|veggie|meat-eater"
LANGUAGE = (
    r"English|German|French|Spanish|Italian|Portuguese|Dutch|Polish|Swedish|Danish|Norwegian|Finnish|Czech|Turkish"
    r"|Russian"
    r"|Ukrainian|Arabic|Hindi|Japanese|Chinese|Korean|Greek|Hungarian|Romanian"
)
DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
CLOCK = r"\d{1,2}(?:[:.]\d\d)?\s*(?:am|pm|a\.m\.|p\.m\.|o'clock|h\b)?"
NUMBER = r"(?:\d+(?:[.,]\d+)*|one|two|three|four|five|six|seven|eight|nine|ten|twelve)"


@dataclass(frozen=True, slots=True)
class Slot:
    """`phrases` pair a pattern with whether it tells of a change ("moved to") or of a state ("lives in")."""

    name: str
    harm: float
    triggers: frozenset[str]
    phrases: tuple[tuple[re.Pattern[str], bool], ...]


def _slot(name: str, harm: float, triggers: str, *, state: tuple[str, ...] = (), event: tuple[str, ...] = ()) -> Slot:
    phrases = [(re.compile(rf"\b{phrase}", re.I), False) for phrase in state]
    phrases += [(re.compile(rf"\b{phrase}", re.I), True) for phrase in event]
    return Slot(name, harm, frozenset(triggers.split()), tuple(phrases))


SLOTS: tuple[Slot, ...] = (
    _slot(
        "location.city",
        0.7,
        "live lives living based reside resides residing moved relocated settled",
        state=(
            rf"(?:liv(?:e|es|ing)|based|resid(?:e|es|ing))\s+(?:in|at|near|outside|around)\s+{_PLACE}",
            rf"(?:liv(?:e|es|ing)|based)\s+in\s+{_SMALL_PLACE}",
        ),
        event=(
            rf"(?:moved|relocated|settled)(?: back| over| permanently| in)?\s+(?:in|to|down in)\s+{_PLACE}",
            rf"(?:moved|relocated)(?: back| over| permanently)?\s+to\s+{_HOME_AHEAD}{_SMALL_PLACE}",
        ),
    ),
    _slot(
        "work.employer",
        0.7,
        "work works working job started joined employed hired",
        state=(
            rf"work(?:s|ing)?\s+(?:at|for)\s+(?!home\b|least\b|the moment|night)(?P<v>[^,;:!?()\n—–]+?)(?=\s+as\b"
            rf"|\s+in\b|{_END})",
            rf"employed\s+(?:at|by)\s+{V}",
            rf"job\s+(?:is\s+)?(?:at|with)\s+{V}",
        ),
        event=(
            rf"start(?:ed|ing)?\s+(?:a\s+)?(?:new\s+)?(?:work|working|job)?\s*(?:at|with)\s+(?!\d|the gym|home)"
            rf"(?P<v>[^,;:!?()\n—–]+?)(?=\s+as\b|{_END})",
            rf"hired\s+(?:at|by)\s+{V}",
            r"(?P<v>retired)\b(?! (?:the|my|our)\b)",
        ),
    ),
    _slot(
        "work.role",
        0.6,
        "work works working promoted is am 'm i'm started",
        state=(
            rf"work(?:s|ing)?\s+as\s+(?:an?\s+|the\s+)?(?P<v>[^,;:!?()\n—–]+?)(?=\s+(?:at|for|in|on)\b|{_END})",
            r"(?:is|am|'m)\s+(?:now\s+)?(?:an?)\s+(?P<v>(?:[\w-]+\s+){0,3}(?:\w+(?:er|or|ist|ician)|nurse|barista"
            r"|chef|cook|clerk|florist|pilot"
            r"|paralegal|accountant|consultant|assistant|midwife|judge|librarian))\s+(?:at|for|with)\b",
        ),
        event=(
            rf"promoted\s+to\s+(?:an?\s+)?{V}",
            rf"start(?:ed|ing)?\s+(?:work(?:ing)?\s+)?as\s+(?:an?\s+)?{V}",
            r"(?P<v>retired)\b(?! (?:the|my|our)\b)",
        ),
    ),
    _slot(
        "work.shift",
        0.4,
        "shift shifts",
        state=(
            r"(?:work(?:s|ing)?|on|do(?:es)?|doing)\s+(?:the\s+)?(?P<v>(?:night|day|early|late|evening|morning"
            r"|weekend)\s+shifts?)\b",
        ),
        event=(
            r"(?:moved|switched|changed)\s+to\s+(?:the\s+)?(?P<v>(?:night|day|early|late|evening|morning"
            r"|weekend)\s+shifts?)\b",
        ),
    ),
    _slot(
        "work.place",
        0.4,
        "work works working",
        state=(r"work(?:s|ing)?\s+(?P<v>from home|remotely|from the office|on site|on-site|in the office|hybrid)\b",),
        event=(r"back\s+(?P<v>in the office|in office)\b",),
    ),
    _slot(
        "diet.pattern",
        0.8,
        "vegan vegetarian pescatarian omnivore carnivore flexitarian veggie meat-eater meat",
        state=(
            rf"(?:is|am|'m|are|'re|be|been)\s+(?:an?\s+)?(?:strict\s+|mostly\s+|a\s+)?(?P<v>{DIET})\b",
            rf"(?:eat|eats|eating)\s+(?:a\s+)?(?P<v>meat|{DIET})\b",
            rf"(?:follows?|has|have|on)\s+(?:an?\s+)?(?P<v>{DIET})\s+diet\b",
        ),
        event=(rf"(?:went|gone|go|turned|became|become|going)\s+(?:back to\s+)?(?:fully\s+)?(?P<v>{DIET})\b",),
    ),
    _slot(
        "health.dose",
        0.95,
        "mg mcg µg ml units",
        state=(
            rf"(?:tak(?:e|es|ing)|on|is|using|uses?)\s+(?P<v>{NUMBER}\s*(?:mg|mcg|µg|ml|units))(?:\s+of)?\s+"
            rf"(?P<of>[\w-]+)",
        ),
    ),
    _slot(
        "transport.commute",
        0.5,
        "commute commutes work office cycle cycles bike bikes",
        state=(
            r"commut(?:e|es|ing)\s+(?P<v>(?:by|on)\s+\w+)",
            r"(?P<v>(?:cycl(?:e|es|ing)|bik(?:e|es|ing)|driv(?:e|es|ing)|walk(?:s|ing)?|run(?:s|ning)?|scoot(?:s|ing)?"
            r"|tak(?:e|es|ing) the \w+|get(?:s|ting)? the \w+|rid(?:e|es|ing) (?:a|the|my) [\w-]+))\s+"
            r"(?:in\s+)?to\s+(?:work|the office|school|uni)\b",
            r"(?:go|goes|travel|travels|get|gets)\s+to\s+(?:work|the office)\s+(?P<v>(?:by|on)\s+\w+)",
        ),
    ),
    _slot(
        "device.phone",
        0.3,
        "iphone pixel galaxy fairphone oneplus android xiaomi nokia motorola huawei",
        state=(
            rf"(?:has|have|use|uses|using|own|owns|got)\s+(?:an?\s+|the\s+)?(?:new\s+)?(?P<v>(?:google\s+"
            rf"|samsung\s+)?{PHONE}[^,;:.!?()\n—–]*?){_STOP}",
        ),
        event=(
            rf"(?:upgraded|switched|changed|moved|went)\s+(?:from[^,.;]+?)?(?:over\s+)?to\s+(?:an?\s+|the\s+)?"
            rf"(?:new\s+)?(?P<v>(?:google\s+|samsung\s+)?{PHONE}[^,;:.!?()\n—–]*?){_STOP}",
            rf"(?:got|bought|ordered)\s+(?:myself\s+)?(?:an?\s+)?(?:new\s+)?(?P<v>(?:google\s+"
            rf"|samsung\s+)?{PHONE}[^,;:.!?()\n—–]*?){_STOP}",
        ),
    ),
    _slot(
        "transport.car",
        0.35,
        "volvo kia skoda škoda toyota honda ford fiat bmw audi tesla vw volkswagen golf "
        "opel vauxhall renault peugeot citroën citroen seat"
        " mazda nissan hyundai subaru suzuki mini dacia mercedes jeep chevrolet polestar lexus porsche saab",
        state=(
            rf"(?:driv(?:e|es|ing)|own|owns|have|has)\s+(?:an?\s+|the\s+|my\s+)?(?P<v>(?:[\w-]+\s+){{0,2}}?{CAR}"
            rf"(?:\s+\w*\d\w*|\s+(?-i:[A-Z])\w+)?)",
        ),
        event=(
            rf"(?:bought|got|leased|traded[^.;]*? for|swapped[^.;]*? for|switched[^.;]*? to)\s+(?:ourselves\s+"
            rf"|myself\s+)?(?:an?\s+)?(?P<v>(?:[\w-]+\s+){{0,2}}?{CAR}(?:\s+\w*\d\w*|\s+(?-i:[A-Z])\w+)?)",
        ),
    ),
    _slot(
        "family.status",
        0.75,
        "single dating engaged married divorced widowed separated",
        state=(
            r"(?:is|am|'m|are|'re)\s+(?:now\s+|currently\s+)?(?P<v>single|dating|engaged|married|divorced|widowed"
            r"|separated)\b",
        ),
        event=(r"(?:got|get|gotten)\s+(?P<v>engaged|married|divorced|separated)\b",),
    ),
    _slot(
        "schedule.wake",
        0.3,
        "wake wakes waking woke get gets up",
        state=(rf"(?:wak(?:e|es|ing)|get(?:s|ting)?)\s+up\s+(?:at|around)\s+(?P<v>{CLOCK})",),
    ),
    _slot(
        "schedule.bed",
        0.3,
        "bed asleep sleep",
        state=(rf"(?:go(?:es|ing)?\s+to\s+(?:bed|sleep)|fall(?:s|ing)?\s+asleep)\s+(?:at|around|by)\s+(?P<v>{CLOCK})",),
    ),
    _slot(
        "person.address",
        0.5,
        "call called go goes addressed likes wants prefers",
        state=(
            r"(?:call\s+me|go(?:es)?\s+by|(?:likes?|wants?|prefers?|asked)\s+to\s+be\s+(?:called|addressed as))\s+"
            r"(?:just\s+)?(?P<v>(?:(?-i:[A-Z])[\w'.-]*\s?)+)(?<!\s)",
        ),
    ),
    _slot(
        "answers.language",
        0.5,
        "answer answers reply replies respond responses write",
        state=(rf"(?:answers?|repl(?:y|ies)|respon(?:d|ses)|write)\s+(?:to\s+)?(?:me\s+)?in\s+(?P<v>{LANGUAGE})\b",),
    ),
    _slot(
        "money.bank",
        0.6,
        "bank banks banking",
        state=(rf"bank(?:s|ing)?\s+(?:with|at)\s+{V}",),
    ),
    _slot(
        "education.field",
        0.5,
        "study studies studying",
        state=(
            rf"(?:study|studies|studying)\s+(?!for\b|with\b|at\b|hard\b)(?P<v>[^,;:!?()\n—–]+?)(?=\s+(?:at|in)\b"
            rf"|{_END})",
        ),
    ),
    _slot(
        "schedule.office",
        0.4,
        "office",
        state=(rf"in\s+the\s+office\s+(?:on\s+|every\s+)?(?P<v>{DAY}(?:(?:,|\s+and|,\s+and|\s*&|\s+to)\s*{DAY})*)",),
    ),
    _slot(
        "count",
        0.5,
        "have has",
        state=(rf"(?:have|has)\s+(?P<v>{NUMBER})\s+(?P<of>[^\W\d_]+)",),
    ),
    _slot(
        "habit.prefers",
        0.4,
        "prefer prefers",
        state=(rf"prefers?\s+(?:to\s+(?:have|get|use|receive)\s+)?{V}",),
    ),
)

BY_NAME = {slot.name: slot for slot in SLOTS}
BY_TRIGGER: dict[str, tuple[Slot, ...]] = {
    word: tuple(slot for slot in SLOTS if word in slot.triggers) for slot in SLOTS for word in slot.triggers
}

# What a wrong belief costs, for attributes that have no typed slot: the first that matches the attribute's words.
_HARM = (
    (
        re.compile(
            r"allerg|medic|dose|mg\b|insulin|doctor|gp\b|therap|blood|asthma|thyroid|microgram|tablet|inhaler"
            r"|diabet|pregnan|epilep|health",
            re.I,
        ),
        0.95,
    ),
    (re.compile(r"visa|lawyer|court|custody|legal|passport|permit", re.I), 0.85),
    (re.compile(r"rent|salary|budget|bank|loan|mortgage|iban|price|euros?|dollars?|[$€£]|tax", re.I), 0.7),
    (re.compile(r"e-?mail|phone number|address|contact|telephone", re.I), 0.7),
    (re.compile(r"vega?n|vegetarian|pork|alcohol|gluten|halal|kosher|diet|eat", re.I), 0.75),
    (
        re.compile(r"married|partner|wife|husband|engaged|dating|divorc|pronoun|\bname\b|child|daughter|son\b", re.I),
        0.7,
    ),
    (re.compile(r"work|job|boss|manager|team|project|deadline|live|home|meeting|stand-?up|class|lesson", re.I), 0.6),
    (re.compile(r"prefer|answer|favou?rite|style|tone", re.I), 0.4),
)


def harm_of(slot: str, text: str) -> float:
    """In [0, 1]: how much it matters if the memory is wrong."""
    if slot in BY_NAME:
        return BY_NAME[slot].harm
    return next((harm for pattern, harm in _HARM if pattern.search(text)), 0.3)
