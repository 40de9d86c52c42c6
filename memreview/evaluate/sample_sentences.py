"""Invented sentences of mixed length and subject, as people write them to an assistant: input of the embedding benches.

The same seed gives the same sentences on every machine.
"""

from __future__ import annotations

import random
import re

# Lengths follow what the window splitter yields on chats: many short lines, a long tail up to the
# encoder's limit.
_SENTENCES_PER_TEXT = (1, 1, 1, 1, 1, 1, 2, 2, 3, 5)

_TEMPLATES = tuple(
    line.strip()
    for line in """
    I moved to {city} in {month}, and the flat is finally starting to feel like home.
    Yes.
    ok thanks, that works
    Can you remind me what we said about {topic}?
    User is allergic to {food}.
    The user works as a {job} at a small company in {city}.
    i dont eat {food} anymore, doctor's orders
    My {relative} {name} is visiting {when} and does not like {food}.
    Actually, scrap that: since {month} I go by train, not by car, because the {thing} broke down twice.
    Prefers short answers without bullet points.
    We paid {number} euros for the {thing}, which was {number} more than the quote said.
    What is the difference between {topic} and {topic}?
    Please write a polite email to {name} saying that I can't make it {when}.
    I used to live in {city}, but that was before {name} was born.
    {name} said the meeting about {topic} is moved to {hour}:{minute} on {weekday}.
    It would be great if you could stop recommending {food}; I have told you more than once that I can't \
stand it.
    Haha sure, because I just love getting up at {hour} in the morning to look for my {thing}.
    According to the brochure, members over {number} get the {thing} for free and everybody else pays \
{number} a month.
    Traceback (most recent call last): ValueError in line {number}: expected {number} columns, got {number}.
    SELECT name, price FROM orders WHERE customer_id = {number} AND city = '{city}' ORDER BY created_at DESC;
    Remember that my {relative} is the one with diabetes, not me, so recipes with {food} are fine as \
long as the portions are \
counted.
    For the trip to {city} we need a hotel near the station, two rooms, one of them without stairs, and \
a place that serves {food} \
late.
    I started as a {job} {when}; before that I spent {number} years as a {job}, mostly nights, and I do \
not miss it for one minute.
    The landlord confirmed in writing that the rent stays at {number} until {month}, that the {thing} \
gets replaced before winter, \
and that {name} may sublet the small room.
    Ich wohne seit {month} in {city} und arbeite als {job}.
    J'habite à {city} avec {name} et je ne mange pas de {food}.
    Me mudé a {city} en {month} y trabajo con {name}.
    私は{city}に住んでいて、{name}と働いています。
    Living in {city}! 🎉 so happy 😊
    - {thing}: {number} pieces, deliver to {city}
    # Notes on {topic}
    https://example.org/{thing}/{number}?city={city}&ref={number}
    No, not {name}, the other one, {name}, who teaches {topic} at the evening school.
    I think my answer from {weekday} was wrong: the {thing} costs {number}, not {number}, and it only \
fits if the door is at least \
{number} centimetres wide.
    {name} und ich treffen uns {weekday} um {hour} Uhr.
    You asked me about {topic}. In short, it depends on how much time you have, what you already know, \
and whether {name} can help \
you on {weekday}; if not, start with the chapter about {topic} and come back to the exercises when the \
{thing} has arrived.
    Please keep in mind that we are vegetarian at home since {month}, although {name} still eats {food} at work.
    My new phone number ends in {number}, and the old one stops working in {month}.
    I'm training for the {city} marathon, currently at {number} kilometres a week, with {weekday} as the \
rest day.
    Could you explain {topic} to me as if I were a {job} who has never opened a textbook?
    """.replace("\\\n", "")
    .strip()
    .splitlines()
)

_WORDS = {
    "city": "Berlin|Lisbon|Oslo|Toronto|Nairobi|Kyoto|Ghent|Valparaíso|Leeds|Pune|Kraków|Tampere|Austin|Hanoi|Izmir",
    "month": "January|March|May|June|August|October|early December|last spring|2023|the summer of 2024",
    "topic": "photosynthesis|index funds|the subjunctive|sourdough|Kubernetes|tax deductions|the French Revolution"
    "|jazz harmony|sleep training|regular expressions|composting|the offside rule|quantum tunnelling|bicycle gears"
    "|GDPR",
    "food": "walnuts|shellfish|coriander|oat milk|lentil soup|blue cheese|sashimi|gluten|mango|peanut butter|olives",
    "job": "nurse|data analyst|carpenter|school bus driver|patent lawyer|baker|game designer|midwife|soil scientist",
    "relative": "sister|brother-in-law|mother|grandson|wife|cousin|partner|neighbour's daughter",
    "name": "Anna|Tomasz|Yuki|Priya|Marek|Ifeoma|Lars|Chiara|Obinna|Dolores|Wei|Fatima",
    "thing": "dishwasher|violin|standing desk|router|inhaler|camper van|printer|greenhouse|e-bike|passport|telescope",
    "when": "next week|tomorrow|after Easter|in two months|on Friday|as soon as the exams are over",
    "weekday": "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday",
}
_CHOICES = {slot: words.split("|") for slot, words in _WORDS.items()}
_SLOT = re.compile(r"{(\w+)}")


def sample_sentences(count: int, seed: int = 7) -> list[str]:
    """`count` distinct texts of about 1 to 150 words."""
    rng = random.Random(seed)
    texts: dict[str, None] = {}
    while len(texts) < count:
        parts = rng.sample(_TEMPLATES, rng.choice(_SENTENCES_PER_TEXT))
        texts[" ".join(_filled(part, rng) for part in parts)] = None
        if len(texts) < count and rng.random() < 0.02:
            texts[_one_off(len(texts), rng)] = None
    return list(texts)


def _filled(template: str, rng: random.Random) -> str:
    def word(match: re.Match[str]) -> str:
        slot = match[1]
        if slot in _CHOICES:
            return rng.choice(_CHOICES[slot])
        return {"hour": f"{rng.randint(5, 22)}", "minute": f"{rng.randrange(0, 60, 5):02}"}.get(
            slot, f"{rng.randint(2, 1900)}"
        )

    return _SLOT.sub(word, template)


def _one_off(number: int, rng: random.Random) -> str:
    """A text near or over the encoder's limit, as pasted documents have."""
    return f"Document {number}: " + " ".join(_filled(part, rng) for part in rng.sample(_TEMPLATES, 14))
