"""The language model as the person has it: choosing one, finding out which jobs it is good for, and having them done.

A job whose probe failed, or whose model can't be run now, is done by rules; what comes back tells which and why.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from memreview.language.claims import Hypothesis
from memreview.language.llm import choice as choices
from memreview.language.llm import probe as probes
from memreview.language.llm import tasks
from memreview.language.llm.choice import Bundled, Choice, File, LeavesComputer, Off, Server
from memreview.language.llm.model import BadAnswer, Check, LanguageModel, Talk, quiet
from memreview.language.llm.probe import Card
from memreview.language.llm.tasks import Task
from memreview.language.onnx_model import ModelUnavailable
from memreview.language.relations import Pair
from memreview.review import note_words, settings
from memreview.review.profile import Profile
from memreview.review.values import Progress
from memreview.store.readings import Readings

__all__ = ["Bundled", "Card", "Choice", "File", "LeavesComputer", "Off", "Server", "Task"]

T = TypeVar("T")
By = Literal["model", "rules"]

_CHOICE, _CARD = "language_model", "language_model_card"


class Job(msgspec.Struct, frozen=True):
    """One job, who does it, and the probe's score. `reason`: why the model does not do it."""

    task: Task
    by: By
    reason: str = ""
    right: int = 0
    cases: int = 0


class Status(msgspec.Struct, frozen=True):
    """`problem`: why the model can't be used at all, "" if nothing is known against it. `at` of the probe."""

    choice: Choice
    name: str
    problem: str
    at: int | None
    jobs: tuple[Job, ...]

    @property
    def sends(self) -> bool:
        """Texts leave this program."""
        return isinstance(self.choice, Server)


class Worded(msgspec.Struct, frozen=True):
    """A text that was written for the person. `reason`: why it is by rules."""

    text: str
    by: By
    reason: str = ""


class Judged(msgspec.Struct, frozen=True):
    """Log-odds that the hypothesis follows from the premise; None where nothing could judge."""

    log_odds: float | None
    by: By
    reason: str = ""


# -- choosing and probing ---------------------------------------------------------------------------------------


def chosen(profile: Profile) -> Choice:
    found: Choice = msgspec.convert(settings.get(profile, _CHOICE), Choice)
    return found


def own_file(path: Path) -> Choice:
    """A GGUF file of the person's. Raises `ModelUnavailable`."""
    return choices.file(path)


def own_server(url: str, model: str = "", *, elsewhere: bool = False) -> Choice:
    """Raises `LeavesComputer` unless it runs here or `elsewhere` says that it need not, `ValueError` for no address."""
    return choices.server(url, model, elsewhere=elsewhere)


def choose(profile: Profile, choice: Choice, progress: Progress) -> Status:
    """Probe the model and keep it with its card. Nothing changes where it can't be run, or when it is cancelled.

    Raises `ModelUnavailable`.
    """
    if isinstance(choice, Server):
        choice = choices.server(choice.url, choice.model, elsewhere=choice.elsewhere)
    card = _probed(choice, progress)
    with profile.database.transaction():
        settings.set(profile, _CHOICE, msgspec.to_builtins(choice))
        settings.set(profile, _CARD, msgspec.to_builtins(card))
    _RUNNING.only(choice)
    return status(profile)


def probe(profile: Profile, progress: Progress) -> Status:
    """Probe the chosen model again. Raises `ModelUnavailable`."""
    return choose(profile, chosen(profile), progress)


def status(profile: Profile) -> Status:
    """Fast: no model is loaded, no file is read."""
    choice = chosen(profile)
    problem = choices.problem(choice)
    card = _card(profile, choice)
    jobs = tuple(_job(task, choice, problem, card) for task in Task)
    return Status(choice, choices.name(choice), problem, card.at if card else None, jobs)


