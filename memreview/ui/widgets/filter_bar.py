"""A filter as one types it: `is:pending source:chatgpt oslo`, each finished filter a chip that can be removed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QRect, QStringListModel, Qt, QTimer, Signal
from PySide6.QtWidgets import QCompleter, QHBoxLayout, QLineEdit, QListView, QPushButton, QVBoxLayout, QWidget

from memreview.ui.text import line, tr
from memreview.ui.widgets.flow import FlowLayout
from memreview.ui.widgets.labels import Label

TYPING_PAUSE_MS = 120
_TOKEN = re.compile(r'(?:-?\w+:)?"[^"]*"?|\S+')
_FILTER = re.compile(r'-?([a-z]+):("[^"]*"|\S+)$')

Vocabulary = Mapping[str, Sequence[str]]


def tokens(query: str) -> list[str]:
    """The query's words and filters; a quoted stretch is one."""
    return _TOKEN.findall(query)


class FilterBar(QWidget):
    """`changed(query)` a moment after the last key, at once where a filter is finished or removed; `left()` when the
    person goes on to the list; `save_wanted()` for the button. `vocabulary`: the filters' names and known values."""

    changed = Signal(str)
    left = Signal()
    save_wanted = Signal()

    def __init__(self, vocabulary: Vocabulary, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.vocabulary = vocabulary
        self._chips: list[str] = []
        self._said = ""
        self._pause = QTimer(self, singleShot=True, interval=TYPING_PAUSE_MS)
        self._pause.timeout.connect(self._say)
        self._build()

    def _build(self) -> None:
        self.line = QLineEdit(
            placeholderText=tr("Search, or filter: is:pending  source:chatgpt  before:2025  -scope:work")
        )
        self.line.setAccessibleName(tr("Search and filter memories"))
        self.line.setClearButtonEnabled(True)
        self.line.textEdited.connect(self._on_edited)
        self.line.textChanged.connect(lambda text: text or self._pause.start())
        self.line.returnPressed.connect(self._on_return)
        self.line.installEventFilter(self)
        self.save = QPushButton(tr("Save filter…"))
        self.save.clicked.connect(self.save_wanted)
        top = QHBoxLayout()
        top.addWidget(self.line, 1)
        top.addWidget(self.save)
        self._row = QWidget()
        self._flow = FlowLayout(self._row)
        self.problem = Label(role="warn")
        self.problem.setAccessibleName(tr("What is wrong with the filter"))
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addLayout(top)
        whole.addWidget(self._row)
        whole.addWidget(self.problem)
        self._completions = QStringListModel(self)
        self._completer = QCompleter(self._completions, self)
        self._completer.setWidget(self.line)
        self._completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        self._offers = QListView()
        self._offers.setAccessibleName(tr("Filters that fit"))
        self._completer.setPopup(self._offers)
        self._completer.activated.connect(self._complete)
        self._show_chips()
        self.set_problem("")

    # -- the query ----------------------------------------------------------------------------------------------

    def query(self) -> str:
        """A space at the end stays: it says that the last word is finished."""
        return " ".join([*self._chips, self.line.text()]).lstrip()

    def set_query(self, query: str) -> None:
        found = tokens(query)
        self._chips = [token for token in found if self.is_filter(token)]
        self.line.setText(" ".join(token for token in found if not self.is_filter(token)))
        self._show_chips()
        self._say()

    def words(self) -> str:
        """The free words alone, for the search by meaning."""
        return " ".join(token.strip('"') for token in tokens(self.line.text()) if not self._opens_filter(token))

    def is_filter(self, token: str) -> bool:
        found = _FILTER.match(token)
        return found is not None and found[1] in self.vocabulary

    def _opens_filter(self, token: str) -> bool:
        name, colon, _ = token.removeprefix("-").partition(":")
        return bool(colon) and name in self.vocabulary

    def remove(self, chip: str) -> None:
        self._chips.remove(chip)
        self._show_chips()
        self.line.setFocus()
        self._say()

    def set_problem(self, text: str) -> None:
        self.problem.setText(f"⚠ {text}" if text else "")
        self.problem.setVisible(bool(text))

    def focus(self) -> None:
        self.line.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.line.selectAll()

    # -- typing -------------------------------------------------------------------------------------------------

    def _on_edited(self, text: str) -> None:
        if text.endswith(" ") and any(self.is_filter(token) for token in tokens(text)):
            self._take_filters()
            self._say()
            return
        self._offer()
        self._pause.start()

    def _on_return(self) -> None:
        self._take_filters()
        self._say()
        self.left.emit()

    def _take_filters(self) -> None:
        found = tokens(self.line.text())
        self._chips += [token for token in found if self.is_filter(token) and token not in self._chips]
        rest = " ".join(token for token in found if not self.is_filter(token))
        self.line.setText(f"{rest} " if rest else "")
        self._show_chips()

    def _say(self) -> None:
        self._pause.stop()
        query = self.query()
        self.save.setEnabled(bool(query))
        if query != self._said:
            self._said = query
            self.changed.emit(query)

    def eventFilter(self, watched, event) -> bool:
        if watched is self.line and event.type() == QEvent.Type.KeyPress:
            at_start = self.line.cursorPosition() == 0 and not self.line.hasSelectedText()
            if event.key() == Qt.Key.Key_Backspace and self._chips and at_start:
                self.remove(self._chips[-1])
                return True
            if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Escape) and not self._offers.isVisible():
                self.left.emit()
                return True
        return super().eventFilter(watched, event)

    # -- completion ---------------------------------------------------------------------------------------------

    def completions(self, token: str) -> list[str]:
        sign = "-" if token.startswith("-") else ""
        key, colon, value = token.removeprefix("-").partition(":")
        if not colon:
            return [f"{sign}{name}:" for name in self.vocabulary if key and name.startswith(key)]
        return [
            f"{sign}{key}:{_quoted(known)}"
            for known in self.vocabulary.get(key, ())
            if known.startswith(value.strip('"')) and known != value
        ]

    def _last_token(self) -> tuple[int, str]:
        before = self.line.text()[: self.line.cursorPosition()]
        found = list(_TOKEN.finditer(before))
        return (found[-1].start(), found[-1][0]) if found and found[-1].end() == len(before) else (len(before), "")

    def _offer(self) -> None:
        offered = self.completions(self._last_token()[1])
        self._completions.setStringList(offered)
        if offered:
            self._completer.complete(QRect(0, 0, self.line.width() // 2, self.line.height()))
        else:
            self._offers.hide()

    def _complete(self, chosen: str) -> None:
        start, token = self._last_token()
        text = self.line.text()
        self.line.setText(text[:start] + chosen + text[start + len(token) :])
        if chosen.endswith(":"):
            self._offer()
        else:
            self._take_filters()
        self._say()

    # -- chips --------------------------------------------------------------------------------------------------

    def _show_chips(self) -> None:
        while (item := self._flow.takeAt(0)) is not None:
            item.widget().hide()
            item.widget().deleteLater()
        for chip in self._chips:
            shown = line(chip, 60)
            button = QPushButton(f"{shown.replace('&', '&&')}  ✕")
            button.setAccessibleName(tr("Remove the filter %1").replace("%1", shown))
            button.clicked.connect(lambda _=False, chip=chip: self.remove(chip))
            self._flow.addWidget(button)
        self._row.setVisible(bool(self._chips))

    def chips(self) -> list[str]:
        return list(self._chips)


def _quoted(value: str) -> str:
    return f'"{value}"' if " " in value else value
