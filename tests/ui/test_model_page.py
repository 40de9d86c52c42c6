"""The language model's page over a real worker; the models are servers on real sockets."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QFileDialog, QMessageBox, QTreeWidget

from memreview.review import language_model
from memreview.review.language_model import Bundled, Off, Server
from memreview.ui.dialogs.model_server import ServerDialog
from memreview.ui.panels.model_page import ModelCard
from tests.language.llm_server import knowing, serving

WAIT = 60_000


@pytest.fixture
def window(open_window):
    return open_window()


@pytest.fixture
def card(window, qtbot) -> ModelCard:
    panel = window.show_place("settings")
    panel.go_to(2)
    card = panel.findChild(ModelCard)
    qtbot.waitUntil(lambda: card.jobs.topLevelItemCount() == 5)
    return card


def rows(table: QTreeWidget) -> list[list[str]]:
    items = [table.topLevelItem(row) for row in range(table.topLevelItemCount())]
    return [[item.text(column) for column in range(table.columnCount())] for item in items]


def used(card: ModelCard, qtbot) -> None:
    qtbot.waitUntil(lambda: card._job is None and card._context.queries.idle, timeout=WAIT)


def test_before_a_model_was_tried_the_rules_do_everything_and_say_so(card, window):
    assert {row[1] for row in rows(card.jobs)} == {"memreview"}
    assert all(row[3] for row in rows(card.jobs))
    assert not card.warning.isVisible()


def test_a_server_is_tried_and_shown_with_a_warning_and_on_the_privacy_page(card, window, profile, qtbot, when_asked):
    with serving(knowing) as told:

        def fill(dialog: ServerDialog) -> None:
            dialog.url.setText(told.url)
            dialog.accept_button.click()

        when_asked(fill)
        card.server.click()
        assert not card.server.isEnabled()
        used(card, qtbot)
        by = {row[0]: row[1:3] for row in rows(card.jobs)}
        assert by["Words a claim as a note"] == ["the model", "6 of 6"]
        assert by["Words a question"][0] == "memreview"
        assert card.warning.isVisible()
        panel = window.panel("settings")
        texts = [row for table in panel.findChildren(QTreeWidget) for row in rows(table)]
        server = next(row for row in texts if row[0] == "Language model server")
        assert server[2] == "on"
        assert told.url in server[1]
    assert isinstance(language_model.chosen(profile), Server)
    card.off.click()
    used(card, qtbot)
    assert isinstance(language_model.chosen(profile), Off)
    assert not card.again.isEnabled()
    assert not card.warning.isVisible()


@pytest.mark.parametrize("agrees", [True, False])
def test_another_computer_needs_a_second_word(card, qtbot, monkeypatch, agrees):
    asked = []

    def answer(box):
        asked.append(box.text())
        next(button for button in box.buttons() if (button.text() == "Send them there") == agrees).click()
        return 0

    monkeypatch.setattr(QMessageBox, "exec", answer)
    dialog = ServerDialog(card)
    qtbot.addWidget(dialog)
    dialog.url.setText("https://192.0.2.7/v1")
    dialog.accept()
    assert "192.0.2.7 is not this computer" in asked[0]
    assert (dialog.choice is not None) == agrees
    assert bool(dialog.result()) == agrees


def test_what_is_no_address_is_told_in_the_dialog(card, qtbot):
    dialog = ServerDialog(card)
    qtbot.addWidget(dialog)
    dialog.url.setText("my computer")
    dialog.accept()
    assert dialog.choice is None
    assert "not the address" in dialog.problem.text()


def test_a_file_that_is_no_model_changes_nothing(card, profile, qtbot, monkeypatch, tmp_path, window):
    path = tmp_path / "letter.gguf"
    path.write_text("Dear diary")
    told = []
    window.context.failed.connect(lambda *words: told.append(words))
    monkeypatch.setattr(QMessageBox, "exec", lambda box: 0)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))
    card.file.click()
    used(card, qtbot)
    assert told == [("The file letter.gguf is not a GGUF file.", "The choice stays as it was.")]
    assert isinstance(language_model.chosen(profile), Bundled)
    assert card.file.isEnabled()


def test_trying_can_be_cancelled(card, profile, qtbot):
    def slow(request):
        import time

        time.sleep(0.05)
        return knowing(request)

    with serving(slow) as told:
        card._use({"choice": {"type": "server", "url": told.url, "model": "", "elsewhere": False}})
        with qtbot.waitSignal(card._job.progressed, timeout=WAIT):
            pass
        card._job.cancel()
        used(card, qtbot)
    assert isinstance(language_model.chosen(profile), Bundled)
