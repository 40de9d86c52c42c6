"""The lifecycle audit on small worlds: what is found, how it is worded, what is left alone."""

from __future__ import annotations

import pytest

from memreview.audit.lifecycle import AuditResult, Since, audit
from memreview.records.entry import Origin
from memreview.records.transition import Authorization, Transition, TransitionKind
from tests.audit.worlds import World, day


def run(world: World, since: Since | None = None) -> AuditResult:
    return audit(world.memories, world.statements, world.entries, None, since)


def changes(world: World) -> list[Transition]:
    return [found for found in run(world).transitions if found.kind is not TransitionKind.DUPLICATE]


def only(world: World) -> Transition:
    (found,) = changes(world)
    return found


@pytest.mark.parametrize(
    ("note", "said", "later", "claim"),
    [
        ("Lives in Leeds.", "I live in Leeds.", "We moved to Porto in February, at last.", "Lives in Porto."),
        (
            "User is a barista at Kaffa.",
            "I work as a barista at Kaffa",
            "got a job, I'm working as a florist now",
            "User is a florist at Kaffa.",
        ),
        ("User smokes.", "I smoke.", "Day 40. I've stopped smoking.", "User no longer smokes."),
        ("Is vegan.", "I'm vegan.", "I'm no longer vegan, my iron was too low.", "Is no longer vegan."),
        ("Cycles to work.", "I cycle to work.", "I take the bus to work now.", "Takes the bus to work."),
        (
            "Takes 10 mg lisinopril.",
            "I take 10 mg lisinopril.",
            "I take 20 mg lisinopril now.",
            "Takes 20 mg lisinopril.",
        ),
        ("Rent is $1,400.", "My rent is $1,400.", "My rent is $1,550 now.", "Rent is $1,550."),
        (
            "User has an iPhone 13.",
            "I have an iPhone 13.",
            "I've switched from the iPhone 13 to a Pixel 9.",
            "User has a Pixel 9.",
        ),
        ("Doesn't eat pork.", "I don't eat pork.", "I eat pork again.", "User eats pork again."),
        (
            "User's dog is called Otto.",
            "My dog is called Otto",
            "Otto passed away last week.",
            "Otto passed away last week.",
        ),
    ],
)
def test_the_new_memory_is_in_the_style_of_the_old(note: str, said: str, later: str, claim: str) -> None:
    world = World()
    entry = world.say(said, 1)
    world.note(note, 1.1, evidence=(entry,))
    world.say(later, 100)
    found = only(world)
    assert found.new_claim == claim
    assert found.authorization is Authorization.VERIFIED


@pytest.mark.parametrize(
    "later",
    [
        "My sister moved to Porto.",
        "I might move to Porto, who knows.",
        "I'm going to move to Porto in June.",
        "If I moved to Porto, what would the rent be?",
        "Should I move to Porto?",
        "We almost moved to Porto in 2019.",
        "When I was a student I lived in Porto.",
        "I'm staying in Porto this week.",
        'He wrote "I moved to Porto and never looked back" in his letter.',
        "Write a story: I moved to Porto and met a whale.",
        "yeah right, I moved to Porto, and I'm also the pope",
        "We didn't move to Porto.",
        "> I moved to Porto",
        "I moved the files from Porto to the backup disk.",
        "I wish I lived in Porto.",
        "She told me I moved to Porto too early.",
    ],
)
def test_what_is_not_meant_of_the_person_and_of_now_changes_nothing(later: str) -> None:
    world = World()
    world.say("I live in Leeds.", 1)
    world.note("Lives in Leeds.", 2)
    world.say(later, 100)
    assert changes(world) == []


@pytest.mark.parametrize("origin", [origin for origin in Origin if origin is not Origin.USER])
def test_only_the_persons_own_words_count(origin: Origin) -> None:
    world = World()
    world.say("I live in Leeds.", 1)
    world.note("Lives in Leeds.", 2)
    world.say("I moved to Porto.", 100, origin=origin)
    assert changes(world) == []


def test_an_abandoned_branch_and_an_unknown_time_change_nothing() -> None:
    world = World()
    world.say("I live in Leeds.", 1)
    world.note("Lives in Leeds.", 2)
    world.say("I moved to Porto.", 100, active=False)
    world.say("I moved to Ghent.", None)
    assert changes(world) == []


def test_each_stale_memory_points_to_the_latest_value_through_what_was_between() -> None:
    world = World()
    world.say("I live in Leeds.", 1)
    world.note("Lives in Leeds.", 2)
    world.say("I moved to Porto.", 100)
    world.note("Lives in Porto.", 101)
    world.say("I've moved to Ghent.", 200)
    first, second = sorted(changes(world), key=lambda found: found.old_memory_id)
    assert (first.old_value, first.new_value) == ("Leeds", "Ghent")
    assert first.path == ("entry:1", "memory:1", "slot:location.city", "entry:2", "entry:3")
    assert (second.old_value, second.new_value) == ("Porto", "Ghent")


def test_who_went_back_is_where_the_memory_says() -> None:
    world = World()
    world.say("I live in Leeds.", 1)
    world.note("Lives in Leeds.", 2)
    world.say("I moved to Porto.", 100)
    world.say("I moved back to Leeds.", 200)
    assert changes(world) == []


