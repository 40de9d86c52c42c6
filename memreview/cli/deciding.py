"""What can be decided about what: the table and the examples of `decide --help`, and the word for what does not fit."""

from __future__ import annotations

from typing import NamedTuple

from memreview.review.values import Decision, Question, Verb

ALSO = {"forget": Verb.DELETE, "limit": Verb.SCOPE, "later": Verb.SNOOZE}
"""The window's words for decisions."""
SAID = {verb: word for word, verb in ALSO.items()}


class Decided(NamedTuple):
    """A kind of thing: what it is called, how it is named on the command line, which command lists it, and the verbs
    that are for it."""

    noun: str
    named: str
    listed: str
    verbs: tuple[Verb, ...]


CASE = Decided(
    "case", "NUMBER", "queue",
    (Verb.APPROVE, Verb.REJECT, Verb.EDIT, Verb.SCOPE, Verb.DELETE, Verb.SNOOZE, Verb.RESTORE),
)  # fmt: skip
MEMORY = Decided("memory", "--memory ID", "memories", (Verb.EDIT, Verb.SCOPE, Verb.DELETE, Verb.RESTORE))
CLAIM = Decided("claim", "--claim ID", "quarantine", (Verb.RELEASE, Verb.KEEP, Verb.DELETE, Verb.NEVER, Verb.RESTORE))
QUESTION = Decided("question", "--question ID", "questions", (Verb.ANSWER, Verb.SNOOZE))
THINGS = (CASE, MEMORY, CLAIM, QUESTION)

MEANS = {
    Verb.APPROVE: "the new one takes the place of the old one",
    Verb.REJECT: "the old one still holds; this is not proposed again",
    Verb.EDIT: "--text is the right wording",
    Verb.SCOPE: "it holds only in --scope, or only --until a day",
    Verb.DELETE: "gone, and not taken in again",
    Verb.SNOOZE: "ask again --until that day",
    Verb.RESTORE: "take back what was decided",
    Verb.RELEASE: "let it count",
    Verb.KEEP: "hold it back for another fourteen days",
    Verb.NEVER: "forget it, and take nothing from its source any more",
    Verb.ANSWER: "--answer is one of its answers, or text with --text",
}
EXAMPLES = (
    "memreview decide approve 1",
    'memreview decide limit --memory 40 --scope "at work"',
    "memreview decide later 2 3 --until 2099-12-31",
)


def word(verb: Verb) -> str:
    return SAID.get(verb, str(verb))


def guide() -> str:
    """What stands below the options in `decide --help`."""
    return "\n".join(
        [
            "what there is to decide:",
            *(
                f"  a {thing.noun:<9} {thing.named:<14} listed by `memreview {thing.listed}`\n"
                f"  {'':<11} {', '.join(map(word, thing.verbs))}"
                for thing in THINGS
            ),
            "",
            "what it means:",
            *(f"  {word(verb):<8} {meaning}" for verb, meaning in MEANS.items()),
            "",
            "examples:",
            *(f"  {example}" for example in EXAMPLES),
        ]
    )


def check(decision: Decision) -> None:
    """Raises `ValueError` for a verb that is not for one of the things that are named."""
    named = (decision.transitions, decision.memories, decision.nodes, decision.questions)
    for thing, ids in zip(THINGS, named, strict=True):
        if ids and decision.verb not in thing.verbs:
            choices = ", ".join(map(word, thing.verbs))
            raise ValueError(f"“{word(decision.verb)}” is not for a {thing.noun}. There is: {choices}.")


def answering(program: str, question_id: int) -> str:
    """What is typed to answer a question, up to the answer. `program`: how to call us."""
    return f"{program} decide answer --question {question_id} --answer"


def check_answer(decision: Decision, question: Question, program: str) -> None:
    """Raises `ValueError` for an answer that this question doesn't offer, or one that needs a scope and has none."""
    offered = {answer.key: answer for answer in question.answers}
    answer = offered.get(decision.answer)
    if answer is None and decision.answer != "text":
        choices = ", ".join([*offered, "text"])
        raise ValueError(f"“{decision.answer}” is no answer to question {question.item.id}. There is: {choices}.")
    if answer is not None and answer.wants_scope and not (answer.scope or decision.scope.strip()):
        typed = f'{answering(program, question.item.id)} {answer.key} --scope "at work"'
        raise ValueError(f"Say where it holds: {typed}")
