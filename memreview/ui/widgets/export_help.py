"""Where to get the export from each assistant, as short steps."""

from __future__ import annotations

from PySide6.QtWidgets import QComboBox, QHBoxLayout, QVBoxLayout, QWidget

from memreview.ui.text import name_for_reader, tr
from memreview.ui.widgets.labels import Label

STEPS = (
    (
        "ChatGPT",
        (
            "Open Settings, then Data controls.",
            "Choose Export data and confirm. A mail with a link comes within hours, sometimes days.",
            "Download the zip and drop it here as it is.",
            "Saved memories: Settings, Personalization, Manage. Copy them and choose “Paste a list…”.",
        ),
    ),
    (
        "Claude",
        (
            "Open Settings, then Privacy.",
            "Choose Export data. A mail with a link comes; it is good for a day.",
            "Download the zip and drop it here as it is. It holds conversations, projects and memories.",
        ),
    ),
    (
        "mem0",
        (
            "Platform: in the dashboard choose Memory exports, or save what get_all() returns as a JSON file.",
            "Open source: save get_all() as JSON, and take history.db beside it (usually in ~/.mem0).",
            "Drop one or both here.",
        ),
    ),
    (
        "MCP memory",
        (
            "The memory server keeps one file, memory.json or memory.jsonl.",
            "Its place is MEMORY_FILE_PATH in the server's settings, else the folder of the package.",
            "Drop that file here.",
        ),
    ),
    (
        "Letta",
        (
            "In the agent's settings choose Export agent (an .af file), or use the export call of its API.",
            "Drop the .af file here.",
        ),
    ),
)


class ExportHelp(QWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.assistant = QComboBox()
        name_for_reader(self.assistant, tr("Assistant"))
        self.assistant.addItems([name for name, _ in STEPS])
        self.steps = Label(selectable=True)
        name_for_reader(self.steps, tr("Steps to the export"))
        top = QHBoxLayout()
        top.addWidget(Label(tr("Where do I get the export?"), role="heading", wrap=False))
        top.addWidget(self.assistant)
        top.addStretch()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(top)
        layout.addWidget(self.steps)
        self.assistant.currentIndexChanged.connect(self._show)
        self._show(0)

    def _show(self, index: int) -> None:
        self.steps.setText("\n".join(f"{n}. {tr(step)}" for n, step in enumerate(STEPS[index][1], start=1)))
