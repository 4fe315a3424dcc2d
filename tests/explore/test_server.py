"""The served page: its token, its origin, bounded questions, and cancelling."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from types import SimpleNamespace

import pytest
import uvicorn
from typer.testing import CliRunner

from unknot._base.errors import UnknotError
from unknot.cli.program import app
from unknot_explore import worker
from unknot_explore.design import Design
from unknot_explore.page import page, started, stored
from unknot_explore.server import MOST_BYTES, application, require_harmless
from unknot_explore.worker import CANCELLED, END, FULL, WAITS, Desk

TOKEN = "right"


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    taken = socket.socket()
    taken.bind(("127.0.0.1", 0))
    number = int(taken.getsockname()[1])
    desk = Desk()
    server = uvicorn.Server(uvicorn.Config(application(started(Design()), TOKEN, number, desk), log_level="error"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [taken]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield number
    server.should_exit = True
    thread.join(10)
    desk.close()


def send(port: int, path: str, body: bytes | None = None, **headers: str) -> tuple[int, str]:
    with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        connection.request("GET" if body is None else "POST", path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


def question(name: str, network: str) -> bytes:
    return json.dumps({"question": name, "design": {"network": network}}).encode()


def test_a_page_that_names_a_file_of_python_is_told_why_not(port: int) -> None:
    code, text = send(port, f"/{TOKEN}/ask", question("network", "mine.py"))
    assert (code, "the page runs no files of Python" in text) == (200, True)


def test_the_page_is_served_below_its_token_alone(port: int) -> None:
    code, text = send(port, f"/{TOKEN}/")
    assert (code, "unknot-start" in text) == (200, True)
    for path in ("/wrong/", "/rightx/", "/wrong/ask"):
        assert send(port, path, b"{}" if path.endswith("ask") else None)[0] == 403
    assert send(port, "/")[0] == 404


@pytest.mark.parametrize(
    "headers", [{"Origin": "http://elsewhere.example"}, {"Host": "elsewhere.example"}, {"Origin": "null"}]
)
def test_foreign_origins_are_refused(port: int, headers: dict[str, str]) -> None:
    code, text = send(port, f"/{TOKEN}/ask", question("network", "ring(4)"), **headers)
    assert (code, "its own page alone" in text) == (403, True)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", 400),
        (b"[]", 400),
        (b'{"question": "network"}', 400),
        (b"{" * 50_000, 400),
        (b" " * (MOST_BYTES + 1), 413),
    ],
)
def test_bad_questions_are_refused(port: int, body: bytes, code: int) -> None:
    assert send(port, f"/{TOKEN}/ask", body)[0] == code


def test_answers_come_as_lines(port: int) -> None:
    code, text = send(port, f"/{TOKEN}/ask", question("network", "ring(4)"))
    lines = [json.loads(line) for line in text.splitlines()]
    assert (code, lines[0]["name"], lines[-1]) == (200, "ring(4)", END)
    wrong = [json.loads(line) for line in send(port, f"/{TOKEN}/ask", question("network", "ring("))[1].splitlines()]
    assert "never closed" in wrong[-1]["error"]


def test_two_pages_are_answered_at_a_time(port: int) -> None:
    answers = dict[str, list[dict[str, object]]]()

    def ask(name: str, network: str) -> None:
        answers[network] = [
            json.loads(line) for line in send(port, f"/{TOKEN}/ask", question(name, network))[1].splitlines()
        ]

    asked = [("verdict", "ring(5)"), ("verdict", "ring(6)")]
    threads = [threading.Thread(target=ask, args=words) for words in asked]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert [parts[-1] for parts in answers.values()] == [END] * len(asked)


def test_a_page_gone_cancels_its_question(port: int) -> None:
    with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        connection.request("POST", f"/{TOKEN}/ask", question("remedies", "torus(16, 16)"))
        connection.getresponse().close()
    began = time.monotonic()
    code, text = send(port, f"/{TOKEN}/ask", question("lanes", "ring(5)"))
    assert code == 200
    assert json.loads(text.splitlines()[-1]) == END
    assert time.monotonic() - began < 30


@pytest.mark.long
def test_pages_are_answered_at_the_same_time() -> None:
    desk, first, second = Desk(), list[dict[str, object]](), list[dict[str, object]]()
    slow = ("remedies", {"network": "torus(16, 16)", "routing": "fully_adaptive"}, dict[str, object]())
    thread = threading.Thread(target=desk.ask, args=(slow, first.append))
    thread.start()
    desk.ask(("lanes", {"network": "ring(5)"}, {}), second.append)
    assert (second[-1], first) == (END, [])
    desk.close()
    thread.join(10)
    assert first == [{"error": CANCELLED}]


class Patient:
    """A worker that answers remedies as soon as they are cancelled, and all else at once."""

    def __init__(self) -> None:
        self.process = SimpleNamespace(is_alive=lambda: True, kill=lambda: None)

    def answered(self, question: worker.Question, tell: worker.Tell, cancelled: threading.Event) -> bool:
        if question[0] == "remedies":
            return not cancelled.wait(60)
        tell(END)
        return True

    def end(self) -> None:
        """Nothing is there to end."""


def test_questions_wait_for_a_place_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "_Worker", Patient)
    monkeypatch.setattr(worker, "WAITING", 1)
    monkeypatch.setitem(worker.PLACES, worker.LONG, 1)
    desk, told = Desk(), [list[dict[str, object]]() for _ in range(4)]
    gone = [threading.Event() for _ in told]

    def asked(i: int, name: str) -> threading.Thread:
        thread = threading.Thread(target=desk.ask, args=((name, {}, {}), told[i].append, gone[i]))
        thread.start()
        return thread

    threads = [asked(0, "remedies"), asked(1, "lanes")]
    while not told[1]:
        time.sleep(0.01)
    asked(2, "lanes").join(10)
    assert told[:3] == [[], [{"progress": WAITS}], [{"error": FULL}]]
    desk.ask(("verdict", {}, {}), told[2].append)  # quick questions have places of their own
    assert told[2][-1] == END
    gone[1].set()
    threads[1].join(10)
    assert told[1][1:] == [{"error": CANCELLED}]
    threads[1] = asked(3, "lanes")
    gone[0].set()
    for thread in threads:
        thread.join(10)
    desk.close()
    assert (told[0], told[3][-1]) == ([{"error": CANCELLED}], END)


def test_files_of_python_are_never_run() -> None:
    for key in ("network", "routing", "switching", "traffic"):
        with pytest.raises(UnknotError, match=f"{key}: the page runs no files of Python"):
            require_harmless({key: "mine.py:rule"})


def test_hostile_names_stay_text() -> None:
    text = page(started(Design(network="</script><script>alert(1)</script>")))
    assert "<script>alert" not in text


def test_a_file_has_its_answers() -> None:
    design = Design(network="ring(4)")
    answers = stored(design)
    text = page(started(design) | {"answers": answers})
    assert [one["question"] for one in answers] == ["network", "verdict"]
    assert len(text) < 3_000_000
    assert "It can deadlock." in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("ring(4)", "--port", "80000"), "ports are 0 to 65535"),
        (("ring(4)", "--routing", "mine.py:rule"), "the page runs no files of Python"),
        (("ring(4", "--out", "page.html"), "never closed"),
        (("ring(4)", "--out", "page.txt"), "ends in .html"),
        (("--exercise", "9"), "exercises 1 to 8"),
        (("torus(150, 150)", "--routing", "dimension_order", "--out", "page.html"), "too many to show"),
    ],
)
def test_bad_input_ends_in_a_sentence(
    words: tuple[str, ...], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["explore", "--no-browser", *words])
    assert (result.exit_code, said in result.stderr) == (2, True), result.output
    assert not (tmp_path / "page.html").exists()
