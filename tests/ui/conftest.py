"""Windows over real profiles: a real database with real conversations, memories and cases in a folder of its own."""

from __future__ import annotations

import gc
import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QThread, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from memreview.language.sentences import normalize
from memreview.records import (
    Authorization,
    Bundle,
    Conversation,
    Entry,
    MemoryRecord,
    Moment,
    Origin,
    Quotation,
    Source,
    Transition,
    TransitionKind,
)
from memreview.review.profile import Profile
from memreview.store import ingest, journal, transitions
from memreview.ui import app as ui_app
from memreview.ui.window import MainWindow

DAY = 86_400_000_000
START = 1_700_000_000_000_000
CITIES = ("Berlin", "Munich", "Lisbon", "Oslo", "Graz", "Porto", "Ghent", "Turin")


def fill(profile: Profile, cases: int, said: str = "", stated: int = 0) -> list[int]:
    """Memories "… lives in Berlin" that a later message overtakes; the last `stated` cases have no quotations. `said`
    is put behind what the person said. Returns the case ids, in the order of the queue."""
    database = profile.database
    source = ingest.source_id(database, Source("chatgpt", label="ChatGPT"))
    row = ingest.begin(
        database,
        source,
        file_name="chats.zip",
        format="ChatGPT export",
        fingerprint=f"f{cases}{said}",
        exported_at=START,
    )
    row = ingest.add(database, row, [_bundle(number, said) for number in range(cases)])
    ingest.finish(database, row, meaning=normalize, buried=lambda records: [False] * len(records))
    proposals = [_transition(profile, number, proven=number < cases - stated) for number in range(cases)]
    with journal.action(database, "audit", actor="program") as act:
        transitions.merge(database, act, proposals, complete=False)
    return transitions.pending_ids(database)


def _cities(number: int) -> tuple[str, str]:
    return CITIES[number % len(CITIES)], CITIES[(number + 1 + number // len(CITIES)) % len(CITIES)]


def _bundle(number: int, said: str) -> Bundle:
    old, new = _cities(number)
    at = START + number * DAY
    entries = (
        Entry(native_id=f"{number}a", origin=Origin.USER, text=f"Friend {number} lives in {old}.{said}", at=Moment(at)),
        Entry(native_id=f"{number}b", origin=Origin.ASSISTANT, text="Good to know.", at=Moment(at + 1)),
        Entry(
            native_id=f"{number}c",
            origin=Origin.USER,
            text=f"Friend {number} has moved, now in {new}.{said}",
            at=Moment(at + 30 * DAY),
        ),
    )
    memory = MemoryRecord(native_id=f"m{number}", text=f"Friend {number} lives in {old}{said}", created=Moment(at))
    return Bundle(
        cursor=str(number),
        conversation=Conversation(native_id=f"c{number}", title=f"Chat {number}{said}"[:200]),
        entries=entries,
        memories=(memory,),
    )


def _transition(profile: Profile, number: int, proven: bool) -> Transition:
    old, new = _cities(number)
    database = profile.database

    def quote(native_id: str) -> Quotation | None:
        if not proven:
            return None
        entry = database.one("SELECT * FROM entries WHERE native_id = ?", (native_id,))
        end = entry["text"].index(".") if "." in entry["text"] else len(entry["text"])
        return Quotation(
            entry_id=entry["id"], text=entry["text"][:end], start=0, end=end, at=entry["at"], origin=Origin.USER
        )

    return Transition(
        kind=TransitionKind.EXPLICIT if proven else TransitionKind.SAME_SUBJECT,
        key=f"city|{number}",
        old_memory_id=database.value("SELECT id FROM memories WHERE native_id = ?", (f"m{number}",)),
        old_value=old,
        new_value=new,
        new_claim=f"Friend {number} lives in {new}",
        slot="location.city",
        old_quote=quote(f"{number}a"),
        new_quote=quote(f"{number}c"),
        confidence=0.9,
        harm=0.9 - number * 1e-5,
        authorization=Authorization.VERIFIED if proven else Authorization.STATED,
        reasons=("You said that Friend has moved.",),
        path=("entry:1", "entry:2"),
    )


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "profile"


@pytest.fixture
def profile(home: Path) -> Iterator[Profile]:
    opened = Profile.open(home)
    yield opened
    opened.close()


@pytest.fixture(autouse=True)
def _collected() -> Iterator[None]:
    """What a test leaves goes here: a later test's threads must not collect it, since it may be widgets."""
    yield
    gc.collect()


@pytest.fixture
def filled(profile: Profile) -> Callable[..., list[int]]:
    """`filled(5, said="…", stated=2)` puts cases into the profile and returns their ids."""
    return lambda cases, **words: fill(profile, cases, **words)


@pytest.fixture
def open_window(qapp: QApplication, qtbot, profile: Profile) -> Iterator[Callable[[], MainWindow]]:
    """Opens the window over the profile. Afterwards nothing of it may be left: no thread, no process."""
    opened: list[MainWindow] = []

    def build() -> MainWindow:
        window = ui_app.make_window(qapp, profile)
        opened.append(window)
        window.show()
        qtbot.waitExposed(window)
        qtbot.waitUntil(lambda: window.context.queries.idle)
        return window

    yield build
    for window in opened:
        pid = window.context.worker.pid
        window._may_stop = lambda: True  # nobody is here to answer: a failed test must not wait for ever
        window.close()
        assert not window.context.queries.running
        assert not pid or not _alive(pid)
        window.deleteLater()
    qapp.processEvents()
    assert QThread.currentThread() is qapp.thread()


@pytest.fixture
def when_asked(qapp: QApplication) -> Iterator[Callable[[Callable[[QWidget], None]], None]]:
    """`when_asked(answer)` gives the next modal dialog to `answer`; a failing answer closes it, so no test hangs."""
    timers: list[QTimer] = []

    def prepare(answer: Callable[[QWidget], None]) -> None:
        timer = QTimer(interval=10)

        def look() -> None:
            dialog = QApplication.activeModalWidget()
            if dialog is None or not dialog.isVisible():
                return
            timer.stop()
            try:
                answer(dialog)
            except BaseException:
                dialog.reject()
                raise

        timer.timeout.connect(look)
        timer.start()
        timers.append(timer)

    yield prepare
    unanswered = [timer for timer in timers if timer.isActive()]
    for timer in timers:
        timer.stop()
    assert not unanswered, "a dialog that was waited for did not come"


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
