"""Functions of the language that take graphs: operations by name, conditions, directions and attributes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from unknot.network.bandwidth import read
from unknot.network.tod import products, sets, values
from unknot.network.tod.graph import Graph, wires
from unknot.network.tod.plan import Oriented, Plan, Replaced, Shape
from unknot.network.tod.syntax import MisfitError
from unknot.network.tod.values import (
    GRAPH_OPERATIONS,
    Caller,
    Count,
    Cycles,
    Numbers,
    Operand,
    Rate,
    Size,
    Value,
    combined,
    settle,
    stepped,
)


def _folded(name: str, operation: str) -> Callable[..., Value]:
    """The function by which an operation on two networks takes any number of them."""

    def function(c: Caller, *graphs: Operand) -> Value:
        if len(graphs) < 2:
            raise c.place.error(f"{name} takes two networks or more, but it has {len(graphs)}")
        return functools.reduce(lambda a, b: GRAPH_OPERATIONS[operation](c.budget, c.place, operation, a, b), graphs)

    return function


def join(c: Caller, left: Operand, right: Operand, *, latency: Cycles = 1, bandwidth: Rate = 1) -> Plan:
    across = wires(1, latency, read(bandwidth, "a bandwidth"))
    return combined(c.budget, c.place, "join", left, right, across)


OPERATIONS: dict[str, Callable[..., Value]] = {
    **{name: _folded(name, name) for name in GRAPH_OPERATIONS},
    "join": join,
    "absolute": _folded("absolute", "tensor"),
}


def step(c: Caller, graph: Operand, distance: Size) -> Plan:
    shape = _shape(c, graph, "step")
    if shape.step != 1:
        raise c.values[0].error(
            f"step: {c.values[0].text} has a step already; give the line or ring itself and the step you want"
        )
    if shape.kind == "ring" and shape.k > 1:
        distance = (distance - 1) % shape.k + 1
    return stepped(c, replace(shape, step=distance), 2 * shape.k)


def forward(c: Caller, graph: Operand) -> Oriented:
    return _one_way(c, graph, False)


def backward(c: Caller, graph: Operand) -> Oriented:
    return _one_way(c, graph, True)


def _one_way(c: Caller, graph: Operand, back: bool) -> Oriented:
    shape = replace(_shape(c, graph, "backward" if back else "forward"), directed=True)

    def make() -> Graph:
        arcs = products.stepped(shape)
        return sets.reverse(arcs) if back else arcs

    arcs = c.budget.plan(c.place, make, (), shape.k, shape.k)
    return Oriented(settle(c.budget, graph), arcs, c.place)


def oriented(c: Caller, graph: Operand) -> Oriented:
    arcs = settle(c.budget, graph)
    return Oriented(undirected(c, graph), arcs, c.place)


def replaced_by(c: Caller, graph: Operand, part: Operand) -> Value:
    """H[G]: later products multiply H, and every router of the result is replaced by a G."""
    if isinstance(graph, Replaced):
        graph = settle(c.budget, graph)
    if isinstance(graph, Oriented):
        raise graph.place.error(
            f"{graph.place.text} is under a direction, which is for products; replace routers of the network itself"
        )
    return Replaced(graph, settle(c.budget, part), c.place)


def _shape(c: Caller, graph: Operand, name: str) -> Shape:
    plan = graph if isinstance(graph, Plan) else None
    if plan is None or plan.shape is None:
        hint = "; for another network give its directions with oriented({a -> b, …})" if name != "step" else ""
        raise c.values[0].error(f"{name} is for a line or a ring, but {c.values[0].text} is neither{hint}")
    return plan.shape


def undirected(c: Caller, graph: Operand) -> Plan:
    return values.undirected(c.budget, c.place, settle(c.budget, graph))


def reverse(c: Caller, graph: Operand) -> Plan:
    return _changed(c, graph, sets.reverse)


def latency(c: Caller, graph: Operand, cycles: Cycles) -> Plan:
    return _changed(c, graph, lambda g: replace(g, wire=wires(g.channels, cycles, g.wire["bandwidth"])))


def bandwidth(c: Caller, graph: Operand, flits: Rate) -> Plan:
    rate = read(flits, "a bandwidth")
    shape = graph.shape if isinstance(graph, Plan) else None
    shape = None if shape is None else replace(shape, bandwidth=rate)
    return _changed(c, graph, lambda g: replace(g, wire=wires(g.channels, g.wire["latency"], rate)), shape)


def terminals(c: Caller, graph: Operand, count: Count = -1, *, inject: Numbers = (), eject: Numbers = ()) -> Plan:
    plan = settle(c.budget, graph)
    if (count >= 0) == bool(inject or eject):
        raise c.place.error(
            "give either a number of terminals for every router, as in terminals(ring(8), 2), or the router of each "
            "terminal, as in terminals(ring(8), inject=[0, 0, 4])"
        )
    if count >= 0:
        c.budget.check(c.place, plan.routers * max(count, 1), 0)

        def many(g: Graph) -> Graph:
            at = np.repeat(np.arange(g.routers, dtype=np.int32), count)
            return replace(g, terminals=None if count == 1 else (at, at))

        return _changed(c, plan, many)

    def seated(g: Graph) -> Graph:
        at = _routers(g, inject, "inject")
        return replace(g, terminals=(at, _routers(g, eject, "eject") if eject else at))

    if eject and len(eject) != len(inject):
        raise c.place.error(f"{len(inject)} terminals inject, but {len(eject)} eject")
    return _changed(c, plan, seated)


def _changed(c: Caller, graph: Operand, make: Callable[[Graph], Graph], shape: Shape | None = None) -> Plan:
    plan = settle(c.budget, graph)
    return c.budget.plan(c.place, make, (plan,), plan.routers, plan.channels, plan.dimensions, shape)


def _routers(g: Graph, at: Numbers, what: str) -> Any:
    for router in at:
        if not 0 <= router < g.routers:
            raise MisfitError(f"{what}: there is no router number {router}; they are 0 to {g.routers - 1}")
    return np.array(at, dtype=np.int32)
