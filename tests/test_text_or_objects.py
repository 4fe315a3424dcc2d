"""Public functions take a relation, or a network and a routing as the command line does."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import unknot
from unknot._base.errors import RelationError, UnknotError
from unknot.network import families as topologies
from unknot.routing import dimension_order
from unknot.simulation import simulate


def test_text_and_objects_mean_the_same():
    ring = topologies.ring(5)
    for given in ("ring(5)", ring):
        for vcs, free in ((1, False), (2, True)):
            assert unknot.verify.check(given, "vct", routing="dimension_order", vcs=vcs).deadlock_free is free
    assert unknot.deliver("ring(5)", routing="dimension_order") == unknot.deliver(dimension_order(ring))


def test_a_run_of_text_is_the_run_of_its_relation():
    options = {"vcs": 2, "warmup": 50, "measure": 200}
    text = simulate("ring(5)", 0.1, routing="dimension_order", switching="vct", **options)
    relation = dimension_order(topologies.ring(5), vcs=2)
    run = simulate(relation, 0.1, switching="vct", warmup=50, measure=200)
    assert (text.latency_mean, text.accepted_load) == (run.latency_mean, run.accepted_load)


def test_a_file_is_a_network(tmp_path: Path):
    path = tmp_path / "square.edges"
    path.write_text("a b\nb c\nc d\nd a\n")
    assert unknot.verify.check(str(path), "vct", routing="up_down").deadlock_free is True


@pytest.mark.parametrize(
    "call",
    [unknot.verify.check, unknot.deliver, lambda given, **more: simulate(given, 0.1, **more)],
)
def test_what_is_neither_is_refused_by_name(call):
    with pytest.raises(RelationError, match=r"a Relation is needed, or a network with a routing.*got list"):
        call([1, 2], routing="duato")
    with pytest.raises(RelationError, match=r"ring\(5\) is a network; name its routing"):
        call("ring(5)")
    with pytest.raises(RelationError, match="dimension_order is a routing already"):
        call(dimension_order(topologies.ring(5)), vcs=2)
    with pytest.raises(UnknotError, match="ring"):
        call("rng(5)", routing="duato")
    with pytest.raises(UnknotError, match="duato"):
        call("ring(5)", routing="duatoo")


ROOMS = (
    "verify",
    "routing",
    "lane_assignment",
    "remedies",
    "synthesis",
    "simulation",
    "report",
    "traffic",
)


OF_TWO = ("via_waypoint", "update", "difference")
SHORTER = {"simulation.saturation": {"tolerance": 0.25, "measure": 500}}
"""Options of functions that take seconds without them."""


def public() -> list[tuple[str, Callable[..., Any], str]]:
    """Public functions whose first parameter is a network or a relation, and which of the two.

    Not `via_waypoint`, `update` and `difference`: their two relations have to be on one network, an object.
    """
    found = []
    for room in ROOMS:
        module = import_module(f"unknot.{room}")
        for name in module.__all__:
            function = getattr(module, name)
            parameters = list(inspect.signature(function).parameters.values()) if inspect.isfunction(function) else []
            if parameters and parameters[0].annotation in ("Network", "Network | str"):
                found.append((f"{room}.{name}", function, "network"))
            elif parameters and str(parameters[0].annotation).startswith("Relation") and name not in OF_TWO:
                found.append((f"{room}.{name}", function, "relation"))
    return found


@pytest.mark.sampled(0.5)
@pytest.mark.parametrize(("name", "function", "kind"), [pytest.param(*each, id=each[0]) for each in public()])
def test_every_public_function_takes_text(name: str, function: Callable[..., Any], kind: str) -> None:
    """What it does with text is what it does with the object: the same answer, or the same objection."""
    text, routing, shorter = "ring(5)", {"routing": "dimension_order", "vcs": 2}, SHORTER.get(name, {})
    if kind == "network":
        assert outcome(function, text) == outcome(function, topologies.ring(5))
        return
    relation = dimension_order(topologies.ring(5), vcs=2)
    assert outcome(function, text, **routing, **shorter) == outcome(function, relation, **shorter)
    assert {"routing", "vcs"} <= set(inspect.signature(function).parameters)


def outcome(function: Callable[..., Any], given: object, **options: Any) -> str:
    """The type of the answer of a function, or its objection; None stands for further arguments that it needs."""
    parameters = list(inspect.signature(function).parameters.values())[1:]
    needed = [p for p in parameters if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
    try:
        return type(function(given, *[None for _ in needed], **options)).__name__
    except Exception as error:
        return f"{type(error).__name__}: {error}"
