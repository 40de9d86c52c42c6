"""Taking back a step that later ones rest on: the person sees them first, and all of them go or none."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QMessageBox

from memreview.review import history
from memreview.store import journal
from memreview.store import ledger as stored
from memreview.ui import taking_back


@pytest.fixture
def window(profile, filled, open_window):
    """Over a profile that the check has read three times, without changing any row twice."""
    filled(1)
    for number in range(3):
        with journal.action(profile.database, "gate", "program") as act:
            stored.put_run(profile.database, act, stored.Run("made-up", b"", None, number, 0), [])
    return open_window()


def _standing(profile) -> list[str]:
    return [step.verb for step in history.steps(profile) if step.state == "done"]


@pytest.mark.parametrize(("back", "told"), [(1, "1 later step rests on it"), (2, "2 later steps rest on it")])
def test_later_steps_of_the_check_are_named_and_go_as_well(window, profile, when_asked, back, told):
    def agree(box: QMessageBox) -> None:
        assert f"can't be undone on its own: {told}." in box.text()
        assert box.informativeText().count("•") == back
        next(button for button in box.buttons() if button.text() == "Undo these too").click()

    standing = _standing(profile)
    assert standing[:3] == ["gate"] * 3
    when_asked(agree)
    assert taking_back.undo_step(window, window.context, history.steps(profile)[back])
    assert _standing(profile) == standing[back + 1 :]


def test_of_very_many_the_rest_is_named_where_one_can_scroll(window, profile, when_asked):
    for number in range(3, 16):
        with journal.action(profile.database, "gate", "program") as act:
            stored.put_run(profile.database, act, stored.Run("made-up", b"", None, number, 0), [])

    def look(box: QMessageBox) -> None:
        assert box.informativeText().splitlines()[12:] == ["and 3 more"]
        assert box.detailedText().count("•") == 15
        box.reject()

    when_asked(look)
    assert not taking_back.undo_step(window, window.context, history.steps(profile)[15])


def test_what_rests_on_what_goes_in_the_way_goes_as_well(profile, filled, open_window, when_asked):
    """A decision on what the check had found, and under it a newer import that holds the same."""
    filled(1)
    with journal.action(profile.database, "gate", "program") as act:
        row = act.insert("blocked_sources", origin="user", name="found", created_at=0)
        stored.put_run(profile.database, act, stored.Run("made-up", b"", None, 1, 0), ["e1"])
    filled(2)
    with journal.action(profile.database, "gate", "program") as act:
        stored.put_run(profile.database, act, stored.Run("made-up", b"", None, 2, 0), ["e2"])
    with journal.action(profile.database, "keep", claims=1) as act:
        act.update("blocked_sources", row, name="decided")
    named = [step for step in history.steps(profile) if step.verb in ("keep", "gate", "import")]
    first = named.pop()

    def agree(box: QMessageBox) -> None:
        assert "4 later steps rest on it." in box.text()
        told = box.informativeText().splitlines()
        assert all(step.label in line for step, line in zip(named, told, strict=True))
        next(button for button in box.buttons() if button.text() == "Undo these too").click()

    window = open_window()
    when_asked(agree)
    assert taking_back.undo_step(window, window.context, first)
    assert _standing(profile) == ["audit", "audit"]
    assert not profile.database.value("SELECT count(*) FROM live_entries")


def test_who_cancels_takes_nothing_back(window, profile, when_asked):
    standing = _standing(profile)
    when_asked(lambda box: box.reject())
    assert not taking_back.undo_step(window, window.context, history.steps(profile)[1])
    assert _standing(profile) == standing
