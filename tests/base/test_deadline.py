"""Deadlines, by a clock that stands."""

from __future__ import annotations

import re

import pytest
from typer.testing import CliRunner, Result

from unknot._base import deadline as module
from unknot._base.deadline import NEVER, Deadline, NoAnswerError
from unknot._base.errors import RelationError, UnknotError
from unknot.cli.program import app
from unknot.lane_assignment import lanes
from unknot.network.families import torus
from unknot.routing import dimension_order
from unknot.synthesis import design, every_size
from unknot.verify import check, check_all, deliver
from unknot.verify.properties import properties


def unknot_says(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(module, "clock", made)
    return made


def test_one_deadline_is_handed_down(clock: Clock) -> None:
    deadline = Deadline.after(10)
    clock.now += 4
    assert (deadline.left, deadline.over) == (6, False)
    assert Deadline.of(deadline) is deadline
    assert Deadline.of(3.0) == Deadline(3.0, 107.0)
    assert deadline.part(0.5) == Deadline(10, 107.0)
    clock.now += 7
    assert (deadline.left, deadline.over) == (0, True)
    assert deadline.part(0.5).over


def test_what_is_left_to_do_ends_in_time(clock: Clock) -> None:
    """Two stages that do not look at the clock still keep the promise: within 20 %, or 2 seconds."""
    for seconds in (0.1, 3.0, 10.0, 11.0, 600.0):
        late = Deadline.after(seconds).closing.closing
        assert 0 < late.end - clock.now - seconds < max(0.2 * seconds, 2.0)


def test_no_work_begins_when_it_is_over(clock: Clock) -> None:
    deadline, done = Deadline.after(1), list[int]()
    assert deadline.unless_over(lambda: 7) == 7
    clock.now += 2
    assert deadline.unless_over(lambda: done.append(1)) is None
    with pytest.raises(NoAnswerError):
        deadline.within(lambda: done.append(1))
    assert not done
    assert not NEVER.over


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
def test_a_limit_is_a_positive_number(seconds: float) -> None:
    with pytest.raises(RelationError, match="check: the time limit must be a positive number of seconds, got"):
        Deadline.of(seconds, "check")
    with pytest.raises(UnknotError, match=r"^the time limit"):
        Deadline.of(seconds)


OVER = Deadline(5.0, 0.0)
"""A limit of 5 seconds that was over long ago."""


def test_verdicts_are_open_when_it_is_over() -> None:
    assert check(torus(4, 4), routing="duato", time_limit=OVER).established.startswith("undecided after 5 s")
    assert {v.deadlock_free for v in check_all(torus(4, 4), routing="duato", time_limit=OVER).values()} == {None}
    found = every_size("mesh(2)", "duato", time_limit=OVER)
    assert (found.deadlock_free, found.decided, found.reason) == (
        None,
        (),
        "its permissions were not read in half of 5 s",
    )


def test_what_was_judged_is_kept_when_it_is_over() -> None:
    found = design("mesh(6)", time_limit=OVER)
    assert (found.complete, found.best, found.lower_bound) == (False, None, 12)


@pytest.mark.parametrize("paths", ["free", "table"])
def test_routes_are_found_though_it_is_over(paths: str) -> None:
    """The first that come, and they are right."""
    found = lanes("torus(5, 5)", paths, time_limit=OVER)
    assert not found.complete
    assert found.load_bound is not None
    assert found.load_bound <= found.highest_load
    assert check(found.relation).deadlock_free
    assert deliver(found.relation).delivered


def test_loads_are_left_out_when_it_is_over() -> None:
    found = properties(dimension_order(torus(4, 4), 2), best=True, time_limit=OVER)
    assert found.delivery.delivered
    assert (found.loads, found.best) == (None, None)
    assert found.left_out == ("loads: there was no answer in 5 s",)


@pytest.mark.parametrize("words", [("lanes", "ring(5)"), ("lanes", "ring(5)", "--lanes", "1")])
@pytest.mark.parametrize("json", [False, True])
def test_routes_without_time_for_their_proof_are_shown(
    words: tuple[str, ...], json: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Deadline, "unless_over", lambda deadline, work: None)
    said = unknot_says(*words, *(["--json"] if json else []))
    assert said.exit_code == 3
    assert re.search('"delivered": null' if json else "delivers +undecided", said.stdout)
