"""The language model inside the running worker: killed, cancelled, replaced by rubbish; the worker goes on."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from memreview.language.llm.choice import BUNDLED
from tests.review.test_worker import Client

needs_model = pytest.mark.skipif(not BUNDLED.status().usable, reason="the bundled language model is not here")
pytest.importorskip("llama_cpp")


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    made = Client(tmp_path / "home")
    yield made
    if made.process.poll() is None:
        made.close()


def children(pid: int) -> list[int]:
    """The processes that `pid` started and that are running."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            _, _, rest = path.read_text().rpartition(") ")
        except OSError:
            continue
        state, parent = rest.split()[:2]
        if int(parent) == pid and state != "Z":
            found.append(int(path.parent.name))
    return found


def probing(client: Client, id: int) -> int:
    """Ask for the probe; the process of the model, once it works."""
    client.send(id=id, job="use_model", args={"choice": {"type": "bundled"}})
    while client.read().get("progress", ["", 0])[:2] != ["model", 2]:
        pass
    (model,) = children(client.process.pid)
    return model


needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds processes in /proc")


@needs_model
@needs_proc
def test_killing_the_model_in_the_middle_leaves_the_worker_working(client: Client) -> None:
    first = probing(client, 1)
    os.kill(first, signal.SIGKILL)
    while client.read().get("progress", ["", 0])[1] < 4:  # the probe goes on with a second process
        pass
    (second,) = children(client.process.pid)
    assert second != first
    client.send(id=2, job="ping")  # questions do not wait for it
    while "result" not in (message := client.read()):
        pass
    assert message == {"id": 2, "result": "pong"}
    begun = time.monotonic()
    client.send(cancel=1)
    assert client.answer(1)["error"]["kind"] == "Cancelled"
    assert time.monotonic() - begun < 0.5
    assert client.close() == 0


@needs_model
@needs_proc
def test_the_model_ends_with_the_worker(client: Client) -> None:
    model = probing(client, 1)
    client.process.kill()
    end = time.monotonic() + 10
    while Path(f"/proc/{model}").exists() and Path(f"/proc/{model}/stat").read_text().split()[2] != "Z":
        assert time.monotonic() < end
        time.sleep(0.02)
    client.process.wait()
    assert client.process.stdin
    assert client.process.stdout
    client.process.stdin.close()
    client.process.stdout.close()


@pytest.mark.parametrize("data", [b"GGUF", b"GGUF\x03\x00\x00\x00" + b"\xff" * 64, b"PK\x03\x04", b""])
def test_rubbish_is_refused_and_the_rules_go_on(client: Client, tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "my model.gguf"
    path.write_bytes(data)
    client.send(id=1, job="use_model", args={"path": str(path)})
    error = client.answer(1)["error"]
    assert error["kind"] == "ModelUnavailable"
    assert "my model.gguf" in error["message"]
    client.send(id=2, job="note", args={"text": "I can't eat kiwi"})
    assert client.answer(2)["result"] == {
        "text": "Can't eat kiwi",
        "by": "rules",
        "reason": "The model was not tried yet.",
    }
