"""What the audit makes of the relation model's word. The models' own judgement is tested with them; here a script of
judgements stands in, so that each rule is seen alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from memreview.audit.lifecycle import Since, audit
from memreview.audit.lifecycle.inferred import PROBABILITY
from memreview.language.claims import Hypothesis, SpeechAct
from memreview.language.relations import NLI, RELATIONS, Judgement, Pair
from memreview.records.transition import Authorization, Transition, TransitionKind
from tests.audit.worlds import World

CYCLES, ANKLE = "I cycle to work, rain or shine.", "broke my ankle on the stairs, eight weeks in a boot"


def claims(slot: str, act: SpeechAct = "sincere", confidence: float = 0.9) -> Hypothesis:
    return Hypothesis(True, 0.9, act, confidence, claim_span=(0, 5), slot=slot, slots=(slot,), first_hand=True)


@dataclass
class Script:
    """Slots by a word of the text, and the probability of *supersedes* by words of older and newer."""

    slots: Mapping[str, Hypothesis]
    supersedes: Mapping[tuple[str, str], float]
    asked: list[Pair] = field(default_factory=list)

    def own(self, texts: Sequence[str]) -> list[Hypothesis | None]:
        return [next((one for word, one in self.slots.items() if word in text), None) for text in texts]

    noted = own

    def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        self.asked += pairs
        return [self._judgement(pair) for pair in pairs]

    def _judgement(self, pair: Pair) -> Judgement:
        found = (p for (old, new), p in self.supersedes.items() if old in pair.older and new in pair.newer)
        sure = next(found, 0.0)
        rest = (1 - sure) / 4
        relations = {relation: sure if relation == "supersedes" else rest for relation in RELATIONS}
        return Judgement(relations, dict.fromkeys(NLI, 1 / 3))


class Alike:
    """An embedder to which all texts are somewhat alike."""

    def vectors(self, texts: list[str]) -> np.ndarray:
        rng = np.random.default_rng(0)
        vectors = 0.6 + 0.4 * rng.random((len(texts), 16), dtype=np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


SLOTS = {"cycl": claims("transport.commute"), "ycles": claims("transport.commute"), "ankle": claims("health.injury")}


def world() -> World:
    made = World()
    made.say(CYCLES, 1)
    made.note("Cycles to work", 2)
    made.note("Keeps quail", 2)
    made.say(ANKLE, 30)
    return made


def found(made: World, script: Script, since: Since | None = None) -> list[Transition]:
    result = audit(made.memories, made.statements, made.entries, Alike(), since, reader=script)
    return [one for one in result.transitions if one.kind in (TransitionKind.IMPLICIT, TransitionKind.PROPAGATED)]


def test_what_a_dependent_slot_rules_out_is_proposed_and_validated() -> None:
    (one,) = found(world(), Script(SLOTS, {("Cycles", "ankle"): 0.99}))
    assert one.kind is TransitionKind.IMPLICIT
    assert one.old_memory_id == 1
    assert one.authorization is Authorization.VERIFIED
    assert one.old_quote is not None
    assert one.old_quote.text == CYCLES
    assert one.new_quote is not None
    assert ANKLE.startswith(one.new_quote.text)
    assert one.path == ("entry:1", "memory:1", "slot:health.injury", "entry:2")
    assert one.new_claim == "No longer cycles to work"


def test_without_own_words_for_the_old_state_nothing_is_inferred() -> None:
    made = World()
    made.note("Rides a tandem", 2)
    made.say(ANKLE, 30)
    assert not found(made, Script({"tandem": claims("transport.bicycle"), **SLOTS}, {("tandem", "ankle"): 0.99}))


def test_what_is_said_of_somebody_else_bears_on_memories_that_name_them() -> None:
    for held, hit in (("Jo cycles to work", True), ("Cycles to work", False)):
        made = World()
        made.say("Jo and I, we cycle to work.", 1)
        made.note(held, 2)
        made.say("Jo broke her ankle on the stairs", 30)
        script = Script({**SLOTS, "ankle": claims("family.friends", "other_person")}, {("ycles", "ankle"): 0.99})
        found(made, script)
        assert bool(script.asked) == hit


def test_what_the_person_says_of_themselves_bears_on_nobody_elses_memory() -> None:
    made = World()
    made.say("My mother cycles to work.", 1)
    made.note("User's mother cycles to work", 2)
    made.say(ANKLE, 30)
    script = Script(SLOTS, {("mother", "ankle"): 0.99})
    assert not found(made, script)
    assert not script.asked


@pytest.mark.parametrize(
    ("held", "over"),
    [
        ("User ran the coast marathon by cycle ferry.", True),
        ("Has visited a cycle museum in Oslo", True),
        ("The user has a son, born 9 June, who cycles", True),
        ("Cycles to work and ran a marathon", False),
        ("Runs and cycles on Sundays", False),
        ("Is saving for a cycle tour", False),
        ("Bought a motorcycle", False),
    ],
)
def test_what_has_happened_is_not_ruled_out_by_what_comes_after(held: str, over: bool) -> None:
    made = World()
    made.say(held, 1)
    made.note(held, 2)
    made.say(ANKLE, 30)
    script = Script(SLOTS, {("", "ankle"): 0.99})
    found(made, script)
    assert bool(script.asked) != over


def test_what_the_model_is_not_sure_of_is_left() -> None:
    assert not found(world(), Script(SLOTS, {("Cycles", "ankle"): PROBABILITY - 0.01}))


def test_only_what_is_claimed_and_meant_counts() -> None:
    for idle in (None, claims("health.injury", "sarcastic"), claims("health.injury", confidence=0.2)):
        slots = {word: one for word, one in {**SLOTS, "ankle": idle}.items() if one is not None}
        script = Script(slots, {("Cycles", "ankle"): 0.99})
        assert not found(world(), script)
        assert not script.asked


def test_an_earlier_statement_rules_nothing_out() -> None:
    made = World()
    made.say(ANKLE, 1)
    made.note("Cycles to work", 30)
    assert not found(made, Script(SLOTS, {("Cycles", "ankle"): 0.99}))


def test_what_hangs_on_an_explicit_change_is_propagated() -> None:
    made = World()
    made.say("I work at Brandt, and my manager is Ute.", 1)
    made.note("Works at Brandt", 2)
    made.note("Manager is Ute", 2)
    made.say("I no longer work at Brandt, I work at Holm now.", 30)
    slots = {"Brandt": claims("work.employer"), "Ute": claims("work.colleagues")}
    (one,) = found(made, Script(slots, {("Ute", "Holm"): 0.99}))
    assert one.kind is TransitionKind.PROPAGATED
    assert one.old_memory_id == 2


def test_a_later_audit_asks_only_about_what_is_new() -> None:
    made = world()
    script = Script(SLOTS, {("Cycles", "ankle"): 0.99})
    assert not found(made, script, Since(window_id=len(made.statements), memory_id=len(made.memories)))
    assert not script.asked
    made.say("my ankle again, another eight weeks", 60)
    assert len(found(made, script, Since(window_id=len(made.statements) - 1, memory_id=len(made.memories)))) == 1
