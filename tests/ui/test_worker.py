"""The child process: jobs, progress, cancel, a crash, and nothing left behind."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import QObject, QThread

from memreview.review.values import ImportSummary
from memreview.ui.tasks import Queries
from memreview.ui.widgets.progress import ProgressStrip, remaining_words, stage_words
from memreview.ui.worker import JobError, WorkerClient

CHILD = """
import json, os, sys, threading
cancelled = set()
def say(**words): print(json.dumps(words), flush=True)
def slow(id):
    import time
    for done in range(1000):
        if id in cancelled:
            return say(id=id, error={"kind": "Cancelled", "message": "Stopped.", "advice": "", "data": None})
        say(id=id, progress=["reading", done, 1000])
        time.sleep(0.01)
say(ready=True)
for line in sys.stdin:
    message = json.loads(line)
    if message.get("quit"): break
    if "cancel" in message: cancelled.add(message["cancel"]); continue
    id, job = message["id"], message["job"]
    if job == "echo": say(id=id, result=message["args"])
    elif job == "die": os._exit(9)
    elif job == "slow": threading.Thread(target=slow, args=(id,), daemon=True).start()
    elif job == "hang":
        import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); threading.Event().wait()
    elif job == "bad": say(id=id, error={"kind": "ImportFailed", "message": "No export.", "advice": "Choose a zip."})
    elif job == "imports":
        say(id=id, result=[dict(import_id=1, provider="chatgpt", label="x", file_name="f", format="g", state="done",
            started_at=1, finished_at=2, exported_at=None, counts={"conversations": 3}, notes=[["broken", "a", "b"]])])
