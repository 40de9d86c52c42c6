"""A whole conversation, at the words in question."""

from __future__ import annotations

import msgspec
from PySide6.QtWidgets import QWidget

from memreview.review import memories
from memreview.review.values import Context
from memreview.ui.context import AppContext
from memreview.ui.dialogs.base import Dialog
from memreview.ui.text import line, plural, provider_name, tr
from memreview.ui.widgets.labels import Label
from memreview.ui.widgets.quotation import QuotationView


def show_conversation(parent: QWidget, context: AppContext, target: str, id: int) -> None:
    """`target` is entry or conversation. It is read on the query thread: it may hold two thousand messages."""

    def read(profile) -> Context | None:
        if target == "conversation":
            return memories.conversation(profile, id)
        near = memories.context(profile, id)
        whole = memories.conversation(profile, near.conversation_id) if near is not None else None
        if whole is None or not any(entry.id == id for entry in whole.entries):
            return near
        return msgspec.structs.replace(whole, focus=id)

    def show(found: Context | None) -> None:
        if found is None:
            context.toast(tr("This chat is no longer here."))
        else:
            ConversationDialog(found, parent).exec()

    context.ask("conversation", read, show, parent)


class ConversationDialog(Dialog):
    def __init__(self, conversation: Context, parent: QWidget | None = None) -> None:
        title = line(conversation.title, 120) or tr("Untitled chat")
        super().__init__(title, provider_name(conversation.provider), parent=parent)
        self.view = QuotationView(whole=True)
        left_out = conversation.before + conversation.after
        self.body.addWidget(self.view, 1)
        if left_out:
            words = plural(left_out, "%n message is not shown.", "%n messages are not shown.")
            self.body.addWidget(Label(words, role="muted"))
        self.widen(110, 36)
        self.view.show_context(conversation)
        self.view.setFocus()
