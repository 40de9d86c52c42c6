"""The window itself: what it starts, where it goes, what it says when the world fails, and what it leaves behind."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, QLockFile, QObject
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QLabel, QMessageBox, QWidget

from memreview.review import doctor, history, queue, settings
from memreview.review.profile import Profile
from memreview.review.values import Decision, Verb
from memreview.store.errors import StoreFull
from memreview.ui import app as ui_app
from memreview.ui import crash
from memreview.ui.dialogs.conversation import ConversationDialog
from memreview.ui.panels import PLACES

RAIL = [place.key for place in PLACES if place.in_rail]


class _Windows(QObject):
    """Notes every top-level widget that is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            self.shown.append(type(watched).__name__)
        return False


def test_starting_the_window_loads_no_model_library(home):
    code = (
        "import sys; from pathlib import Path; from memreview.review.profile import Profile\n"
        "from memreview.ui.app import application, make_window\n"
        "app = application(); profile = Profile.open(Path(sys.argv[1])); window = make_window(app, profile)\n"
        "window.show(); app.processEvents()\n"
        "heavy = {'torch', 'onnxruntime', 'faiss', 'llama_cpp', 'sentence_transformers', 'pyqtgraph'}\n"
        "print(sorted(heavy & set(sys.modules))); window.close(); profile.close()"
    )
    done = subprocess.run([sys.executable, "-c", code, str(home)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_an_empty_profile_is_welcomed(open_window):
    window = open_window()
    assert window.current == "welcome"
    assert window.status.text() == "Nothing imported yet"


def test_every_place_opens_by_key_and_by_rail(filled, open_window, qtbot):
    filled(2)
    window = open_window()
    assert window.current == "inbox"
    for number, key in enumerate(RAIL, start=1):
        window.context.commands.action(f"go.{key}").trigger()
        assert window.current == key
        assert window.context.commands.keys(f"go.{key}") == (f"Ctrl+{number}",)
    window.rail.setCurrentIndex(window.rail.model().index(0, 0))
    assert window.current == "inbox"


def test_building_the_panels_flashes_no_window(filled, open_window, qapp):
    """A child that is shown before it has a parent is a window for a moment, and takes the focus with it."""
    filled(1)
    window = open_window()
    watch = _Windows()
    qapp.installEventFilter(watch)
    for place in PLACES:
        window.show_place(place.key)
        qapp.processEvents()
    qapp.removeEventFilter(watch)
    assert watch.shown == []


def test_badges_follow_what_waits(filled, open_window, qtbot):
    first, _ = filled(2)
    window = open_window()
    qtbot.waitUntil(lambda: window.counts.pending == 2)
    window.context.decide(Decision(verb=Verb.REJECT, transitions=(first,)))
    qtbot.waitUntil(lambda: window.counts.pending == 1)
    assert "1 case to review" in window.status.text()


def test_the_menu_names_the_step_that_undo_would_take_back(filled, open_window, profile):
    first, _ = filled(2)
    window = open_window()
    window.context.decide(Decision(verb=Verb.REJECT, transitions=(first,)))
    edit = window.menuBar().actions()[1].menu()
    edit.aboutToShow.emit()
    assert window.context.commands.action("edit.undo").text() == f"Undo: {history.peek(profile)[0].label}"
    window.context.commands.run("edit.undo")
    edit.aboutToShow.emit()
    assert window.context.commands.action("edit.redo").text().startswith("Redo: ")
    assert queue.case(profile, first).item.status == "pending"


def test_a_toast_undoes(filled, open_window, profile):
    first, _ = filled(2)
    window = open_window()
    window.context.decide(Decision(verb=Verb.REJECT, transitions=(first,)))
    assert window.toast.label.text() == "Rejected 1 case"
    window.toast.undo.click()
    assert queue.case(profile, first).item.status == "pending"
    assert window.toast.undo.isHidden()


def test_appearance_and_text_size_are_kept(filled, open_window, profile):
    filled(1)
    window = open_window()
    window.context.commands.run("view.dark")
    window.context.commands.run("view.larger")
    assert settings.get(profile, "appearance") == "dark"
    assert settings.get(profile, "text_percent") == 110
    window.context.commands.run("view.normal")
    window.context.commands.run("view.light")


def test_a_full_disk_is_said_and_nothing_is_lost(filled, open_window, profile, monkeypatch, when_asked):
    first, second = filled(2)
    window = open_window()

    def full(*_words):
        raise StoreFull("The disk is full.")

    monkeypatch.setattr("memreview.review.decisions.decide", full)
    told: list[str] = []

    def read(box: QMessageBox) -> None:
        told.extend((box.text(), box.informativeText()))
        box.accept()

    when_asked(read)
    window.panel("inbox").decide(Verb.APPROVE)
    assert told == ["The disk is full.", StoreFull.advice]
    assert queue.ids(profile) == [first, second]
    assert window.panel("inbox").current_id == first


def test_labels_never_take_imported_text_for_html(filled, open_window):
    filled(2, said="<h1>huge</h1>")
    window = open_window()
    for place in PLACES:
        window.show_place(place.key)
    texts = [label for label in window.findChildren(QLabel) if "huge" in label.text()]
    assert texts
    assert all(label.textFormat() == label.textFormat().PlainText for label in texts)


def test_every_control_has_a_name_for_the_screen_reader(filled, open_window):
    filled(1)
    window = open_window()
    nameless = []
    for place in PLACES:
        for widget in window.show_place(place.key).findChildren(QWidget):
            if widget.focusPolicy() and widget.isVisible() and not _named(widget):
                nameless.append(f"{place.key}: {type(widget).__name__} {widget.objectName()}")
    assert nameless == []


def _named(widget: QWidget) -> bool:
    face = QAccessible.queryAccessibleInterface(widget)
    inner = widget.objectName().startswith("qt_") or widget.parent().inherits("QAbstractSpinBox")
    return inner or bool(face and face.text(QAccessible.Text.Name))


def test_the_window_fits_a_small_screen_at_200_percent(filled, open_window):
    """1920 × 1080 at 200 % leaves 960 × 540."""
    filled(1)
    window = open_window()
    for place in PLACES:
        window.show_place(place.key)
    hint = window.minimumSizeHint()
    assert hint.width() <= 960
    assert hint.height() <= 520


def test_from_nothing_to_a_decision_with_the_real_worker(open_window, profile, qtbot):
    window = open_window()
    window.context.commands.run("welcome.sample")
    qtbot.waitUntil(lambda: window.counts.pending > 0, timeout=60_000)
    qtbot.waitUntil(lambda: not window.context.worker.jobs, timeout=60_000)
    inbox = window.show_place("inbox")
    qtbot.waitUntil(lambda: inbox.case is not None)
    first = inbox.current_id
    window.context.commands.run("inbox.approve")
    assert queue.case(profile, first).item.status == "approved"
    window.context.commands.run("edit.undo")
    assert queue.case(profile, first).item.status == "pending"


def test_closing_asks_while_something_is_read_in(filled, open_window, when_asked):
    filled(1)
    window = open_window()
    window.context.worker.command = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    window.context.worker.submit("import", {"path": "x"})
    asked: list[str] = []

    def refuse(box: QMessageBox) -> None:
        asked.append(box.text())
        box.button(QMessageBox.StandardButton.Cancel).click()

    when_asked(refuse)
    window.close()
    assert "what was done stays" in asked[0]
    assert window.isVisible()
    when_asked(lambda box: box.button(QMessageBox.StandardButton.Close).click())
    window.close()
    assert not window.isVisible()
    assert window.context.worker.pid == 0


# -- starting -------------------------------------------------------------------------------------------------------


def _answer(seen: list[str], button: str = "") -> Callable[[QMessageBox], None]:
    """Note what a message box says, and press a button of it."""

    def look(box: QMessageBox) -> None:
        seen.append(box.text())
        seen.append(box.informativeText())
        wanted = next((one for one in box.buttons() if button and button in one.text()), None)
        wanted.click() if wanted is not None else box.reject()

    return look


def test_a_second_window_on_the_profile_is_refused(qapp, profile, home, when_asked):
    lock = QLockFile(str(home / ui_app.LOCK))
    assert lock.tryLock(0)
    seen: list[str] = []
    when_asked(_answer(seen))
    assert ui_app.main(home) == 1
    assert "already open" in seen[0]
    lock.unlock()


def test_a_damaged_profile_offers_its_backup(qapp, home, filled, profile, when_asked):
    filled(2)
    doctor.back_up(profile)
    profile.close()
    database = next(home.glob("*.sqlite"))
    for extra in home.glob(f"{database.name}-*"):
        extra.unlink()
    database.write_bytes(b"not a database at all" * 1_000)
    seen: list[str] = []

    def restore(box: QMessageBox) -> None:
        when_asked(lambda done: done.reject())
        _answer(seen, button="Restore")(box)

    when_asked(restore)
    assert ui_app.main(home) == 1
    assert "backup" in seen[1]
    restored = Profile.open(home)
    assert queue.counts(restored).pending == 2
    restored.close()


def test_a_crash_report_holds_nothing_of_the_person(tmp_path):
    secret = "my secret memory"
    try:
        int(secret)
    except ValueError as error:
        text = crash.report(type(error), error.__traceback__)
    assert "ValueError" in text
    assert "test_shell.py" in text
    assert secret not in text
    assert str(tmp_path.home()) not in text
    path = crash.write(tmp_path, text)
    assert path.read_text(encoding="utf-8") == text


def test_a_crash_in_a_slot_is_written_and_shown(tmp_path, monkeypatch):
    shown: list[object] = []
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    crash.install(tmp_path, lambda path, text: shown.append((path.exists(), text)))
    try:
        raise KeyError("private")
    except KeyError:
        sys.excepthook(*sys.exc_info())
    assert shown[0][0]
    assert "private" not in shown[0][1]


def test_calls_that_return_nothing_keep_none_alive():
    """PySide6 6.12.0 drops a reference to None on each such call, which aborts Python 3.11."""
    target = QObject()
    before = sys.getrefcount(None)
    for _ in range(2_000):
        target.setObjectName("x")
    assert sys.getrefcount(None) > before - 1_000


@pytest.mark.parametrize("target", ["entry", "conversation"])
def test_a_chat_opens_whole_at_the_words(filled, open_window, profile, qtbot, when_asked, target):
    first, _ = filled(2)
    window = open_window()
    context = queue.case(profile, first).new_context
    found: list[str] = []

    def look(dialog: ConversationDialog) -> None:
        found.append(dialog.view.toPlainText())
        dialog.reject()

    when_asked(look)
    id = context.focus if target == "entry" else context.conversation_id
    window.context.open(target, id)
    qtbot.waitUntil(lambda: bool(found))
    assert "has moved" in found[0]
