"""What an import brought, in plain words: what came in and from whom, what is new, gone or stayed deleted, and what
was left out and why."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QLocale, Qt
from PySide6.QtWidgets import QApplication, QHeaderView, QLabel, QPushButton, QTreeWidget, QTreeWidgetItem, QVBoxLayout
from PySide6.QtWidgets import QWidget

from memreview.review.values import ImportSummary
from memreview.ui.text import day, line, provider_name

ORIGINS = (
    ("user", "said by you"),
    ("assistant", "by the assistant"),
    ("tool_output", "from tools"),
    ("retrieved_document", "from web pages and documents"),
    ("shared_file", "from files you shared"),
)
MEMORIES = (
    ("new", "new"),
    ("changed", "changed by the assistant"),
    ("known", "already known"),
    ("gone", "no longer in the assistant's memory (marked, nothing deleted here)"),
    ("stayed_deleted", "stayed deleted, because you had deleted or rejected them"),
)
NOTES = (
    ("broken", "Could not be read"),
    ("warning", "About the whole file"),
    ("skipped", "Left out on purpose"),
    ("guessed", "Read with an assumption"),
)
STATES = {
    "running": "being read",
    "stopped": "stopped: not counted yet, can be resumed",
    "done": "done",
    "undone": "undone",
}


def number(value: int) -> str:
    return QLocale().toString(value)


def headline(summary: ImportSummary) -> str:
    """One line for a list: what was imported and what came of it."""
    counts = summary.counts
    parts = [f"{number(counts.get('memories.new', 0))} new memories"]
    for key, words in (("changed", "changed"), ("gone", "gone"), ("stayed_deleted", "stayed deleted")):
        if count := counts.get(f"memories.{key}", 0):
            parts.append(f"{number(count)} {words}")
    if new := counts.get("entries.new", 0):
        parts.append(f"{number(new)} new messages")
    if summary.state == "done" and not _anything_new(counts):
        parts = ["nothing new, everything was known"]
    if broken := counts.get("notes.broken", 0):
        parts.append(f"{number(broken)} could not be read")
    return ", ".join(parts)


def lines(summary: ImportSummary) -> list[str]:
    """The report as paragraphs of plain text."""
    counts = summary.counts
    source = line(summary.label, 100) or provider_name(summary.provider)
    made = f", exported on {day(summary.exported_at)}" if summary.exported_at is not None else ""
    told = [
        f"{source}: {line(summary.file_name, 200)} ({summary.format}){made}. {STATES.get(summary.state, '').capitalize()}."
    ]
    entries = [f"{number(counts[f'entries.{key}'])} {words}" for key, words in ORIGINS if counts.get(f"entries.{key}")]
    if entries:
        talks = number(counts.get("conversations", 0))
        told.append(f"{talks} conversations. Of what they hold, {', '.join(entries)}.")
    fresh = [
        f"{number(counts[f'entries.{key}'])} {words}"
        for key, words in (("new", "new"), ("known", "already known"), ("changed", "in a new wording"))
        if counts.get(f"entries.{key}")
    ]
    if fresh:
        told.append(f"Messages: {', '.join(fresh)}.")
    memories = [
        f"{number(counts[f'memories.{key}'])} {words}" for key, words in MEMORIES if counts.get(f"memories.{key}")
    ]
    told.append(f"Memories: {', '.join(memories)}." if memories else "No memories in this export.")
    if unknown := counts.get("times.unknown"):
        told.append(f"{number(unknown)} messages have no known time. They count, but can't prove what is newer.")
    return told


def note_groups(summary: ImportSummary) -> list[tuple[str, list[tuple[str, str]]]]:
    """What did not come in as it was, by cause: [(title with count, [(where, why)])]."""
    groups = []
    for kind, title in NOTES:
        held = [(where, reason) for found, where, reason in summary.notes if found == kind]
        total = max(summary.counts.get(f"notes.{kind}", 0), len(held))
        if total:
            more = f", the first {number(len(held))} shown" if total > len(held) else ""
            groups.append((f"{title}: {number(total)}{more}", held))
    return groups


def as_text(summaries: Sequence[ImportSummary]) -> str:
    told = []
    for summary in summaries:
        told += lines(summary)
        for title, notes in note_groups(summary):
            told += [title, *(f"  {where}: {reason}" for where, reason in notes)]
        told.append("")
    return "\n".join(told).strip()


class ImportReport(QWidget):
    """The report of the imports that one drop made; it can be copied as text."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.summaries: Sequence[ImportSummary] = ()
        self.text = QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self.text.setAccessibleName("What came in")
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.notes = QTreeWidget()
        self.notes.setAccessibleName("What was left out, and why")
        self.notes.setHeaderLabels(["Where", "Why"])
        self.notes.setUniformRowHeights(True)
        self.notes.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
        self.copy = QPushButton("Copy the report")
        self.copy.clicked.connect(self._copy)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.text)
        layout.addWidget(self.notes, 1)
        layout.addWidget(self.copy, 0, Qt.AlignmentFlag.AlignLeft)
        self.show_imports(())

    def show_imports(self, summaries: Sequence[ImportSummary]) -> None:
        self.summaries = summaries
        self.text.setText("\n\n".join("\n".join(lines(summary)) for summary in summaries))
        self.notes.clear()
        for summary in summaries:
            prefix = f"{summary.file_name}: " if len(summaries) > 1 else ""
            for title, notes in note_groups(summary):
                group = QTreeWidgetItem(self.notes, [f"{prefix}{title}"])
                group.setFirstColumnSpanned(True)
                group.addChildren([QTreeWidgetItem([line(where, 500), line(reason, 500)]) for where, reason in notes])
                group.setExpanded(len(notes) <= 20)
        self.notes.setVisible(self.notes.topLevelItemCount() > 0)
        self.notes.setColumnWidth(0, self.fontMetrics().averageCharWidth() * 44)
        self.copy.setVisible(bool(summaries))

    def _copy(self) -> None:
        QApplication.clipboard().setText(as_text(self.summaries))


def _anything_new(counts: dict[str, int]) -> bool:
    keys = ("memories.new", "memories.changed", "memories.gone", "entries.new", "entries.changed")
    return any(counts.get(key) for key in keys)
