"""The worker process over its real pipe: results, progress, cancel, errors, the end."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memreview.evaluate import generate


class Client:
    def __init__(self, home: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "memreview.review.worker", "--home", str(home)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self.read() == {"ready": True}

    def send(self, **message: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        return dict(json.loads(self.process.stdout.readline()))

    def answer(self, job_id: int) -> dict[str, Any]:
        """The next result or error of a job, whatever else comes before."""
        while True:
            message = self.read()
            if message.get("id") == job_id and ("result" in message or "error" in message):
                return message

    def close(self) -> int:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        code = self.process.wait(timeout=20)
        self.process.stdout.close()
        return code


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    made = Client(tmp_path / "home")
    yield made
    if made.process.poll() is None:
        made.close()


def test_a_job_gives_its_result_and_the_process_ends_with_its_input(client: Client) -> None:
    client.send(id=1, job="ping")
    assert client.answer(1)["result"] == "pong"
    assert client.close() == 0


def test_an_import_reports_progress_and_questions_are_answered_meanwhile(client: Client, tmp_path: Path) -> None:
    export = tmp_path / "conversations.json"
    messages = generate.chatgpt_export(export, 3_000)
    client.send(id=1, job="import", args={"path": str(export), "audit": False})
    while "progress" not in (message := client.read()) or message["progress"][0] != "reading":
        pass
    client.send(id=2, job="ping")
    while "result" not in (message := client.read()):
        pass
    assert message["id"] == 2  # the question did not wait for the import
    result = client.answer(1)["result"]
    assert result["imports"][0]["counts"]["entries.new"] == messages


def test_cancel_ends_a_job_and_keeps_what_was_read(client: Client, tmp_path: Path) -> None:
    export = tmp_path / "conversations.json"
    generate.chatgpt_export(export, 6_000)
    client.send(id=1, job="import", args={"path": str(export), "audit": False})
    while client.read().get("progress", [""])[0] != "reading":
        pass
    client.send(cancel=1)
    assert client.answer(1)["error"]["kind"] == "Cancelled"
    client.send(id=2, job="ping")
    assert client.answer(2)["result"] == "pong"


def test_bad_input_is_an_error_in_words(client: Client, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"secret of the person": 1}')
    client.send(id=1, job="import", args={"path": str(tmp_path / "x.json")})
    error = client.answer(1)["error"]
    assert error["kind"] == "ImportFailed"
    assert "x.json" in error["message"]


def test_a_bug_is_reported_without_texts_and_the_worker_goes_on(client: Client) -> None:
    client.send(id=1, job="search", args={})
    error = client.answer(1)["error"]
    assert error["kind"] == "Crash"
    assert error["data"]["place"]
    client.send(id=2, job="ping")
    assert client.answer(2)["result"] == "pong"


def test_a_table_without_known_columns_asks_for_a_mapping(client: Client, tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text("colour,shape\nred,round\nblue,square\n")
    client.send(id=1, job="import", args={"path": str(tmp_path / "list.csv"), "audit": False})
    error = client.answer(1)["error"]
    assert error["kind"] == "NeedsMapping"
    assert error["data"]["columns"] == ["colour", "shape"]
    client.send(
        id=2, job="import", args={"path": str(tmp_path / "list.csv"), "audit": False, "mapping": {"text": "shape"}}
    )
    assert client.answer(2)["result"]["imports"][0]["counts"]["memories.new"] == 2