"""


@pytest.fixture
def client(qapp, tmp_path: Path) -> Iterator[WorkerClient]:
    script = tmp_path / "child.py"
    script.write_text(CHILD)
    client = WorkerClient(tmp_path, command=[sys.executable, "-u", str(script)])
    yield client
    pid = client.pid
    client.close()
    client.close()
    assert not pid or not _alive(pid)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_job_returns_its_result_and_starts_the_process(client, qtbot):
    assert client.pid == 0
    results: list[object] = []
    client.submit("echo", {"text": "naïve \u202e 👩"}, on_result=results.append)
    qtbot.waitUntil(lambda: bool(results))
    assert results == [{"text": "naïve \u202e 👩"}]
    assert client.jobs == {}


def test_results_become_values(client, qtbot):
    results: list[list[ImportSummary]] = []
    client.submit("imports", on_result=results.append, returns=list[ImportSummary])
    qtbot.waitUntil(lambda: bool(results))
    assert results[0][0].notes == (("broken", "a", "b"),)


def test_errors_arrive_with_their_advice(client, qtbot):
    errors: list[JobError] = []
    client.submit("bad", on_error=errors.append)
    qtbot.waitUntil(lambda: bool(errors))
    assert errors == [JobError("ImportFailed", "No export.", "Choose a zip.")]


def test_cancel_ends_the_job_and_not_the_process(client, qtbot):
    errors: list[JobError] = []
    progress: list[tuple[str, int, int]] = []
    job = client.submit("slow", on_progress=lambda *words: progress.append(words), on_error=errors.append)
    qtbot.waitUntil(lambda: len(progress) > 2)
    pid = client.pid
    began = time.monotonic()
    job.cancel()
    qtbot.waitUntil(lambda: bool(errors))
    assert time.monotonic() - began < 0.5
    assert errors[0].kind == "Cancelled"
    assert client.pid == pid


def test_after_a_crash_the_next_job_finds_a_new_process(client, qtbot):
    errors: list[JobError] = []
    results: list[object] = []
    client.submit("echo", {"n": 1}, on_result=results.append)
    qtbot.waitUntil(lambda: bool(results))
    first = client.pid
    client.submit("slow", on_error=errors.append)
    client.submit("die", on_error=errors.append)
    qtbot.waitUntil(lambda: len(errors) == 2)
    assert {error.kind for error in errors} == {"Crash"}
    assert "Try again" in errors[0].advice
    client.submit("echo", {"n": 2}, on_result=results.append)
    qtbot.waitUntil(lambda: len(results) == 2)
    assert client.pid != first


def test_a_process_that_will_not_end_is_ended(client, qtbot, monkeypatch):
    monkeypatch.setattr("memreview.ui.worker.QUIT_MS", 100)
    monkeypatch.setattr("memreview.ui.worker.TERMINATE_MS", 200)
    client.submit("hang")
    qtbot.waitUntil(lambda: client.pid > 0)
    qtbot.wait(200)
    pid = client.pid
    client.close()
    assert not _alive(pid)


def test_a_program_that_is_not_there_is_said_so(qapp, qtbot, tmp_path):
    client = WorkerClient(tmp_path, command=[str(tmp_path / "nothing")])
    errors: list[JobError] = []
    client.submit("echo", on_error=errors.append)
    qtbot.waitUntil(lambda: bool(errors))
    assert "could not be started" in errors[0].message
    client.close()


def test_the_real_worker_answers(qapp, qtbot, home, profile):
    pytest.importorskip("memreview.language.embedder")
    client = WorkerClient(home)
    results: list[object] = []
    client.submit("ping", on_result=results.append)
    qtbot.waitUntil(lambda: bool(results), timeout=20_000)
    assert results == ["pong"]
    pid = client.pid
    client.close()
    assert not _alive(pid)


def test_a_client_that_goes_right_after_a_job_takes_the_job_along(qapp, tmp_path):
    """Nothing may be left that touches the job later: a call that was put off ended the program."""
    for _ in range(5):
        client = WorkerClient(tmp_path, command=[sys.executable, "-c", "input()"])
        job = client.submit("echo")
        client._take({"id": job.id, "result": 1})
        client.close()
        shiboken6.delete(client)
        qapp.processEvents()
        assert not shiboken6.isValid(job)


def test_the_strip_shows_late_and_goes_with_the_job(client, qtbot):
    strip = ProgressStrip()
    qtbot.addWidget(strip)
    job = client.submit("slow")
    strip.follow(job)
    qtbot.wait(50)
    assert strip.isHidden()
    qtbot.waitUntil(strip.isVisible)
    qtbot.waitUntil(lambda: strip.bar.value() > 0)
    assert strip.label.text().startswith("Reading the file")
    strip.cancel.click()
    assert "stays" in strip.label.text()
    qtbot.waitUntil(strip.isHidden)


def test_words_for_stages_and_time_left():
    assert stage_words("comparing", 5, 10).endswith("50 %")
    assert stage_words("reading", 5, 0).endswith("…")
    assert remaining_words(2.0, 5, 10) == ""
    assert remaining_words(10.0, 5, 10) == "about 10 seconds left"
    assert remaining_words(60.0, 1, 10) == "about 9 minutes left"
    assert remaining_words(60.0, 10, 10) == remaining_words(60.0, 0, 10) == ""


# -- the query thread -----------------------------------------------------------------------------------------------


@pytest.fixture
def queries(qapp, home, profile) -> Iterator[Queries]:
    queries = Queries(home)
    yield queries
    queries.close()
    queries.close()
    assert not queries.running


def test_answers_come_on_the_main_thread_from_another(queries, qtbot, qapp):
    seen: list[tuple[object, object]] = []
    owner = QObject()

    def note(there: object) -> None:
        seen.append((there, QThread.currentThread()))

    queries.ask("k", lambda _profile: QThread.currentThread(), note, owner)
    qtbot.waitUntil(lambda: bool(seen))
    assert seen[0][0] is not qapp.thread()
    assert seen[0][1] is qapp.thread()


def test_a_newer_question_replaces_the_older(queries, qtbot):
    ran: list[int] = []
    seen: list[int] = []
    owner = QObject()

    def question(n: int):
        def read(_profile: object) -> int:
            ran.append(n)
            time.sleep(0.05)
            return n

        return read

    for n in range(20):
        queries.ask("k", question(n), seen.append, owner)
    qtbot.waitUntil(lambda: bool(seen))
    assert seen == [19]
    assert len(ran) <= 2


def test_an_answer_for_someone_who_is_gone_is_dropped(queries, qtbot):
    seen: list[int] = []
    owner = QObject()
    queries.ask("k", lambda _profile: 1, seen.append, owner)
    owner.deleteLater()
    qtbot.waitUntil(lambda: queries.idle)
    assert seen == []


def test_a_failed_read_is_told(queries, qtbot):
    def read(_profile: object) -> None:
        raise ValueError("Say a date.")

    with qtbot.waitSignal(queries.failed) as heard:
        queries.ask("k", read, lambda _none: None, QObject(queries))
    assert heard.args == ["Say a date.", ""]
