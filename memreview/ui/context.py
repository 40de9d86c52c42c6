"""What every panel shares: the profile, the worker, the queries, and the few things that concern the whole window."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from memreview.review import decisions, history, imports
from memreview.review.values import Decision, GateSummary, Step, Verb
from memreview.store.errors import StoreError
from memreview.ui.collecting import Collector
from memreview.ui.commands import Commands
from memreview.ui.tasks import Queries
from memreview.ui.text import line, plural, tr
from memreview.ui.theme import Theme
from memreview.ui.worker import WorkerClient

if TYPE_CHECKING:
    from memreview.review.profile import Profile

CASES, MEMORIES, HISTORY, IMPORTS, SETTINGS = "cases", "memories", "history", "imports", "settings"
DECIDED = frozenset({CASES, MEMORIES, HISTORY})
EVERYTHING = frozenset({CASES, MEMORIES, HISTORY, IMPORTS, SETTINGS})


class AppContext(QObject):
    """Signals: `changed(set)` what may look different now; `toasted(text, undo)` a note with or without an Undo
    button; `opened(target, id)` go there: memory, entry, conversation, case, step, import, or a panel's key with
    id 0; `failed(message, advice)` something to be told in a dialog.
    """

    changed = Signal(object)
    toasted = Signal(str, bool)
    opened = Signal(str, object)
    failed = Signal(str, str)

    def __init__(
        self, profile: Profile, worker: WorkerClient, queries: Queries, commands: Commands, theme: Theme
    ) -> None:
        super().__init__()
        self.profile = profile
        self.worker = worker
        self.queries = queries
        self.commands = commands
        self.theme = theme
        self._collector = Collector(self)

    def decide(self, decision: Decision) -> Step | None:
        """Do it, tell every panel, and offer Undo. None when it could not be done (the person has been told)."""
        step = self.guard(lambda: decisions.decide(self.profile, decision))
        return self._did(step, done_words(decision), undo=True)

    def decide_many(self, decision: Decision, then: Callable[[Step], None], owner: QObject) -> None:
        """`decide` for so many targets that it would hold up the window; it runs on the query thread."""

        def done(step: Step) -> None:
            self._did(step, done_words(decision), undo=True)
            then(step)

        self.ask("decide", lambda profile: decisions.decide(profile, decision), done, owner)

    def undo(self, step_id: int | None = None) -> Step | None:
        """Undo a step, by default the person's last one."""
        step = self.guard(lambda: history.undo(self.profile, step_id))
        return self._did(step, tr("Undone: %1"), undo=False)

    def redo(self) -> Step | None:
        return self._did(self.guard(lambda: history.redo(self.profile)), tr("Done again: %1"), undo=True)

    def check_again(self, steps: Iterable[Step]) -> None:
        """What is left is checked at once, so that nothing that was held back counts meanwhile."""
        if any(map(history.leaves_unchecked, steps)):
            self.worker.submit("gate", {}, returns=GateSummary)

    def profile_has_imports(self) -> bool:
        return bool(self.guard(lambda: imports.list(self.profile)))

    def close(self) -> None:
        """End the threads and processes. Safe to call twice."""
        self.worker.close()
        self.queries.close()
        self._collector.stop()

    def ask(
        self,
        key: str,
        question: Callable[[Profile], Any],
        answer: Callable[[Any], None],
        owner: QObject,
    ) -> None:
        """Run `question` on the query thread with that thread's own profile and give its result to `answer` on the
        main thread, unless `owner` is gone or a newer request with the same `key` has come since."""
        self.queries.ask(key, question, answer, owner)

    def toast(self, text: str, undo: bool = False) -> None:
        self.toasted.emit(text, undo)

    def open(self, target: str, id: int = 0) -> None:
        self.opened.emit(target, id)

    def tell_changed(self, changed: Set[str]) -> None:
        self.changed.emit(frozenset(changed))

    def guard(self, action: Callable[[], Any]) -> Any:
        """Run `action`; when the world failed (disk, lock, a case that is gone) tell the person and return None."""
        try:
            return action()
        except StoreError as error:
            self.failed.emit(str(error), error.advice)
        except history.UndoBlocked as blocked:
            self.failed.emit(*_blocked_words(self.profile, blocked))
        except LookupError:
            self.failed.emit(
                tr("This is no longer there."), tr("Another step removed it. The list has been read again.")
            )
            self.tell_changed(EVERYTHING)
        except ValueError as error:
            self.failed.emit(str(error), "")
        return None

    def _did(self, step: Step | None, words: str, undo: bool) -> Step | None:
        """`words` may hold %1, for the step's name."""
        if step is not None:
            self.check_again([step])
            self.tell_changed(DECIDED)
            self.toast(words.replace("%1", line(step.label, 200)), undo=undo)
        return step


def done_words(decision: Decision) -> str:
    """What was done, as one says it afterwards."""
    done = {
        Verb.APPROVE: tr("Approved"),
        Verb.REJECT: tr("Rejected"),
        Verb.SCOPE: tr("Limited"),
        Verb.EDIT: tr("Edited"),
        Verb.DELETE: tr("Forgot"),
        Verb.SNOOZE: tr("Put off"),
        Verb.RESTORE: tr("Restored"),
        Verb.RELEASE: tr("Counts now:"),
        Verb.KEEP: tr("Still held back:"),
        Verb.NEVER: tr("Source left out, forgot"),
        Verb.ANSWER: tr("Answered"),
    }[decision.verb]
    counted = (
        (len(decision.transitions), "%n case", "%n cases"),
        (len(decision.nodes), "%n claim", "%n claims"),
        (len(decision.questions), "%n question", "%n questions"),
        (len(decision.memories), "%n memory", "%n memories"),
    )
    return f"{done} {', '.join(plural(n, one, many) for n, one, many in counted if n)}"


def _blocked_words(profile: Profile, blocked: history.UndoBlocked) -> tuple[str, str]:
    """`blockers` are journal ids, newest first."""
    names = [step.label for step in history.steps(profile, limit=500) if step.id in set(blocked.blockers)]
    advice = tr("Undo these first, in History:") + "\n" + "\n".join(f"• {line(name, 200)}" for name in names[:10])
    return tr("Later steps build on this one, so it can't be undone alone."), advice
