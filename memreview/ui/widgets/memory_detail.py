"""One memory's whole story: its words, where they came from, what was decided about it, and what can be done now."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from memreview.review.values import Context, MemoryDetail
from memreview.ui.models import memory_words as words
from memreview.ui.text import day, line, moment, name_for_reader, plural, tr
from memreview.ui.widgets.flow import FlowLayout
from memreview.ui.widgets.labels import Card, Label
from memreview.ui.widgets.quotation import QuotationView

SOURCES_SHOWN, CASES_SHOWN, LINES_SHOWN = 3, 8, 30


class MemoryDetailView(QScrollArea):
    """`acted(name)`: edit, scope, delete, restore or why was clicked. `read_wanted(context)`: show this conversation.
    `opened(target, id)`: go to that case or step."""

    acted = Signal(str)
    read_wanted = Signal(object)
    opened = Signal(str, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.detail: MemoryDetail | None = None
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        name_for_reader(self, tr("The chosen memory"))
        self.show_detail(None)

    def show_detail(self, detail: MemoryDetail | None) -> None:
        self.detail = detail
        page = QWidget()
        layout = QVBoxLayout(page)
        if detail is None:
            layout.addWidget(Label(tr("Choose a memory to see where it came from."), role="muted"))
        else:
            for card in (_what, _sources, _cases, _versions, _history):
                if (built := card(self, detail)) is not None:
                    layout.addWidget(built)
        layout.addStretch()
        self.setWidget(page)


def _what(view: MemoryDetailView, detail: MemoryDetail) -> Card:
    row = detail.row
    card = Card(tr("Memory"))
    text = Label(row.text, selectable=True)
    name_for_reader(text, tr("Text of the memory"))
    card.body.addWidget(text)
    facts = [words.standing(row), words.source_in_full(row), tr("since %1").replace("%1", day(row.created_at))]
    if row.updated_at is not None and row.updated_at != row.created_at:
        facts.append(tr("changed %1").replace("%1", day(row.updated_at)))
    if about := words.about(row):
        facts.append(tr("about: %1").replace("%1", about))
    card.body.addWidget(Label("  ·  ".join(facts), role="muted"))
    if held := words.holds(row):
        card.body.addWidget(Label(tr("Holds only: %1").replace("%1", held)))
    if detail.imported_text != row.text:
        _add_original(card, detail.imported_text)
    buttons = QWidget()
    flow = FlowLayout(buttons)
    last = "restore" if row.status in words.NO_LONGER else "delete"
    names = {
        "edit": tr("Edit…"),
        "scope": tr("Limit…"),
        "delete": tr("Delete"),
        "restore": tr("Restore"),
        "why": tr("Why is it here?"),
    }
    for name in ("edit", "scope", last, "why"):
        button = QPushButton(names[name])
        button.clicked.connect(lambda _=False, name=name: view.acted.emit(name))
        flow.addWidget(button)
    card.body.addWidget(buttons)
    return card


def _add_original(card: Card, text: str) -> None:
    toggle = QPushButton(tr("Show the original wording"))
    toggle.setCheckable(True)
    original = Label(text, role="muted", selectable=True)
    name_for_reader(original, tr("Original wording"))
    original.hide()

    def flip(shown: bool) -> None:
        original.setVisible(shown)
        toggle.setText(tr("Hide the original wording") if shown else tr("Show the original wording"))

    toggle.toggled.connect(flip)
    card.body.addWidget(toggle, 0, Qt.AlignmentFlag.AlignLeft)
    card.body.addWidget(original)


def _sources(view: MemoryDetailView, detail: MemoryDetail) -> Card:
    card = Card(tr("Where it came from"))
    if not detail.sources:
        told = tr("No source found: no imported conversation is known that led to this memory.")
        card.body.addWidget(Label(told, role="muted"))
    if detail.sources_are_guessed:
        told = tr("A guess: the export names no source. These messages say something alike.")
        card.body.addWidget(Label(told, role="warn"))
    for context in detail.sources[:SOURCES_SHOWN]:
        card.body.addWidget(_quotation(view, context))
    if (more := len(detail.sources) - SOURCES_SHOWN) > 0:
        card.body.addWidget(Label(plural(more, "and %n more source", "and %n more sources"), role="muted"))
    return card


def _quotation(view: MemoryDetailView, context: Context) -> QWidget:
    whole = QWidget()
    layout = QVBoxLayout(whole)
    layout.setContentsMargins(0, 0, 0, 0)
    top = QHBoxLayout()
    title = line(context.title, 120) or tr("Conversation without a title")
    top.addWidget(Label(title), 1)
    read = QPushButton(tr("Read it all"))
    name_for_reader(read, tr("Read the whole conversation %1").replace("%1", title))
    read.clicked.connect(lambda: view.read_wanted.emit(context))
    top.addWidget(read)
    layout.addLayout(top)
    quotation = QuotationView()
    quotation.show_context(context)
    quotation.setMinimumHeight(quotation.fontMetrics().lineSpacing() * 9)
    layout.addWidget(quotation)
    return whole


def _cases(view: MemoryDetailView, detail: MemoryDetail) -> Card | None:
    if not detail.cases:
        return None
    card = Card(tr("Cases"))
    for item in detail.cases[:CASES_SHOWN]:
        old, new = line(item.old_value or item.old_text, 120), line(item.new_value or item.new_claim, 120)
        card.body.addLayout(_leading(view, f"{old} → {new}", "case", item.id))
    return card


def _versions(view: MemoryDetailView, detail: MemoryDetail) -> Card | None:
    if not detail.versions:
        return None
    card = Card(tr("How the assistant changed it"))
    names = {"ADD": tr("saved"), "UPDATE": tr("changed"), "DELETE": tr("deleted")}
    for at, event, old, new in detail.versions[-LINES_SHOWN:]:
        change = f"{line(old, 300)} → {line(new, 300)}" if old and new else line(new or old, 300)
        card.body.addWidget(Label(f"{day(at)}, {names.get(event, line(event, 20))}: {change}"))
    return card


def _history(view: MemoryDetailView, detail: MemoryDetail) -> Card | None:
    if not detail.steps:
        return None
    card = Card(tr("What was done with it here"))
    for step in detail.steps[:LINES_SHOWN]:
        undone = tr(" (undone)") if step.state != "done" else ""
        card.body.addLayout(_leading(view, f"{moment(step.at)}: {line(step.label, 120)}{undone}", "step", step.id))
    return card


def _leading(view: MemoryDetailView, words: str, target: str, id: int) -> QHBoxLayout:
    """A line of text with a button that leads to what it is about."""
    button = QPushButton(tr("Open"))
    name_for_reader(button, tr("Open: %1").replace("%1", words))
    button.clicked.connect(lambda: view.opened.emit(target, id))
    row = QHBoxLayout()
    row.addWidget(Label(words), 1)
    row.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
    return row
