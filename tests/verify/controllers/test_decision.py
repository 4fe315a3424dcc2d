"""Decisions on tables of known protocols."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.verify.controllers.known import BLOCKING
from unknot._base.errors import TextError
from unknot._base.memory import SizeError, memory_limit
from unknot.verify.controllers import (
    TableError,
    check_table,
    least_rooms,
    load_table,
    read_table,
)
from unknot.verify.controllers.causes import acyclic
from unknot.verify.controllers.evidence import holds
from unknot.verify.controllers.words import front_in_words, rooms_in_words, stalled, steps, virtual_networks

HANGS = Path(__file__).parents[3] / "examples/hangs"
STALLS, SAVES = load_table(HANGS / "mi-stalls.toml"), load_table(HANGS / "mi-saves.toml")


def test_a_cache_that_stalls_forwards_deadlocks_with_any_number_of_networks() -> None:
    verdict = check_table(STALLS)
    assert (verdict.answer, verdict.fewest, verdict.fewest_proved, verdict.lasting) == ("no", 0, True, True)
    assert "no number is enough" in virtual_networks(verdict)
    assert [(one.message, one.state, one.behind) for one in stalled(verdict)] == [("Fwd", "IM", 1)] * 2
    words = steps(verdict)
    assert len(words) == 14
    assert "A: cache 3 takes Data; is in M" in words
    assert sum("sends Fwd" in word for word in words) == 4


def test_two_caches_do_not_deadlock() -> None:
    verdict = check_table(STALLS, caches=2)
    assert verdict.answer == "yes"
    assert verdict.fewest == 2


def test_a_cache_that_remembers_the_forward_needs_one_network() -> None:
    verdict = check_table(SAVES)
    assert (verdict.answer, verdict.fewest, verdict.mapping) == ("yes", 1, [["Data", "Fwd", "GetM"]])
    assert not steps(verdict)


def test_set_aside_in_place_of_stalled() -> None:
    cache, home = STALLS.kinds
    rules = tuple(replace(one, answer="set aside") if one.event == "Fwd" and one.answer == "stall" else one
                  for one in cache.rules)  # fmt: skip
    verdict = check_table(replace(STALLS, kinds=(replace(cache, rules=rules), home)))
    assert (verdict.answer, verdict.fewest) == ("yes", 1)


def test_a_blocking_directory_needs_two_networks() -> None:
    """Requests wait for an acknowledgement that would stand behind them."""
    verdict = check_table(BLOCKING, caches=2)
    assert (verdict.answer, verdict.fewest, verdict.fewest_proved) == ("yes", 2, True)
    assert ["Get"] not in [row for row in verdict.mapping if "Done" in row]
    together = check_table(replace(BLOCKING, networks={"Get": "one", "Done": "one"}), caches=2)
    assert together.answer == "no"
    assert len(together.deadlock.states) == 1  # type: ignore[union-attr]
    assert acyclic(BLOCKING, [0, 1, 2])
    assert not acyclic(BLOCKING, [0, 0, 0])


def test_a_cell_that_is_missing_leaves_the_answer_open() -> None:
    cache, home = SAVES.kinds
    rules = tuple(one for one in cache.rules if (one.state, one.event) != ("IM", "Fwd"))
    verdict = check_table(replace(SAVES, kinds=(replace(cache, rules=rules), home)))
    assert verdict.answer == "open"
    assert verdict.lacking == ["cache in IM: Fwd"]
    assert "lacks 1 cell" in verdict.established


def test_what_was_not_understood_leaves_the_answer_open() -> None:
    verdict = check_table(replace(SAVES, unknown=("a word",)))
    assert verdict.answer == "open"
    assert "a word" in verdict.established


def test_few_states_leave_the_answer_open() -> None:
    verdict = check_table(SAVES, states=10)
    assert verdict.answer == "open"
    assert "ended at 10 states" in verdict.established


def test_events_that_come_by_themselves_are_waited_for() -> None:
    text = """
    [cache]
    many = true
    core = ["load"]
    timers = ["over"]
    start = "I"
    I = { load = "send Get to home; become W" }
    W = { Data = "become H", load = "stall", Back = "stall" }
    H = { Back = "stall", load = "stall", over = "become R" }
    R = { Back = "become I", load = "stall" }
    [home]
    start = "S"
    S = { Get = "send Data to requestor; send Back to requestor" }
    """
    assert check_table(read_table(text)).answer == "yes"
    assert (
        check_table(read_table(text.replace('timers = ["over"]', "").replace(', over = "become R"', ""))).answer
        == "no"
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("become IM", "become IX", "has no state 'IX'"),
        ("stall\", Fwd", "wait\", Fwd", "is no part of a cell"),
        ("Fwd to owner", "Fwd to ownr", "unknown name 'ownr'"),
        ("owner = requestor; become M", "owner = 3; become M", "a set of nodes is needed"),
        ("many = true", "many = false", "has many = true"),
        ('core = ["store"]', "core = []", "no node has a request"),
        ('start = "I"\nI = { store', 'start = "X"\nI = { store', "begins in 'X'"),
        ("Fwd = \"stall\"", "Fwt = \"stall\"", "nobody sends 'Fwt'"),
        ('nodes = ["owner"]', "", "has no sort"),
        ("send Data to", "send Data(acks=1) to", "no sort"),
        ("send Data to", "send Data( to", "is no message"),
    ],
)  # fmt: skip
def test_slips_are_shown_where_they_stand(old: str, new: str, message: str) -> None:
    text = (HANGS / "mi-stalls.toml").read_text()
    assert old in text
    with pytest.raises(TextError, match=message.replace("(", r"\(")) as caught:
        read_table(text.replace(old, new, 1))
    assert caught.value.line


@pytest.mark.parametrize("caches", [0, 4])
def test_numbers_of_caches(caches: int) -> None:
    with pytest.raises(TableError, match="caches"):
        check_table(STALLS, caches=caches)


SIZED = (HANGS.parent / "controllers/rooms.toml").read_text()


def test_limits_of_outstanding_requests_free_rooms_that_are_too_small() -> None:
    limited = check_table(read_table(SIZED), caches=2)
    assert (limited.answer, limited.addresses) == ("yes", 2)
    free = read_table(SIZED.replace("limits = { cache = 1 }", ""))
    verdict = check_table(free, caches=2)
    assert verdict.answer == "no"
    assert {one.message for one in stalled(verdict)} <= {"Data", "GetM"}
    assert steps(verdict)
    assert holds(verdict)
    assert holds(limited)
    least = least_rooms(free, caches=2)
    assert (least.rooms, least.proved) == ({"Data": 2, "Fwd": 1, "GetM": 1}, True)
    assert "each of 3 choices before has a deadlock" in str(rooms_in_words(least))


def test_limits_are_tried_beside_rooms() -> None:
    least = least_rooms(read_table(SIZED), caches=2, entries=2)
    assert (least.rooms, least.limits, least.proved) == ({"Data": 1, "Fwd": 1, "GetM": 1}, {"cache": 1}, True)
    assert [(one.limits["cache"], one.rooms, len(one.smaller)) for one in least.front] == [
        (1, {"Data": 1, "Fwd": 1, "GetM": 1}, 0),
        (2, {"Data": 2, "Fwd": 1, "GetM": 1}, 3),
    ]
    assert front_in_words(least)[1] == (
        "entries of a cache 2, Data 2, Fwd 1, GetM 1: 4 messages, 3 choices before refuted"
    )
    assert "with any limits too" in str(rooms_in_words(least))
    with pytest.raises(TableError, match="no state takes an entry"):
        least_rooms(SAVES, entries=2)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Data = 1,", "Dat = 1,", "'Dat' is unknown"),
        ("GetM = 1 }", "GetM = 0 }", "needs room for 1"),
        ("cache = 1 }", "directory = 1 }", "'directory' is unknown"),
        ('"IMI"]', '"IMX"]', "has no state 'IMX'"),
    ],
)
def test_sizes_that_cannot_be(old: str, new: str, message: str) -> None:
    with pytest.raises(TextError, match=message):
        read_table(SIZED.replace(old, new))


def test_more_states_than_fit_are_refused_with_an_estimate() -> None:
    text = """
    numbers = ["seen"]
    [cache]
    many = true
    core = ["load"]
    start = "I"
    I = { "load if seen < 30" = "seen = seen + 1; send Get to home", Data = "nothing" }
    [home]
    start = "H"
    H = { Get = "send Data to requestor" }
    """
    with memory_limit("256M"), pytest.raises(SizeError, match="1,000,000,000 states of an address would take about"):
        check_table(read_table(text), states=10**9)


def test_a_run_leads_to_a_cell_that_is_missing() -> None:
    cache, home = SAVES.kinds
    rules = tuple(one for one in cache.rules if (one.state, one.event) != ("IM", "Fwd"))
    verdict = check_table(replace(SAVES, kinds=(replace(cache, rules=rules), home)))
    assert "after 4 steps; while none is, no messages can block each other" in verdict.established
    assert len(steps(verdict)) == 4
