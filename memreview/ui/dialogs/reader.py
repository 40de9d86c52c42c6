"""A whole conversation to read, scrolled to the words in question."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from memreview.review.values import Context
from memreview.ui.text import line, plural, provider_name, tr
from memreview.ui.widgets.labels import Label
from memreview.ui.widgets.quotation import QuotationView


class Reader(QDialog):
    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        title = line(context.title, 120) or tr("Conversation without a title")
        self.setWindowTitle(title)
        count = plural(len(context.entries), "%n message", "%n messages")
        self.view = QuotationView(whole=True)
        self.view.show_context(context)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(Label(title, role="title"))
        layout.addWidget(Label(f"{provider_name(context.provider)}, {count}", role="muted"))
        layout.addWidget(self.view, 1)
        layout.addWidget(buttons)
        em = self.fontMetrics().averageCharWidth()
        self.resize(em * 110, em * 95)
        self.view.setFocus()
