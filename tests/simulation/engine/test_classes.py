"""Messages in classes: virtual channels of their own in closed loops, traces and files, and what that changes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from unknot._base.errors import SimulationError, TextError
from unknot._base.switching import SWITCHINGS
from unknot.cli.program import app
from unknot.network.families import line, mesh
from unknot.routing import dimension_order, in_classes, o1turn
from unknot.simulation import TracedMessage, TraceError, closed_loop, read_trace, run_trace
from unknot.traffic.trace import addresses_drawn

MESH = in_classes(dimension_order(mesh(3, 3), 2))
PAIR = in_classes(dimension_order(line(3)), ("ask", "answer"))


def test_addresses_of_a_class() -> None:
    base = o1turn(mesh(3, 3))
    relation = in_classes(base, ("a", "b", "c"))
    source, destination = np.repeat(np.arange(9), 9), np.tile(np.arange(9), 9)
    for kind in range(3):
        found = addresses_drawn(relation, source, destination, 1, np.full(81, kind))
        assert (found // base.num_addresses == kind).all()
        assert (relation.destination[found] == destination).all()
    mixed = np.arange(81) % 3
    found = addresses_drawn(relation, source, destination, 1, mixed)
    assert (found // base.num_addresses == mixed).all()
    assert set((found % base.num_addresses // 9).tolist()) == {0, 1}, "both orders of o1turn are drawn"
    every = addresses_drawn(relation, np.zeros(200, dtype=np.int64), np.full(200, 4), 1)
    assert set(every.tolist()) == set(np.flatnonzero(relation.destination == 4).tolist())


def test_a_message_of_another_class_does_not_wait() -> None:
    """Two messages meet on a channel of one VC for each class: of one class the second waits, else they share it."""

    def end(first: str, second: str) -> list[int]:
        long, late = TracedMessage(0, 0, 2, 40, message_class=first), TracedMessage(30, 1, 2, 4, message_class=second)
        return run_trace(PAIR, [long, late]).arrived.tolist()

    alone = 4 * 2 + 1 + 3 + 3
    same, other = end("ask", "ask"), end("ask", "answer")
    assert same[0] == 4 * 3 + 2 + 3 + 39
    assert other[1] - 30 <= alone + 4 < same[1] - 30
    assert end("answer", "answer") == same
    assert same[0] < other[0] <= same[0] + 4, "they share the channel flit by flit"


def test_messages_without_a_class_take_any() -> None:
    run = run_trace(PAIR, [TracedMessage(0, 0, 2, 20) for _ in range(40)])
    with_class = run_trace(PAIR, [TracedMessage(0, 0, 2, 20, message_class="ask") for _ in range(40)])
    assert run.makespan is not None
    assert with_class.makespan is not None
    assert run.makespan < with_class.makespan


def test_classes_change_nothing_on_a_routing_without() -> None:
    relation = dimension_order(line(3))
    shown = [TracedMessage(i, 0, 2, 5, message_class=f"kind {i}") for i in range(9)]
    mute = [TracedMessage(i, 0, 2, 5) for i in range(9)]
    assert run_trace(relation, shown).arrived.tolist() == run_trace(relation, mute).arrived.tolist()


def test_unknown_classes() -> None:
    with pytest.raises(
        TraceError, match="message 1 of the trace: there is no message class 'reply'; the routing has ask, answer"
    ):
        run_trace(PAIR, [TracedMessage(0, 0, 1), TracedMessage(0, 0, 1, message_class="reply")])
    with pytest.raises(SimulationError, match="of the classes request and reply; the routing has ask, answer"):
        closed_loop(PAIR)


def test_unknown_classes_in_a_file_are_reported_with_their_position(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("cycle,source,destination,flits,class\n0,0,1,1,ask\n0,1,2,1,aks\n", encoding="utf-8")
    assert read_trace(file, PAIR.network).classes == ("ask", "aks")
    with pytest.raises(TextError) as shown:
        read_trace(file, PAIR.network, classes=PAIR.classes)
    assert (shown.value.line, shown.value.column) == (3, 9)
    assert "there is no message class 'aks'" in str(shown.value)


@settings(max_examples=6)
@given(st.integers(1, 10), st.integers(1, 4), st.sampled_from(SWITCHINGS), st.integers(0, 3), st.booleans())
def test_requests_and_replies_of_a_loop_keep_to_their_vcs(
    requests: int, window: int, switching: str, seed: int, swapped: bool
) -> None:
    names = ("reply", "other", "request") if swapped else ("request", "reply")
    relation = in_classes(dimension_order(mesh(3, 3)), names)
    loop = closed_loop(relation, requests=requests, window=window, switching=switching, seed=seed)
    assert loop.done == 9 * requests
    again = run_trace(relation, loop.run.trace, switching=switching, seed=seed)
    assert (again.arrived == loop.run.arrived).all()
    alone = closed_loop(
        in_classes(dimension_order(mesh(3, 3)), ["request", "reply"]), requests=requests, window=window,
        switching=switching, seed=seed,
    )  # fmt: skip
    assert loop.run.trace.classes == alone.run.trace.classes


@pytest.mark.long
def test_replies_pass_requests_that_wait_for_a_hot_terminal() -> None:
    """On VCs shared with long requests replies wait as these do; on VCs of their own nothing is in their way."""
    options: dict[str, Any] = {"requests": 30, "window": 8, "request_flits": 8, "reply_flits": 1, "seed": 1}
    base = mesh(4, 4)
    shared = closed_loop(dimension_order(base, 4), traffic="hotspot(5, share=0.5)", **options)
    apart = closed_loop(in_classes(dimension_order(base, 2)), traffic="hotspot(5, share=0.5)", **options)
    together, alone = (loop.run.of_class("reply", network=True).mean() for loop in (shared, apart))
    empty = closed_loop(in_classes(dimension_order(base, 2)), **(options | {"requests": 1, "window": 1}))
    assert alone < 1.3 * empty.run.of_class("reply", network=True).mean() < 0.5 * together
    assert (apart.run.of_class("reply") >= apart.run.of_class("reply", network=True)).all()


def test_the_command(tmp_path: Path) -> None:
    def run(*words: str) -> tuple[int, str]:
        result = CliRunner().invoke(app, ["trace", "mesh(3, 3)", "--routing", "dimension_order", *words])
        return result.exit_code, result.output

    code, out = run("--requests", "5", "--classes", "request,reply", "--vcs", "4", "--json")
    found = json.loads(out)
    assert code == 0
    assert found["classes"]["request"]["messages"] == found["classes"]["reply"]["arrived"] == 45
    loop = closed_loop(MESH, requests=5)
    assert found["classes"]["reply"]["latency_mean"] == loop.run.of_class("reply").mean()
    assert found["makespan"] == loop.makespan
    code, out = run("--requests", "5", "--classes", "request, reply")
    assert re.search(r"routing +dimension_order for request and reply *\nVCs +2\b", out)
    assert re.search(r"\n *reply +45 +45 ", out)
    assert run("--requests", "5", "--classes", "request,reply", "--vcs", "3")[0] == 2
    assert "the routing has a, b" in run("--requests", "5", "--classes", "a,b")[1]
    file = tmp_path / "a.csv"
    file.write_text("cycle,source,destination,flits,class\n0,0,1,1,a\n0,1,2,1,c\n", encoding="utf-8")
    code, out = run(str(file), "--classes", "a,b")
    assert code == 2
    assert "a.csv:3:9" in out
    assert run(str(file), "--classes", "a,b,c")[0] == 0
