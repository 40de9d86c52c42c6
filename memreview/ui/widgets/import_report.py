"""What an import brought, in plain words: what came in and from whom, what is new, gone or stayed deleted, and what
was left out and why."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import QLocale, Qt
from PySide6.QtWidgets import (
    QApplication,
    QHeaderView,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from memreview.review.values import ImportSummary
from memreview.ui.text import day, line, moment, name_for_reader, plural, provider_name, tr
from memreview.ui.widgets.labels import Label
from memreview.ui.widgets.rows import roomy

ORIGINS = (
    ("user", "%1 said by you"),
    ("assistant", "%1 by the assistant"),
    ("tool_output", "%1 from tools"),
    ("retrieved_document", "%1 from web pages and documents"),
    ("shared_file", "%1 from files you shared"),
)
FRESHNESS = (("new", "%1 new"), ("known", "%1 already known"), ("changed", "%1 in a new wording"))
MEMORIES = (
    ("new", "%1 new"),
    ("changed", "%1 changed by the assistant"),
    ("known", "%1 already known"),
    ("gone", "%1 no longer in the assistant's memory (marked here, not deleted)"),
    ("stayed_deleted", "%1 stayed deleted, because you had deleted or rejected them"),
)
NOTES = (
    ("broken", "Could not be read: %1"),
    ("warning", "About the whole file: %1"),
    ("skipped", "Left out on purpose: %1"),
    ("guessed", "Read with an assumption: %1"),
)
FEW = 20


def source_name(summary: ImportSummary) -> str:
    """Who the export is of. A store's label is its file's name, which is told beside it."""
    named = summary.label and summary.label != summary.file_name
    return line(summary.label, 100) if named else provider_name(summary.provider)


def state_words(state: str) -> str:
    return {
        "running": tr("Being read now."),
        "stopped": tr("Stopped. Nothing of it counts yet."),
        "done": "",
        "undone": tr("Undone. Nothing of it counts."),
    }.get(state, state)


def headline(summary: ImportSummary) -> str:
    """One line for a list: what came of it."""
    counts = summary.counts
    if summary.state in ("stopped", "running"):
        return tr("stopped, %1 kept aside").replace("%1", messages_read(summary))
    parts = _counted(counts, "memories", MEMORIES[:2])
    parts += [tr("%1 gone").replace("%1", _number(gone)) for gone in [counts.get("memories.gone", 0)] if gone]
    if stayed := counts.get("memories.stayed_deleted", 0):
        parts.append(tr("%1 stayed deleted").replace("%1", _number(stayed)))
    if new := counts.get("entries.new", 0):
        parts.append(plural(new, "%n new message", "%n new messages"))
    return ", ".join(parts) or tr("nothing new")


def messages_read(summary: ImportSummary) -> str:
    read = sum(summary.counts.get(f"entries.{origin}", 0) for origin, _ in ORIGINS)
    return plural(read, "%n message", "%n messages")


def lines(summary: ImportSummary) -> list[str]:
    """The report as lines of plain text."""
    counts = summary.counts
    told = [f"{source_name(summary)}: {line(summary.file_name, 200)}"]
    told.append(tr("Imported %1.").replace("%1", moment(summary.finished_at or summary.started_at)))
    if summary.exported_at is not None:
        told[-1] += " " + tr("The export was made on %1.").replace("%1", day(summary.exported_at))
    told += [words for words in [state_words(summary.state)] if words]
    if heard := _counted(counts, "entries", ORIGINS):
        talks = plural(counts.get("conversations", 0), "%n conversation", "%n conversations")
        told.append(tr("%1. Of their messages, %2.").replace("%1", talks).replace("%2", ", ".join(heard)))
        told.append(tr("Messages: %1.").replace("%1", ", ".join(_counted(counts, "entries", FRESHNESS)) or tr("none")))
    if held := _counted(counts, "memories", MEMORIES):
        told.append(tr("Memories: %1.").replace("%1", ", ".join(held)))
    elif summary.state == "done":
        told.append(tr("There are no memories in this export."))
    if unknown := counts.get("times.unknown"):
        words = plural(unknown, "%n message has no known time.", "%n messages have no known time.")
        told.append(f"{words} " + tr("They count, but can't prove what is newer."))
    return told


def note_groups(summary: ImportSummary) -> list[tuple[str, list[tuple[str, str]]]]:
    """What did not come in as it was, by cause: [(title with the count of all, [(where, why)])]."""
    groups = []
    for kind, title in NOTES:
        held = [(line(where, 300), line(why, 500)) for found, where, why in summary.notes if found == kind]
        if total := max(summary.counts.get(f"notes.{kind}", 0), len(held)):
            more = tr(" (the first %1 are listed)").replace("%1", _number(len(held))) if total > len(held) else ""
            groups.append((tr(title).replace("%1", _number(total)) + more, held))
    return groups


def as_text(summaries: Sequence[ImportSummary], also: Sequence[str] = ()) -> str:
    """`also` are lines about all of them."""
    told = [*also, ""] if also else []
    for summary in summaries:
        told += lines(summary)
        for title, notes in note_groups(summary):
            told += [title, *(f"  {where}: {why}" for where, why in notes)]
        told.append("")
    return "\n".join(told).strip()


class ImportReport(QWidget):
    """The report of one import, or of all that one drop made; it can be copied as text."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.summaries: Sequence[ImportSummary] = ()
        self.also: Sequence[str] = ()
        self.text = Label(selectable=True)
        name_for_reader(self.text, tr("What came in"))
        self.notes = QTreeWidget()
        name_for_reader(self.notes, tr("What was left out, and why"))
        self.notes.setHeaderLabels([tr("Where"), tr("Why")])
        self.notes.setUniformRowHeights(True)
        roomy(self.notes, {0: 32})
        self.notes.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
        self.copy = QPushButton(tr("Copy the report"))
        self.copy.clicked.connect(lambda: QApplication.clipboard().setText(as_text(self.summaries, self.also)))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.text)
        layout.addWidget(self.notes, 1)
        layout.addWidget(self.copy, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addStretch()
        self.show_imports(())

    def show_imports(self, summaries: Sequence[ImportSummary], also: Sequence[str] = ()) -> None:
        self.summaries, self.also = summaries, also
        parts = [also, *(lines(summary) for summary in summaries)]
        self.text.setText("\n\n".join("\n".join(part) for part in parts if part))
        self.notes.clear()
        for summary in summaries:
            prefix = f"{line(summary.file_name, 80)}: " if len(summaries) > 1 else ""
            for title, notes in note_groups(summary):
                group = QTreeWidgetItem(self.notes, [f"{prefix}{title}"])
                group.setFirstColumnSpanned(True)
                group.addChildren([_note(where, why) for where, why in notes])
                group.setExpanded(len(notes) <= FEW)
        self.notes.setVisible(self.notes.topLevelItemCount() > 0)
        self.copy.setVisible(bool(summaries))


def _note(where: str, why: str) -> QTreeWidgetItem:
    item = QTreeWidgetItem([where, why])
    item.setToolTip(1, f"<div>{escape(why)}</div>")  # as markup, so that it is never taken for markup
    return item


def _counted(counts: dict[str, int], group: str, named: Sequence[tuple[str, str]]) -> list[str]:
    return [
        tr(words).replace("%1", _number(counts[f"{group}.{key}"]))
        for key, words in named
        if counts.get(f"{group}.{key}")
    ]


def _number(value: int) -> str:
    return QLocale().toString(value)