def test_a_memory_without_link_or_time_is_anchored_in_the_chats_of_another_source() -> None:
    world = World()
    world.say("can you plan a run? I live in Leeds, near the canal", 1)
    world.note("Lives in Leeds", source_id=9)
    world.say("I've relocated to Austin.", 90)
    found = only(world)
    assert found.authorization is Authorization.VERIFIED
    assert found.old_quote
    assert found.old_quote.text == "I live in Leeds, near the canal"
    assert found.old_quote.at == day(1)


def test_two_notes_without_any_words_are_stated_only() -> None:
    world = World()
    world.note("Drives a Volvo.", 1)
    world.note("Drives a Kia.", 100)
    found = only(world)
    assert found.authorization is Authorization.STATED
    assert (found.old_memory_id, found.new_memory_id, found.new_claim) == (1, 2, "Drives a Kia.")
    assert any("words of yours" in reason for reason in found.reasons)


def test_a_memory_written_after_the_change_is_left_alone() -> None:
    world = World()
    world.say("I quit Deloitte.", 100)
    world.note("Quit Deloitte in spring", 101)
    world.note("Wrote a book about Deloitte", 150)
    assert changes(world) == []


def test_what_can_be_had_twice_coexists() -> None:
    world = World()
    for note, said in [
        ("Likes jazz.", "I like jazz."),
        ("Has a dog named Otto.", "I have a dog named Otto."),
        ("Allergic to nuts.", "I'm allergic to nuts."),
    ]:
        world.say(said, 1)
        world.note(note, 2)
    for said in [
        "I like techno now.",
        "We have a dog named Rex too.",
        "I'm allergic to pollen.",
        "I have a cat named Miso.",
    ]:
        world.say(said, 100)
    assert changes(world) == []


def test_look_alikes_about_others_are_left_alone() -> None:
    world = World()
    world.note("User's favourite player is Messi", 1)
    world.note("User's brother's favourite player is Mbappé", 2)
    world.note("Lives in Leeds", 1)
    world.note("Lives in Oslo", 3, subject="Ingrid Berg")
    world.note("User's sister lives in Malmö", 4)
    world.note("Works at Bosch", 5, subject="")
    world.say("My sister's boss works at Siemens now.", 50)
    assert run(world).transitions == ()


def test_duplicates_are_folded_into_the_one_that_says_more() -> None:
    world = World()
    world.note("User works as a paralegal at Denham & Cole.", 1)
    world.note("Works as a paralegal at Denham & Cole", 2)
    world.note("Works as a paralegal at Denham & Cole in Ghent", 3)
    found = run(world).transitions
    assert {(pair.kind, pair.old_memory_id, pair.new_memory_id) for pair in found} == {
        (TransitionKind.DUPLICATE, 1, 3),
        (TransitionKind.DUPLICATE, 2, 3),
    }


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Runs 20 km a week", "Runs 35 km a week"),
        ("Likes coffee with milk", "Doesn't like coffee with milk"),
        ("User's sister plays the violin", "User's brother plays the violin"),
        ("Likes the old town of Ghent", "Likes the old town of Porto"),
    ],
)
def test_a_number_a_denial_a_subject_or_a_name_sets_memories_apart(one: str, other: str) -> None:
    world = World()
    world.note(one, 1)
    world.note(other, 2)
    assert all(found.kind is not TransitionKind.DUPLICATE for found in run(world).transitions)


def test_a_later_audit_looks_at_what_is_new_only() -> None:
    world = World()
    world.say("I live in Leeds and I smoke.", 1)
    world.note("Lives in Leeds", 2)
    world.note("User smokes", 2)
    world.say("I moved to Porto.", 50)
    first = run(world)
    assert [found.new_value for found in first.transitions] == ["Porto"]
    mark = Since(window_id=len(world.statements), memory_id=len(world.memories))
    assert run(world, mark).transitions == ()
    world.say("I quit smoking.", 60)
    assert [found.new_value for found in run(world, mark).transitions] == ["quit smoking"]
    world.note("Based in Leeds", 3)
    assert {found.old_memory_id for found in run(world, mark).transitions} >= {2, 3}


def test_the_key_survives_other_ids_and_another_wording() -> None:
    keys = []
    for note, noise in [("Lives in Leeds.", 0), ("The user lives in Leeds", 3)]:
        world = World()
        for number in range(noise):
            world.say(f"Unrelated question number {number}?", 0.1)
            world.note(f"Unrelated note {number} of many", 0.2)
        world.say("I live in Leeds.", 1)
        world.note(note, 2)
        world.say("We moved to Porto.", 100)
        keys.append(only(world).key)
    assert keys[0] == keys[1]


def test_refused_candidates_are_counted_and_progress_is_told() -> None:
    world = World()
    world.say("I live in Leeds.", 1)
    world.note("Lives in Leeds", 2, evidence=(1,))
    world.say("I moved to Porto.", 3)
    told: list[float] = []
    result = audit(world.memories, world.statements, world.entries, None, None, told.append)
    assert len(result.transitions) == 1
    assert result.refused == {}
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_nothing_in_nothing_out() -> None:
    assert audit([], [], {}, None) == AuditResult((), {})


def test_only_what_held_the_old_value_of_a_thing_is_overturned() -> None:
    world = World()
    world.say("My Portuguese class is on Wednesdays.", 1)
    world.note("Portuguese class is on Wednesdays", 2)
    world.note("User learns Portuguese in an evening class", 2)
    world.say("the Portuguese class has moved from Wednesdays to Mondays", 100)
    assert [found.old_memory_id for found in changes(world)] == [1]
