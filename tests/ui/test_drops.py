"""An export dropped anywhere on the window is imported; the title says what a panel filters by."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent


def test_a_file_dropped_on_the_inbox_is_imported(open_window, qtbot, tmp_path):
    window = open_window()
    (tmp_path / "list.md").write_text("- Keeps bees\n- Has a cat\n")
    window.show_place("inbox")
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(tmp_path / "list.md"))])
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    before = window.counts.memories
    window.dropEvent(QDropEvent(QPointF(5, 5), Qt.DropAction.CopyAction, mime, buttons, keys))
    assert window.current == "imports"
    qtbot.waitUntil(lambda: window.counts.memories == before + 2, timeout=30_000)
    qtbot.waitUntil(lambda: not window.context.worker.jobs, timeout=30_000)  # the audit that follows


def test_the_title_names_the_filter_of_memories(open_window):
    window = open_window()
    panel = window.show_place("memories")
    panel.setWindowTitle("Memories: bees")
    assert window.windowTitle() == "Memories: bees – memreview"
    window.show_place("history")
    assert window.windowTitle() == "History – memreview"
