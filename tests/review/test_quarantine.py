"""What the person sees of a claim that is held back or asked about, what they may do, and taking it back."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memreview.evaluate import generate_held
from memreview.ledger import POLICY
from memreview.records import EntryRef
from memreview.review import decisions, exports, history, quarantine, questions, queue, report, why
from memreview.review.gating import Models
from memreview.review.profile import Profile
from memreview.review.values import Decision, QuarantineCase, Verb
from memreview.store import integrity
from tests.review.builders import import_into
from tests.review.histories import PLANTED, REMEMBERED, asking, later, page, profile_with_history, read, remembered
from tests.store.builders import chat, said, store_of


@pytest.fixture
def profile(history_read: Profile) -> Profile:
    return history_read


@pytest.fixture
def asked(tmp_path: Path, models: Models) -> Iterator[Profile]:
    """Lisbon is held; then Porto, twice, and the gate asks."""
    made = profile_with_history(tmp_path)
    read(made, models)
    import_into(made, *later(), name="newer.zip")
    import_into(made, chat("c5", said("m1", "We live in Porto now, near the bridge.", day=61)), name="newest.zip")
    read(made, asking(models))
    yield made
    made.close()


TABLES = "nodes edges questions node_memories blocked_sources memories tombstones memory_evidence"


def rows(profile: Profile) -> dict[str, list[Any]]:
    return {name: [tuple(row) for row in profile.database.execute(f"SELECT * FROM {name}")] for name in TABLES.split()}


def planted(profile: Profile) -> QuarantineCase:
    return quarantine.case(profile, quarantine.ids(profile)[0])


def statuses(profile: Profile, table: str = "memories", column: str = "text") -> dict[str, str]:
    return dict(profile.database.execute(f"SELECT {column}, status FROM {table}").fetchall())


def test_a_case_shows_the_quotation_the_source_and_the_reasons(profile: Profile) -> None:
    case = planted(profile)
    assert case.quote in PLANTED
    assert case.item.provenance.words == "a web page: reviews.example"
    assert case.context is not None
    entry = next(entry for entry in case.context.entries if entry.id == case.context.focus)
    assert [entry.text[start:end] for start, end in entry.highlights] == [case.quote]
    assert case.reading is not None
    assert sum(case.reading.probabilities.values()) == pytest.approx(1)
    assert [memory.text for memory in case.memories] == [REMEMBERED]
    assert set(case.effects) == {"release", "keep", "delete", "never"}
    assert not case.contradicts


@pytest.mark.parametrize(
    ("doubt", "words"), [(0.12, "planted it has a probability of 12%"), (0.01, "would have been taken in")]
)
def test_what_waits_although_something_else_was_likelier_says_why(profile: Profile, doubt: float, words: str) -> None:
    likelier = "UPDATE gate_decisions SET action = 'add', body = json_set(body, '$.probabilities.quarantine', ?)"
    profile.database.execute(likelier, (doubt,))
    assert [reason for reason in planted(profile).reasons if words in reason]


def test_a_row_has_the_memorys_own_text_and_whether_it_is_in_use(profile: Profile) -> None:
    item = planted(profile).item
    assert (item.remembered, item.in_use) == (REMEMBERED, False)
    assert "counts again" in planted(profile).effects["release"][1]
    memory = "UPDATE memories SET status = ? WHERE id = ?"
    profile.database.execute(memory, ("active", *item.memories))
    assert planted(profile).item.in_use
    assert "stays in use" in planted(profile).effects["release"][1]
    profile.database.execute(memory, ("superseded", *item.memories))
    assert quarantine.items(profile, [item.id])[0].remembered == ""


def test_what_was_left_out_comes_back_by_the_persons_decision_alone(profile: Profile) -> None:
    case = planted(profile)
    assert case.item.status == "evicted"
    assert case.corroboration.needed == 0
    assert "only you" in case.corroboration.words[0]
    profile.database.execute("UPDATE nodes SET status = 'quarantined' WHERE id = ?", (case.item.id,))
    case = planted(profile)
    assert case.corroboration.needed == 1
    assert "in your own words" in case.corroboration.words[0]


def test_a_long_list_takes_as_many_queries_as_a_short_one(tmp_path: Path) -> None:
    profile = profile_with_history(tmp_path)
    generate_held.held_back(profile, 12)
    ids = quarantine.ids(profile)
    repeated = [item for item in quarantine.items(profile, ids) if item.memories]
    assert len(repeated) == 3
    for item in repeated:  # their claims come from the memories themselves
        profile.database.execute("UPDATE nodes SET key = 'm' || ? WHERE id = ?", (item.memories[0], item.id))
    asked: list[str] = []
    profile.database.connection.set_trace_callback(asked.append)
    assert [bool(item.remembered) for item in quarantine.items(profile, ids[2:4])] == [True, False]
    short = len(asked)
    assert len(quarantine.items(profile, ids)) == 12
    assert len(asked) == 2 * short
    profile.close()


LISBON, CAT = "I live in Lisbon, near the river.", "Our cat is called Pixel."


def contradicts(profile: Profile, claim: str, kind: str, probability: float) -> None:
    profile.database.execute(
        """INSERT INTO edges (kind, source, target, at, probability, sessions)
           SELECT ?, ?, id, 0, ?, '[]' FROM nodes WHERE claim = ?""",
        (kind, planted(profile).item.id, probability, claim),
    )


def test_only_what_is_all_but_sure_or_set_against_it_counts_as_contradicted(profile: Profile) -> None:
    contradicts(profile, LISBON, "contradiction", 0.89)
    assert not planted(profile).contradicts
    assert planted(profile).item.contradicts == 0
    contradicts(profile, CAT, "contradiction", 0.9)
    contradicts(profile, LISBON, "contends", 1.0)
    case = planted(profile)
    assert [node.claim for node in case.contradicts] == [LISBON, CAT]
    assert case.item.contradicts == 2
    profile.database.execute("UPDATE nodes SET status = 'superseded' WHERE claim = ?", (CAT,))
    assert [node.claim for node in planted(profile).contradicts] == [LISBON]


@pytest.mark.parametrize(
    ("kind", "told", "status"),
    [("contradiction", "stays as it is", "active"), ("contends", "gives way", "superseded")],
)
def test_what_a_release_does_to_what_is_contradicted_is_told(
    profile: Profile, kind: str, told: str, status: str
) -> None:
    contradicts(profile, LISBON, kind, 1.0)
    case = planted(profile)
    assert told in case.effects["release"][-1]
    decisions.decide(profile, Decision(verb=Verb.RELEASE, nodes=(case.item.id,)))
    assert statuses(profile, "nodes", "claim")[LISBON] == status


@pytest.mark.parametrize("kind", ["contradiction", "contends"])
def test_what_holds_in_one_situation_leaves_the_rest_to_what_it_contradicts(profile: Profile, kind: str) -> None:
    contradicts(profile, LISBON, kind, 1.0)
    profile.database.execute("UPDATE nodes SET scope = 'holidays' WHERE id = ?", (planted(profile).item.id,))
    case = planted(profile)
    assert case.effects["release"][-1] == "What it contradicts holds except for holidays."
    decisions.decide(profile, Decision(verb=Verb.RELEASE, nodes=(case.item.id,)))
    assert statuses(profile, "nodes", "claim")[LISBON] == "active"
    narrowed = "SELECT count(*) FROM edges WHERE kind = 'scopes' AND source = ?"
    assert profile.database.value(narrowed, (case.item.id,)) == 1


@pytest.mark.parametrize(("probability", "touched"), [(0.8, False), (0.95, True)])
def test_a_release_touches_nothing_but_what_was_shown(profile: Profile, probability: float, touched: bool) -> None:
    contradicts(profile, LISBON, "contradiction", probability)
    case = planted(profile)
    assert [node.claim for node in case.contradicts] == [LISBON] * touched
    belief = "SELECT * FROM nodes WHERE claim = ?"
    before = profile.database.one(belief, (LISBON,))
    decisions.decide(profile, Decision(verb=Verb.RELEASE, nodes=(case.item.id,), scope="pushchairs"))
    after = profile.database.one(belief, (LISBON,))
    assert before is not None
    assert after is not None
    assert (tuple(before) != tuple(after)) == touched


def test_the_curve_falls_to_the_floor_in_fourteen_days(profile: Profile) -> None:
    case = planted(profile)
    shares = [point.share for point in case.decay]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] == 1
    assert shares[-1] == pytest.approx(POLICY.floor)
    assert case.decay[-1].days == pytest.approx(14.05, abs=0.01)
    assert case.decay[-1].at == case.evicts_at


@pytest.mark.parametrize(
    "decision",
    [
        {"verb": Verb.RELEASE, "layer": "contextual", "scope": "pushchairs"},
        {"verb": Verb.RELEASE},
        {"verb": Verb.KEEP},
        {"verb": Verb.DELETE},
        {"verb": Verb.NEVER},
    ],
)
def test_what_is_done_to_a_claim_can_be_undone_and_done_again(profile: Profile, decision: dict[str, Any]) -> None:
    before = rows(profile)
    wanted = Decision(nodes=(planted(profile).item.id,), **decision)
    preview = decisions.preview(profile, wanted)
    assert rows(profile) == before
    decisions.decide(profile, wanted)
    after = rows(profile)
    assert after != before
    assert sum(preview.counts.values()) > 0
    history.undo(profile)
    assert rows(profile) == before
    history.redo(profile)
    assert rows(profile) == after
    assert not [problem for _, problem, _ in integrity.check(profile.database) if problem]


def test_a_released_claim_counts_where_the_person_says(profile: Profile) -> None:
    case = planted(profile)
    decisions.decide(
        profile, Decision(verb=Verb.RELEASE, nodes=(case.item.id,), layer="contextual", scope="pushchairs")
    )
    assert statuses(profile)[REMEMBERED] == "active"
    row = profile.database.one("SELECT * FROM nodes WHERE id = ?", (case.item.id,))
    assert row is not None
    assert (row["status"], row["layer"], row["scope"]) == ("active", "contextual", "pushchairs")
    memory = next(memory for memory in exports.corrected(profile) if memory.text == REMEMBERED)
    assert memory.scope == "pushchairs"
    assert not quarantine.ids(profile)
    with pytest.raises(LookupError):
        quarantine.case(profile, case.item.id)


def test_a_deleted_claim_takes_its_memory_along(profile: Profile) -> None:
    decisions.decide(profile, Decision(verb=Verb.DELETE, nodes=(planted(profile).item.id,)))
    assert statuses(profile)[REMEMBERED] == "deleted"
    assert queue.counts(profile).quarantined == 0


def test_a_deleted_claim_can_be_put_back_to_be_decided_again(profile: Profile) -> None:
    claim = planted(profile).item.id
    decisions.decide(profile, Decision(verb=Verb.DELETE, nodes=(claim,)))
    decisions.decide(profile, Decision(verb=Verb.RESTORE, nodes=(claim,)))
    assert quarantine.ids(profile) == [claim]
    assert statuses(profile)[REMEMBERED] == "quarantined"


def test_a_kept_claim_stays_out_of_the_list_and_of_exports(profile: Profile) -> None:
    claim = planted(profile).item.id
    decisions.decide(profile, Decision(verb=Verb.KEEP, nodes=(claim,)))
    assert not quarantine.ids(profile)
    assert claim in quarantine.ids(profile, evicted=True)
    assert quarantine.case(profile, claim).item.id == claim
    assert statuses(profile)[REMEMBERED] == "quarantined"


@pytest.mark.parametrize("verb", [Verb.RESTORE, Verb.DELETE])
def test_who_decides_about_the_memory_has_decided_about_its_claim(profile: Profile, verb: Verb) -> None:
    memory = planted(profile).item.memories[0]
    decisions.decide(profile, Decision(verb=verb, memories=(memory,)))
    assert not quarantine.ids(profile)
    history.undo(profile)
    assert quarantine.ids(profile)


def test_a_memory_that_the_person_restored_stays_when_its_claims_days_run_out(profile: Profile, models: Models) -> None:
    item = planted(profile).item
    profile.database.execute("UPDATE nodes SET status = 'quarantined' WHERE id = ?", (item.id,))
    decisions.decide(profile, Decision(verb=Verb.RESTORE, memories=item.memories))
    import_into(profile, *later(), name="newer.zip")
    read(profile, models)
    assert statuses(profile, "nodes", "claim")[PLANTED] == "evicted"
    assert statuses(profile)[REMEMBERED] == "active"


@pytest.mark.parametrize("scope", ["", "holidays"])
def test_a_release_without_a_scope_leaves_the_memory_its_own(profile: Profile, scope: str) -> None:
    case = planted(profile)
    profile.database.execute("UPDATE memories SET scope = 'at home' WHERE id = ?", case.item.memories)
    decisions.decide(profile, Decision(verb=Verb.RELEASE, nodes=(case.item.id,), scope=scope))
    kept = profile.database.value("SELECT scope FROM memories WHERE id = ?", case.item.memories)
    assert kept == (scope or "at home")


@pytest.mark.parametrize("format", ["json", "csv", "markdown"])
def test_no_export_holds_what_is_in_quarantine(profile: Profile, format: str, tmp_path: Path) -> None:
    path = tmp_path.parent / f"{tmp_path.name}-out"
    exports.export(profile, format, path)
    assert "Nuvopram" not in path.read_text("utf-8")
    assert "Lives in Lisbon" in path.read_text("utf-8")


def test_what_makes_no_sense_is_refused(profile: Profile) -> None:
    claim = planted(profile).item.id
    for wrong in (
        Decision(verb=Verb.APPROVE, nodes=(claim,)),
        Decision(verb=Verb.RELEASE, nodes=(claim,), layer="eternal"),
    ):
        with pytest.raises(ValueError, match="“"):
            decisions.decide(profile, wrong)
    with pytest.raises(LookupError):
        decisions.decide(profile, Decision(verb=Verb.RELEASE, nodes=(999,)))


# -- questions ------------------------------------------------------------------------------------------------------


def test_two_remarks_about_one_change_are_one_question(asked: Profile) -> None:
    assert len(questions.ids(asked)) == 1
    question = questions.get(asked, questions.ids(asked)[0])
    assert question.item.claims == 2
    assert question.case == "changed"
    assert question.held is not None
    assert "Lisbon" in question.held.claim
    assert "Porto" in question.item.text
    assert re.search(r"On \d+ \w+ \d{4} you wrote", question.item.text)
    for sentence in (question.item.text, *(effect for answer in question.answers for effect in answer.effects)):
        assert ".”" not in sentence
    assert [answer.key for answer in question.answers] == ["changed", "scoped", "no"]
    assert all(answer.effects for answer in question.answers)
    assert question.contexts[0].entries[0].text.startswith("We live in Porto")


@pytest.mark.parametrize("scope", ["", "global"])
def test_what_holds_in_some_situation_only_names_one(asked: Profile, scope: str) -> None:
    question = questions.ids(asked)[0]
    before = rows(asked)
    with pytest.raises(ValueError, match="situation"):
        decisions.decide(asked, Decision(verb=Verb.ANSWER, questions=(question,), answer="scoped", scope=scope))
    assert rows(asked) == before


@pytest.mark.parametrize(("answer", "lisbon"), [("changed", "superseded"), ("scoped", "active"), ("no", "active")])
def test_an_answer_settles_all_of_it(asked: Profile, answer: str, lisbon: str) -> None:
    before = rows(asked)
    question = questions.ids(asked)[0]
    decisions.decide(asked, Decision(verb=Verb.ANSWER, questions=(question,), answer=answer, scope="holidays"))
    beliefs = statuses(asked, "nodes", "claim")
    assert beliefs["I live in Lisbon, near the river."] == lisbon
    assert statuses(asked)["Lives in Lisbon, near the river"] == lisbon
    expected = "deleted" if answer == "no" else "active"
    assert beliefs["We live in Porto now, near the bridge."] == expected
    added = [memory for memory in exports.corrected(asked) if memory.added and memory.stays]
    assert len(added) == (answer != "no")
    assert not questions.ids(asked)
    history.undo(asked)
    assert rows(asked) == before
    assert questions.ids(asked) == [question]


def porto(profile: Profile, scope: str = "", topic: str = "changed") -> int:
    """The question about Porto; its claims hold in one situation only."""
    (question,) = questions.ids(profile)
    profile.database.execute("UPDATE nodes SET scope = ? WHERE question_id = ?", (scope, question))
    profile.database.execute("UPDATE questions SET topic = ? WHERE id = ?", (topic, question))
    return question


@pytest.mark.parametrize(
    ("topic", "scope", "expected"),
    [("situation", "", ""), ("situation", "summers", "summers"), ("changed", "", "holidays")],
)
def test_always_is_everywhere_and_a_change_holds_where_it_was_said_to(
    asked: Profile, topic: str, scope: str, expected: str
) -> None:
    question = porto(asked, "holidays", topic)
    decisions.decide(asked, Decision(verb=Verb.ANSWER, questions=(question,), answer="changed", scope=scope))
    node = "SELECT scope FROM nodes WHERE question_id = ? AND status = 'active'"
    assert asked.database.value(node, (question,)) == (expected or "global")
    assert [memory.scope for memory in exports.corrected(asked) if memory.added] == [expected]


@pytest.mark.parametrize("answer", ["changed", "text"])
def test_of_several_remarks_about_a_change_the_last_alone_holds(asked: Profile, answer: str) -> None:
    question = questions.ids(asked)[0]
    decisions.decide(asked, Decision(verb=Verb.ANSWER, questions=(question,), answer=answer, text="Lives in Braga"))
    found = asked.database.execute(
        "SELECT status FROM nodes WHERE question_id = ? ORDER BY written_at", (question,)
    ).fetchall()
    assert [status for (status,) in found] == ["superseded", "active"]


def test_an_answer_tells_all_that_it_overtakes(asked: Profile) -> None:
    question = questions.ids(asked)[0]
    asked.database.execute(
        """INSERT INTO edges (kind, source, target, at, probability, sessions)
           SELECT 'contradiction', n.id, c.id, 0, 0.95, '[]' FROM nodes n, nodes c
           WHERE n.question_id = ? AND c.claim LIKE '%Pixel%'""",
        (question,),
    )
    changed = next(answer for answer in questions.get(asked, question).answers if answer.key == "changed")
    told = [effect for effect in changed.effects if "no longer counts" in effect]
    assert len(told) == 2
    decisions.decide(asked, Decision(verb=Verb.ANSWER, questions=(question,), answer="changed"))
    beliefs = statuses(asked, "nodes", "claim")
    assert {beliefs[LISBON], beliefs[CAT]} == {"superseded"}


def test_never_from_a_source_takes_what_is_asked_about_along(asked: Profile, models: Models) -> None:
    import_into(asked, chat("c7", page("m1", f"More. {PLANTED}", day=70)), name="page.zip")
    read(asked, models)
    waiting = asked.database.value("SELECT max(id) FROM nodes WHERE claim LIKE '%Nuvopram%'")
    question = asked.database.value("SELECT id FROM questions")
    asked.database.execute("UPDATE nodes SET question_id = ?, decided = 0 WHERE id = ?", (question, waiting))
    decisions.decide(asked, Decision(verb=Verb.NEVER, nodes=(planted(asked).item.id,)))
    assert {one for claim, one in statuses(asked, "nodes", "claim").items() if "Nuvopram" in claim} == {"deleted"}


def test_the_persons_own_words_take_the_place_of_both(asked: Profile) -> None:
    question = questions.ids(asked)[0]
    with pytest.raises(ValueError, match="Write"):
        decisions.decide(asked, Decision(verb=Verb.ANSWER, questions=(question,), answer="text"))
    decisions.decide(
        asked, Decision(verb=Verb.ANSWER, questions=(question,), answer="text", text="Lives in Porto, works in Lisbon")
    )
    assert statuses(asked)["Lives in Porto, works in Lisbon"] == "active"
    assert statuses(asked)["Lives in Lisbon, near the river"] == "superseded"


PARROT = "Maybe my parrot squawks opera"


@pytest.fixture
def parrot(asked: Profile) -> int:
    """A question whether a remark is meant at all, two memories that say it, and Lisbon, which it is not about."""
    question = porto(asked, "", "meant")
    database = asked.database
    *older, newest = database.execute(
        "SELECT id FROM nodes WHERE question_id = ? ORDER BY written_at", (question,)
    ).fetchall()
    for row in older:
        database.execute("UPDATE nodes SET question_id = NULL, status = 'deleted' WHERE id = ?", (row[0],))
    database.execute("DELETE FROM edges WHERE source = ?", (newest[0],))
    database.execute("UPDATE nodes SET claim = ? WHERE id = ?", (PARROT, newest[0]))
    for text in ("Keeps bees", CAT_MEMORY):
        import_into(
            asked, store_of(remembered(text, text, day=3, evidence=EntryRef("c2", "m1")), complete=False), name=text
        )
        memory = database.value("SELECT max(id) FROM memories WHERE text = ?", (text,))
        database.execute("DELETE FROM node_memories WHERE memory_id = ?", (memory,))
        database.execute("INSERT INTO node_memories (node_id, memory_id) VALUES (?, ?)", (newest[0], memory))
    return question


CAT_MEMORY = "Has a parrot that squawks opera"


@pytest.mark.parametrize("answer", ["remember", "scoped", "text"])
def test_whether_something_is_meant_touches_nothing_else_and_all_that_say_it(
    asked: Profile, parrot: int, answer: str
) -> None:
    before = statuses(asked)
    decisions.decide(
        asked, Decision(verb=Verb.ANSWER, questions=(parrot,), answer=answer, scope="holidays", text="Has a parrot")
    )
    after = statuses(asked)
    assert {text: status for text, status in after.items() if status != before.get(text, "active")} == (
        {CAT_MEMORY: "superseded"} if answer == "text" else {}
    )
    said = asked.database.execute(
        """SELECT m.text, m.scope FROM memories m JOIN node_memories v ON v.memory_id = m.id
           JOIN nodes n ON n.id = v.node_id WHERE n.question_id = ? AND m.status = 'active' ORDER BY m.id""",
        (parrot,),
    ).fetchall()
    expected = ["Has a parrot"] if answer == "text" else ["Keeps bees", CAT_MEMORY]
    assert [tuple(row) for row in said] == [(text, "holidays") for text in expected]


def test_an_answer_tells_what_becomes_of_a_memory_that_says_it(asked: Profile, parrot: int) -> None:
    effects = {answer.key: answer.effects for answer in questions.get(asked, parrot).answers}
    assert "“Keeps bees” is forgotten" in effects["no"][0]
    assert "remembered as “Keeps bees”" in effects["remember"][0]
    decisions.decide(asked, Decision(verb=Verb.ANSWER, questions=(parrot,), answer="no"))
    assert statuses(asked)["Keeps bees"] == "deleted"


def test_a_question_can_wait(asked: Profile) -> None:
    question = questions.ids(asked)[0]
    later = 2**60
    decisions.decide(asked, Decision(verb=Verb.SNOOZE, questions=(question,), until=later))
    assert not questions.ids(asked)
    assert questions.ids(asked, include_snoozed=True) == [question]
    assert queue.counts(asked).questions == 0


def test_claims_behind_a_question_are_not_listed_twice(asked: Profile) -> None:
    assert all("Porto" not in item.claim for item in quarantine.items(asked, quarantine.ids(asked)))


# -- any sequence ---------------------------------------------------------------------------------------------------


def possible(profile: Profile) -> list[Decision]:
    """Everything that could be decided now."""
    claims = profile.database.execute("SELECT id, status FROM nodes ORDER BY id").fetchall()
    found = [
        Decision(verb=verb, nodes=(claim,), scope=scope)
        for claim, status in claims
        for verb, scope in (
            (Verb.RELEASE, ""), (Verb.RELEASE, "letters"), (Verb.KEEP, ""), (Verb.DELETE, ""), (Verb.RESTORE, ""),
        )
        if verb is not Verb.KEEP or status in ("quarantined", "evicted")
    ]  # fmt: skip
    for question in questions.ids(profile, include_snoozed=True):
        found += [
            Decision(verb=Verb.ANSWER, questions=(question,), answer=answer.key, scope="letters", text="Lives nowhere")
            for answer in questions.get(profile, question).answers
        ]
        found.append(Decision(verb=Verb.ANSWER, questions=(question,), answer="text", text="Lives in both"))
    return found


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory, models: Models) -> Path:
    home = tmp_path_factory.mktemp("template")
    made = profile_with_history(home)
    read(made, models)
    import_into(made, *later(), name="newer.zip")
    read(made, asking(models))
    made.close()
    return home


@settings(max_examples=25, deadline=None)
@given(choices=st.lists(st.integers(0, 10**6), min_size=1, max_size=6))
def test_any_sequence_of_decisions_undone_gives_the_very_same_rows(template: Path, choices: list[int]) -> None:
    with TemporaryDirectory() as folder:
        shutil.copytree(template, folder, dirs_exist_ok=True)
        profile = Profile.open(Path(folder))
        before = rows(profile)
        for choice in choices:
            decided = possible(profile)
            decisions.decide(profile, decided[choice % len(decided)])
            held = {row[0] for row in profile.database.execute("SELECT text FROM memories WHERE status = 'active'")}
            planted_status = statuses(profile, "nodes", "claim").get(PLANTED)
            assert planted_status == "active" or REMEMBERED not in held
        while history.undo(profile) is not None and profile.database.value(
            "SELECT count(*) FROM journal WHERE state = 'done' AND verb <> 'import' AND actor = 'person'"
        ):
            pass
        assert rows(profile) == before
        profile.close()


# -- why, and the report --------------------------------------------------------------------------------------------


def test_a_memorys_life_is_told_in_order(profile: Profile) -> None:
    memory = profile.database.value("SELECT id FROM memories WHERE text LIKE 'Lives in Lisbon%'")
    life = why.of_memory(profile, memory)
    kinds = [line.kind for line in life.lines]
    assert kinds.index("said") < kinds.index("corroborated")
    assert {"said", "gate", "stored", "corroborated"} <= set(kinds)
    times = [line.at for line in life.lines if line.at is not None]
    assert times == sorted(times)
    assert life.node is not None
    assert life.node.trust == "user"


def test_what_the_person_decided_is_part_of_it(profile: Profile) -> None:
    claim = planted(profile).item.id
    decisions.decide(profile, Decision(verb=Verb.RELEASE, nodes=(claim,)))
    assert "decided" in [line.kind for line in why.of_node(profile, claim).lines]
    with pytest.raises(LookupError):
        why.of_node(profile, 10**6)


def test_the_report_names_what_was_planted_and_asked(profile: Profile) -> None:
    text = report.text(profile)
    assert "1 looks planted" in text
    assert f"! {REMEMBERED}" in text
    assert "held back: it comes from a web page: reviews.example" in text
    profile.database.execute("UPDATE memories SET status = 'active' WHERE status = 'quarantined'")
    assert "looks planted, still in use until you decide: it comes from a web page" in report.text(profile)


def test_the_persons_own_words_are_listed_only_if_they_read_as_quoted(profile: Profile) -> None:
    claim = quarantine.ids(profile)[0]
    database = profile.database
    database.execute("""UPDATE nodes SET origins = '["user"]' WHERE id = ?""", (claim,))
    quoted = """UPDATE gate_decisions SET body = json_set(body, '$.quoted', json(?))
        WHERE key = (SELECT key FROM nodes WHERE id = ?)"""
    database.execute(quoted, ("false", claim))
    assert claim not in quarantine.ids(profile)
    assert claim in quarantine.ids(profile, evicted=True)
    database.execute(quoted, ("true", claim))
    assert claim in quarantine.ids(profile)
