"""Imports: real files dropped on the panel, read by the real worker, reported, cancelled, resumed, mapped, undone."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QTimer, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QApplication

from memreview.review import imports, memories
from memreview.review.values import ImportSummary
from memreview.ui.dialogs.mapping import MappingDialog
from memreview.ui.dialogs.paste import PasteDialog
from memreview.ui.import_run import ImportRun
from memreview.ui.panels import imports as panel_module
from memreview.ui.widgets.drop_zone import dropped_paths
from memreview.ui.widgets.import_report import as_text, headline

WAIT = 60_000


@pytest.fixture
def panel(open_window, qtbot):
    panel = open_window().show_place("imports")
    qtbot.waitUntil(lambda: panel.context.queries.idle)
    return panel


@pytest.fixture
def mem0(tmp_path) -> Path:
    return write_mem0(tmp_path / "mem0.json", ["Lives in Oslo", "Likes tea", "Works as a nurse"])


def write_mem0(path: Path, texts: list[str]) -> Path:
    records = [
        {
            "id": f"00000000-0000-4000-8000-{number:012}",
            "memory": text,
            "hash": f"{number:032x}",
            "metadata": None,
            "created_at": "2025-03-01T10:00:00.000000-08:00",
            "updated_at": None,
            "user_id": "ann",
        }
        for number, text in enumerate(texts)
    ]
    path.write_text(json.dumps({"results": records}), "utf-8")
    return path


def write_chatgpt(path: Path, conversations: int, turns: int = 10) -> Path:
    def message(chat: int, turn: int) -> dict:
        role = "user" if turn % 2 == 0 else "assistant"
        return {
            "id": f"{chat}-{turn}",
            "message": {
                "id": f"{chat}-{turn}",
                "author": {"role": role, "name": None, "metadata": {}},
                "create_time": 1_700_000_000.0 + chat * 1000 + turn,
                "update_time": None,
                "content": {"content_type": "text", "parts": [f"Turn {turn}, about gardens and trains."]},
                "status": "finished_successfully",
                "metadata": {},
                "recipient": "all",
            },
            "parent": f"{chat}-{turn - 1}" if turn else None,
            "children": [f"{chat}-{turn + 1}"] if turn + 1 < turns else [],
        }

    chats = [
        {
            "title": f"Chat {chat}",
            "create_time": 1_700_000_000.0 + chat * 1000,
            "update_time": 1_700_000_000.0 + chat * 1000 + turns,
            "mapping": {f"{chat}-{turn}": message(chat, turn) for turn in range(turns)},
            "current_node": f"{chat}-{turns - 1}",
            "conversation_id": f"chat-{chat}",
            "id": f"chat-{chat}",
        }
        for chat in range(conversations)
    ]
    path.write_text(json.dumps(chats), "utf-8")
    return path


def drop(widget, *paths: Path) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    event = QDropEvent(
        QPoint(20, 20), Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    widget.dropEvent(event)


def finish(panel, qtbot, act) -> None:
    with qtbot.waitSignal(panel.run.finished, timeout=WAIT):
        act()
    qtbot.waitUntil(lambda: panel.context.queries.idle)


# -- a file that is dropped ---------------------------------------------------------------------------------------


def test_a_dropped_file_comes_in_is_audited_and_reported(panel, qtbot, mem0, profile):
    finish(panel, qtbot, lambda: drop(panel.zone, mem0))
    assert len(memories.ids(profile)) == 3
    text = panel.report.text.text()
    assert "mem0.json" in text
    assert "3 new" in text
    assert panel.list.topLevelItemCount() == 1
    assert not panel.help.isVisible()


def test_the_same_file_again_brings_nothing_and_says_so(panel, qtbot, mem0):
    finish(panel, qtbot, lambda: drop(panel.zone, mem0))
    finish(panel, qtbot, lambda: drop(panel.zone, mem0))
    assert panel.list.topLevelItem(0).text(2) == "nothing new"
    assert "3 already known" in panel.report.text.text()


def test_several_files_and_a_folder_come_in_one_after_the_other(panel, qtbot, mem0, tmp_path, profile):
    folder = tmp_path / "export"
    folder.mkdir()
    write_chatgpt(folder / "conversations.json", 3)
    finish(panel, qtbot, lambda: drop(panel.zone, mem0, folder))
    assert {summary.provider for summary in panel.run.summaries} == {"mem0", "chatgpt"}
    assert len(panel.list.selectedItems()) == 2
    assert "15 said by you, 15 by the assistant" in panel.report.text.text()
    assert "mem0.json" in panel.report.text.text()


def test_a_drop_names_each_local_file_once():
    mime = QMimeData()
    mime.setUrls([QUrl("file:///a.zip"), QUrl("https://example.org/b.zip"), QUrl("file:///a.zip")])
    assert dropped_paths(mime) == [Path("/a.zip")]


def test_what_is_no_export_is_explained_and_can_be_copied(panel, qtbot, tmp_path, profile):
    bad = tmp_path / "notes.zip"
    bad.write_bytes(b"PK\x03\x04 this is no zip")
    finish(panel, qtbot, lambda: drop(panel.zone, bad))
    assert panel.notice.isVisible()
    assert "notes.zip" in panel.notice.text.text()
    panel.notice.copy.click()
    assert QApplication.clipboard().text() == panel.notice.text.text()
    assert imports.list(profile) == []


def test_one_bad_file_does_not_keep_the_good_ones_out(panel, qtbot, mem0, tmp_path, profile):
    bad = tmp_path / "broken.json"
    bad.write_text("{", "utf-8")
    finish(panel, qtbot, lambda: drop(panel.zone, bad, mem0))
    assert "broken.json" in panel.notice.text.text()
    assert len(memories.ids(profile)) == 3


# -- cancel, resume, discard --------------------------------------------------------------------------------------


@pytest.fixture
def stopped(panel, qtbot, tmp_path):
    """The panel after a long import was cancelled in the middle."""
    big = write_chatgpt(tmp_path / "conversations.json", 2_500)
    cancelled: list[float] = []

    def cancel(job):
        def on_progress(stage: str, done: int, _total: int) -> None:
            if stage == "reading" and done and not cancelled:
                cancelled.append(time.perf_counter())
                panel.run.cancel()

        job.progressed.connect(on_progress)

    panel.context.worker.started.connect(cancel)
    with qtbot.waitSignal(panel.run.stopped, timeout=WAIT):
        drop(panel.zone, big)
    assert time.perf_counter() - cancelled[0] < 1.5  # 0.1 to 0.4 s on two idle cores
    return panel


def test_cancel_says_what_was_kept_and_it_does_not_count(stopped, profile):
    assert "kept aside" in stopped.notice.text.text()
    assert stopped.notice.resume.isVisible()
    assert [summary.state for summary in imports.list(profile)] == ["stopped"]
    assert profile.database.value("SELECT count(*) FROM live_entries") == 0


def test_a_stopped_import_is_resumed_and_whole(stopped, qtbot, profile):
    stopped.notice.resume.click()
    qtbot.waitUntil(lambda: [summary.state for summary in imports.list(profile)] == ["done"], timeout=WAIT)
    qtbot.waitUntil(lambda: stopped.run._job is not None, timeout=WAIT)
    stopped.run.cancel()  # what is checked after an import takes a while with so many messages
    qtbot.waitUntil(lambda: not stopped.run.busy, timeout=WAIT)
    assert profile.database.value("SELECT count(*) FROM live_entries") == 25_000


def test_a_stopped_import_is_discarded(stopped, profile):
    stopped.notice.discard.click()
    assert imports.list(profile) == []
    assert stopped.list.topLevelItemCount() == 0
    assert profile.database.value("SELECT count(*) FROM entries") == 0


# -- undo ---------------------------------------------------------------------------------------------------------


def test_an_undone_import_is_shown_as_undone(panel, qtbot, mem0, profile):
    finish(panel, qtbot, lambda: drop(panel.zone, mem0))
    panel.undo.click()
    assert [one.state for one in imports.list(profile)] == ["undone"]
    assert [job.name for job in panel.context.worker.jobs.values()] == ["gate"]  # what is left is checked at once


def test_the_chosen_import_is_undone(panel, qtbot, mem0, tmp_path, profile):
    finish(panel, qtbot, lambda: drop(panel.zone, mem0))
    finish(panel, qtbot, lambda: drop(panel.zone, write_chatgpt(tmp_path / "conversations.json", 2)))
    panel.open(next(one.import_id for one in imports.list(profile) if one.provider == "mem0"))
    panel.undo.click()
    assert [one.provider for one in imports.list(profile) if one.state == "done"] == ["chatgpt"]
    assert memories.ids(profile) == []
    assert profile.database.value("SELECT count(*) FROM live_entries") == 20


def test_several_imports_are_undone_together(panel, qtbot, mem0, tmp_path, profile):
    finish(panel, qtbot, lambda: drop(panel.zone, mem0))
    finish(panel, qtbot, lambda: drop(panel.zone, write_chatgpt(tmp_path / "conversations.json", 2)))
    panel.list.selectAll()
    assert panel.undo.text() == "Undo these imports…"
    panel.undo.click()
    assert memories.ids(profile) == []
    assert profile.database.value("SELECT count(*) FROM live_entries") == 0


# -- lists --------------------------------------------------------------------------------------------------------


def test_a_list_whose_columns_are_unknown_asks_for_them(panel, qtbot, tmp_path, monkeypatch, profile):
    path = tmp_path / "export.csv"
    path.write_text("a,b\n2025-01-01,Lives in Oslo\n2025-01-02,Likes <b>tea</b>\n", "utf-8")
    seen = []

    def answer(_parent, name, columns, rows):
        seen.append((name, list(columns), [list(row) for row in rows]))
        return {"text": "b", "created": "a", "native_id": None, "scope": None, "category": None}

    monkeypatch.setattr(panel_module, "ask_mapping", answer)
    finish(panel, qtbot, lambda: drop(panel.zone, path))
    assert seen[0][:2] == ("export.csv", ["a", "b"])
    rows = memories.rows(profile, memories.ids(profile))
    assert {row.text for row in rows} == {"Lives in Oslo", "Likes <b>tea</b>"}
    assert all(row.created_at for row in rows)


def test_going_back_from_the_columns_skips_the_file(panel, qtbot, tmp_path, monkeypatch, profile):
    path = tmp_path / "export.csv"
    path.write_text("a,b\n1,Lives in Oslo\n2,Likes tea\n", "utf-8")
    monkeypatch.setattr(panel_module, "ask_mapping", lambda *_: None)
    finish(panel, qtbot, lambda: drop(panel.zone, path))
    assert memories.ids(profile) == []


def test_the_mapping_dialog_guesses_and_shows_rows(qtbot):
    dialog = MappingDialog("x.csv", ["Date", "my note", "memo id"], [["2025", "<b>hi</b>", "7"]])
    qtbot.addWidget(dialog)
    assert dialog.mapping() == {
        "text": "my note",
        "created": "Date",
        "native_id": "memo id",
        "scope": None,
        "category": None,
    }
    assert dialog.preview.item(0, 1).text() == "<b>hi</b>"
    assert dialog.preview.horizontalHeaderItem(1).text() == "my note → Text of the memory"


def test_a_pasted_list_comes_in(panel, qtbot, profile):
    def answer():
        dialog = panel.findChild(PasteDialog)
        assert not dialog.accept_button.isEnabled()
        dialog.list.setPlainText("- Lives in Oslo\n- Likes tea\n")
        assert dialog.count.text() == "2 lines"
        dialog.accept()

    QTimer.singleShot(100, answer)
    finish(panel, qtbot, panel.paste)
    assert {row.text for row in memories.rows(profile, memories.ids(profile))} == {"Lives in Oslo", "Likes tea"}


# -- words --------------------------------------------------------------------------------------------------------


def summary(**counts: int) -> ImportSummary:
    return ImportSummary(
        import_id=1,
        provider="chatgpt",
        label="ChatGPT",
        file_name="a.zip",
        format="chatgpt",
        state="done",
        started_at=1,
        finished_at=2,
        exported_at=None,
        counts={name.replace("__", "."): count for name, count in counts.items()},
        notes=(("broken", "conversations.json, item 17", "it has no messages"),),
    )


def test_the_report_is_in_plain_words():
    shown = as_text([summary(memories__new=4, memories__gone=1, memories__stayed_deleted=12, entries__user=7)])
    assert "12 stayed deleted, because you had deleted or rejected them" in shown
    assert "1 no longer in the assistant's memory" in shown
    assert "7 said by you" in shown
    assert "Could not be read: 1\n  conversations.json, item 17: it has no messages" in shown


def test_the_headline_counts_what_matters():
    assert headline(summary(memories__known=5)) == "nothing new"
    assert headline(summary(memories__new=4, memories__stayed_deleted=12)) == "4 new, 12 stayed deleted"


def test_there_is_one_run_for_a_window(panel):
    assert ImportRun.of(panel.context) is panel.run
