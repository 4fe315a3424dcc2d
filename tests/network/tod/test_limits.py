"""Hostile texts end in a clear message, before memory is taken and in no time."""

from __future__ import annotations

import time
import tracemalloc

import pytest

from unknot._base.errors import TextError, UnknotError
from unknot.network.tod import network, plan
from unknot.network.tod.parse import LONGEST

HOSTILE = [
    ("ring(10**12)", r"ring\(10\*\*12\) may have 1000000000000 routers; the limit is 33554432 \(max_channels\)"),
    ("line(2**62)", "the limit is 33554432"),
    ("complete(100000)", "complete.* may have 9999900000 channels"),
    ("tree(9, 10**15)", "tree.* may have more than 10"),
    ("tree(1, 10**15)", "tree.* may have 1000000000000001 routers"),
    ("star(10**9)", "may have 1000000001 routers"),
    ("hypercube(10**6)", "the limit is"),
    ("torus(10**9, 10**9, 10**9)", "the limit is"),
    ("mesh(" + ", ".join(["1"] * 100) + ")", "has 100 dimensions; the limit is 64"),
    ("ring(2) ** 64", r"ring\(2\) \*\* 64 may have more than 10\^"),
    ("ring(2) ** (10**18)", "the limit is 64"),
    ("point() ** 64 * point()", "has 65 dimensions; the limit is 64"),
    ("a = ring(2) ** 12; a * a * a", "the limit is"),
    ("a = complete(4000); a (*) a", "the limit is"),
    ("a = line(4000); a =. a", "the limit is"),
    ("line(6000) + line(6000)", "the limit is"),
    ("{u -> u + 1 for u in 10**12}", "may have 1000000000000 routers"),
    ("{u -- v for u in 10**5, v in 10**5}", "the limit is"),
    ("terminals(ring(1000), 10**6)", "the limit is"),
    ("f(n) = if n == 0 then ring(3) else f(n - 1) | f(n - 1); f(25)", "takes too much work: more than 2000 graphs"),
    ("f(n) = if n == 0 then 0 else f(n - 1) + f(n - 1); ring(f(40))", "more than 100000 expressions"),
    (
        "f(x) = (x + 1) * (x + 2) % 7; {u -> " + "f(" * 30 + "u" + ")" * 30 + " for u in 10**6}",
        "takes too much work: all the graphs",
    ),
    ("f(x) = f(abs(x)); {u -> f(u) for u in 2**21}", "takes too much work: all the graphs"),
    ("f(n) = f(n + 1); f(0)", "nested deeper than 200 levels"),
    ("(" * 100 + "ring(3)" + ")" * 100, "brackets are nested deeper than 60 levels"),
    ("[" * 100_000, "brackets are nested deeper than 60 levels"),
    ("ring(3) ** " + "2 ** " * 50_000 + "1", "does not fit 63 bits|the limit is"),
    ("if 1 == 1 then " * 5_000 + "ring(3)" + " else ring(3)" * 5_000, "nested deeper than 200 levels"),
    ("- " * 50_000 + "ring(3)", "changes the sign of a number"),
    ("cayley(swap(15, 0, i) for i in 1..14)", "the limit is"),
    ("a" * 5_000_000, f"5000000 characters; the limit is {LONGEST}"),
    ("union(ring(3) for i in 100, j in 100, k in 100)", "more than 10000 values are spread"),
]


@pytest.mark.sampled(1 / 6)
@pytest.mark.parametrize(("text", "message"), HOSTILE, ids=[text[:30] for text, _ in HOSTILE])
def test_hostile_texts(text: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a tenth of the work that is allowed, all of which takes seconds."""
    monkeypatch.setattr(plan, "MAX_STEPS", plan.MAX_STEPS // 10)
    monkeypatch.setattr(plan, "MAX_GRAPHS", plan.MAX_GRAPHS // 10)
    network("ring(3) | ring(3)")
    measured = "more than" not in message and len(text) < 1000
    start = time.process_time()
    if measured:
        tracemalloc.start()
    try:
        with pytest.raises(TextError, match=message) as caught:
            network(text, max_channels=2**22 if "f(x)" in text else 2**25)
        _, peak = tracemalloc.get_traced_memory() if measured else (0, 0)
    finally:
        tracemalloc.stop()
    assert time.process_time() - start < 60
    assert peak < 400_000_000
    assert len(str(caught.value)) < 5000


@pytest.mark.long
def test_long_and_flat_is_no_problem() -> None:
    assert network("ring(1" + " + 1" * 2000 + ")").num_routers == 2001
    assert network("line(2)" + " | line(2)" * 1000).num_routers == 2
    assert network("\n".join(f"x{i} = {i}" for i in range(1000)) + "\nring(x999)").num_routers == 999
    assert network("ring(" + "- - " * 2000 + "3)").num_routers == 3
    assert network("(" * 50 + "ring(3)" + ")" * 50).num_routers == 3


def test_the_limit_is_a_setting() -> None:
    assert network("ring(10)", max_channels=20).num_channels == 20
    with pytest.raises(TextError, match=r"ring\(11\) may have 22 channels; the limit is 20 \(max_channels\)"):
        network("ring(11)", max_channels=20)


def test_large_networks_are_exact() -> None:
    found = network("ring(64) ** 3")
    assert (found.num_routers, found.num_channels) == (262_144, 1_572_864)
    assert found.router_name(found.num_routers - 1) == "(63,63,63)"
    per_channel = sum(
        array.nbytes
        for array in (found.source, found.target, found.latency, found.inject, found.coordinates)  # type: ignore[union-attr]
    )
    assert per_channel / found.num_channels <= 64


def test_large_networks_are_not_named_router_by_router() -> None:
    gaps = network("{2*u -- 2*u + 2 for u in 2**17}")
    assert gaps.router_labels is None
    assert gaps.coordinates is not None
    assert gaps.router_name(3) == "(6)"
    assert network("{2*u -- 2*u + 2 for u in 3}").router_labels == ("0", "2", "4", "6")
    many = network("{a -- b} * ring(200) ** 2")
    assert many.router_labels is None
    assert many.radices == (2, 200, 200)


def test_what_is_no_text() -> None:
    with pytest.raises(UnknotError, match="a network is described by a text"):
        network(8)  # type: ignore[arg-type]


def test_unions_of_different_products_are_bounded_by_both() -> None:
    with pytest.raises(TextError, match="may have 64 coordinates; the limit is 60"):
        network("(line(16) (*) point()) | (line(8) (*) line(2))", max_channels=60)
    assert network("(line(16) (*) point()) | (ring(16) (*) point())", max_channels=40).num_routers == 16
