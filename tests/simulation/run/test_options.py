"""Options of a run in texts."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unknot._base.errors import TextError
from unknot.simulation import Router
from unknot.simulation.run.options import bursts_of, class_of, lengths_of, router_of
from unknot.traffic import Bursts
from unknot.traffic.workload import Message


def test_routers() -> None:
    assert router_of("") == router_of("  ") == Router()
    assert router_of("routing_delay=0, speculative=true, allocator=islip, iterations=2") == Router(
        routing_delay=0, speculative=True, iterations=2
    )
    assert router_of("hold-switch = False,priority='age'") == Router(priority="age")
    assert router_of("arbiter=matrix, allocator=select") == Router(allocator="select", arbiter="matrix")


def test_lengths() -> None:
    assert lengths_of(" 4 ") == 4
    assert lengths_of("1:0.5, 5:0.5") == {1: 0.5, 5: 0.5}
    assert lengths_of("3:2") == {3: 2.0}


def test_bursts() -> None:
    assert bursts_of("0.01, 0.1") == Bursts(0.01, 0.1)


@pytest.mark.parametrize(
    ("read", "text", "column", "said"),
    [
        (router_of, "routing_delay=0, alocator=islip", 18, "did you mean allocator"),
        (router_of, "routing_delay", 1, "expected option=value"),
        (router_of, "iterations=2, allocator=islp", 25, "did you mean islip"),
        (router_of, "iterations=0", 12, "from 1 to 1000, got 0"),
        (router_of, "iterations=2, iterations=3", 15, "given twice"),
        (router_of, "speculative=maybe", 13, "must be true or false"),
        (router_of, "iterations=2, allocator=separable_input_first", 1, "has one iteration"),
        (lengths_of, "x", 1, "expected a number of flits"),
        (lengths_of, "0", 1, "from 1 to"),
        (lengths_of, "\x1c2147483648", 1, "from 1 to"),
        (lengths_of, "1 2", 1, "expected a number of flits"),
        (lengths_of, "1:0.5, x:0.5", 8, "expected length:share"),
        (lengths_of, "1:0.5, 5", 8, "expected length:share"),
        (lengths_of, "1:0.5, 5:-1", 8, "must be above 0"),
        (lengths_of, "1:0.5,  1:1", 9, "given twice"),
        (bursts_of, "0.1", 1, "expected two probabilities"),
        (bursts_of, "0.1, high", 6, "expected a probability"),
        (bursts_of, "0.1, 2", 6, "above 0"),
        (class_of, "share=.5, flits=x", 17, "must be a whole number"),
        (class_of, "share=.5, flitz=2", 11, "did you mean flits"),
        (class_of, "flits=2, traffic=hotspot(x)", 26, "a value here is a number"),
        (class_of, "flits=2, traffic=foo", 18, "unknown traffic 'foo'"),
    ],
)
def test_problems_have_their_place(read: object, text: str, column: int, said: str) -> None:
    with pytest.raises(TextError) as caught:
        read(text, "--option")  # type: ignore[operator]
    assert said in str(caught.value)
    assert str(caught.value).startswith(f"--option:1:{column}: ")


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused_as_a_text(text: str) -> None:
    for read in (router_of, lengths_of, bursts_of, class_of):
        with contextlib.suppress(TextError):
            read(text)


def test_traffic_classes_from_text() -> None:
    found = class_of("share=2, traffic=hotspot(3, share=0.1), flits=1, reply=4, priority=1, name=reads")
    assert (found.share, found.traffic, found.priority, found.name) == (2, "hotspot(3, share=0.1)", 1, "reads")
    assert found.forms == (Message(1, reply=4),)
    assert [class_of(f"share={text}").share for text in (".5", "50%", "2.", "1/2", "3")] == [0.5, 0.5, 2.0, 0.5, 3]
    for text, words in (
        ("share=1/0", "share must be a number above 0"),
        ("share=half", "share must be a number above 0"),
        ("flits=2.", "must be a whole number"),
        ("share", "expected option=value"),
        ("share=1, share=2", "given twice"),
        ("length=2", "unknown option 'length'"),
        ("share=0", "share must be a number above 0"),
        ("flits=0", "packet_length must be a whole number"),
    ):
        with pytest.raises(TextError, match=words):
            class_of(text)