def _probed(choice: Choice, progress: Progress) -> Card | None:
    if isinstance(choice, Off):
        return None
    done = [0, 1]

    def count(*now: int) -> None:
        done[:] = now
        progress("model", *now)

    return probes.probe(_RUNNING.get(choice), time.time_ns() // 1000, count, lambda: progress("model", *done))


def _card(profile: Profile, choice: Choice) -> Card | None:
    """The card of this model as it is now; None for one of another model or of an older probe."""
    card = msgspec.convert(settings.get(profile, _CARD), Card | None)
    fits = card is not None and card.version == probes.VERSION and card.model == choices.model_id(choice)
    return card if fits else None


def _job(task: Task, choice: Choice, problem: str, card: Card | None) -> Job:
    score = next((score for score in card.scores if score.task == task), None) if card else None
    if isinstance(choice, Off):
        return Job(task, "rules", "No language model is chosen.")
    if score is None:
        return Job(task, "rules", problem or "The model was not tried yet.")
    if problem or not score.passed:
        least = math.ceil(score.needed * score.cases)
        reason = problem or f"{least} right answers are needed."
        return Job(task, "rules", reason, score.right, score.cases)
    return Job(task, "model", "", score.right, score.cases)


def end() -> None:
    """End what runs; the next request starts it again."""
    _RUNNING.only(Off())


# -- jobs -------------------------------------------------------------------------------------------------------


def note(profile: Profile, text: str, hypothesis: Hypothesis | None = None, check: Check = quiet) -> Worded:
    """What a text claims, as an assistant would note it: "I can't eat kiwi" as "Can't eat kiwi"."""

    def written(model: LanguageModel) -> str:
        return _faithful(tasks.rewrite(model, text, check), [text])

    found, reason = _by_model(profile, Task.REWRITE, written)
    return Worded(found, "model") if found else Worded(note_words.note(text, hypothesis), "rules", reason)


def question(profile: Profile, older: str, newer: str, plain: str, check: Check = quiet) -> Worded:
    """One question about two statements; `plain` is how the rules put it."""

    def written(model: LanguageModel) -> str:
        return _faithful(tasks.ask(model, older, newer, check), [older, newer])

    found, reason = _by_model(profile, Task.ASK, written)
    return Worded(found, "model") if found else Worded(plain, "rules", reason)


def follows(profile: Profile, premise: str, hypothesis: str, check: Check = quiet) -> Judged:
    """Whether one statement follows from another; by the relation model where the language model does not judge."""
    odds, reason = _by_model(profile, Task.ENTAIL, lambda model: tasks.entails(model, premise, hypothesis, check))
    if odds is not None:
        return Judged(odds, "model")
    relations = profile.relations_or_none()
    if relations is None:
        return Judged(None, "rules", reason)
    share = min(max(relations.judge([Pair(premise, hypothesis)])[0].nli["entailment"], 1e-6), 1 - 1e-6)
    return Judged(math.log(share / (1 - share)), "rules", reason)


def _by_model(profile: Profile, task: Task, work: Any) -> tuple[Any, str]:
    """What `work(model)` gives, or None and the reason."""
    choice = chosen(profile)
    job = _job(task, choice, choices.problem(choice), _card(profile, choice))
    if job.by == "rules":
        return None, job.reason
    try:
        return work(_Remembering(_RUNNING.get(choice), profile)), ""
    except ModelUnavailable as error:
        return None, str(error)


def _faithful(written: str, sources: Sequence[str]) -> str:
    if not tasks.faithful(written, sources):
        raise BadAnswer("The model's answer says more than the text that it was given.")
    return written


class _Remembering:
    """A model that is asked nothing twice: answers are kept by model, talk and schema."""

    def __init__(self, model: LanguageModel, profile: Profile) -> None:
        self.id, self.name = model.id, model.name
        self._model, self._database = model, profile.database

    def write(self, talk: Talk, schema: Mapping[str, Any], max_tokens: int, check: Check) -> str:
        return self._kept((talk, schema, max_tokens), str, lambda: self._model.write(talk, schema, max_tokens, check))

    def log_probabilities(self, talk: Talk, words: Sequence[str], check: Check) -> list[float]:
        return self._kept((talk, words), list[float], lambda: self._model.log_probabilities(talk, words, check))

    def close(self) -> None:
        self._model.close()

    def _kept(self, asked: object, kind: type[T], answer: Any) -> T:
        readings: Readings[T] = Readings(self._database, self.id, kind, lambda _: False)
        found = readings.ensure([msgspec.json.encode(asked).decode()], lambda _: [answer()])[0]
        assert found is not None, "no answer is kept as empty"
        return found


class _Running:
    """The models of this process, whichever thread asks: one is enough for the memory of a computer."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._models: dict[Choice, LanguageModel] = {}

    def get(self, choice: Choice) -> LanguageModel:
        """Raises `ModelUnavailable`."""
        with self._lock:
            if choice not in self._models:
                self._models[choice] = choices.open_model(choice)
            return self._models[choice]

    def only(self, choice: Choice) -> None:
        """End the others."""
        with self._lock:
            for other in [other for other in self._models if other != choice]:
                self._models.pop(other).close()


_RUNNING = _Running()
