"""Conformance checks for routing algorithms and flow controls, on small networks; run them on your own.

def test_my_algorithm():
    assert "mesh(3, 3)" in check_routing(my_algorithm)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from unknot._base.deadline import MINUTE, counts_work
from unknot._base.errors import ConformanceError, UnknotError
from unknot._base.switching import switching_named
from unknot.network import Network
from unknot.routing.relation import Relation, decode
from unknot.verify.testing_flow import check_flow_control

__all__ = ["NETWORKS", "ConformanceError", "check_flow_control", "check_relation", "check_routing"]


@counts_work
def check_relation(relation: Relation, *, compiled: bool = True, time_limit: float = MINUTE) -> None:
    """Check a routing relation against its contract and its own claims.

    The rule answers for every reachable state twice in plain Python and once compiled. Then delivery, the claim to be
    minimal and the claim about every switching technique are compared with what the prover finds. For small networks:
    some 10 µs per state, beside the verdicts.

    Parameters
    ----------
    relation : Relation
        The routing; or a network, with its `routing`.
    compiled : bool
        Whether the rule is compiled, which takes half a second, or only asked through a function pointer.
    time_limit : float
        Seconds for each verdict.

    Raises
    ------
    ConformanceError
        With the first state or claim that does not hold.
    RelationError
        If an answer is not legal at all: a candidate that does not leave the router, ejection elsewhere than at
        home, candidates none of which is waited for.

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> from unknot.routing import dimension_order
    >>> check_relation(dimension_order(mesh(2, 2)), compiled=False)
    """
    from unknot.certificates import accept_verdict
    from unknot.routing.tabulate import compile_relation
    from unknot.verify import check, deliver

    answers = _answers(relation)
    _check_again(relation, (compile_relation(relation) if compiled else relation.compiled).ctypes, answers)
    delivery = deliver(relation)
    if not delivery.delivered:
        raise ConformanceError(f"{relation.name}: {delivery.undelivered_pairs} pairs are not delivered")
    if relation.claims_minimal is not None and relation.claims_minimal != bool(delivery.minimal):
        is_not = "to be minimal, but a route is longer than the shortest path"
        is_so = "to be not minimal, but every route is a shortest path"
        raise ConformanceError(f"{relation.name}: it claims {is_not if relation.claims_minimal else is_so}")
    for name, claim in relation.claims.items():
        verdict = check(relation, switching_named(name), time_limit=time_limit)
        if verdict.deadlock_free is None:
            raise ConformanceError(
                f"{relation.name}: {name} is undecided after {time_limit:g} s: {verdict.established}"
            )
        if verdict.deadlock_free != claim:
            raise ConformanceError(
                f"{relation.name}: it claims that under {name} it {'cannot' if claim else 'can'} deadlock, but "
                f"{verdict.established}"
            )
        accept_verdict(relation, verdict)


def _answers(relation: Relation) -> dict[tuple[int, int], list[int]]:
    """Every reachable state, asked once; the candidates are those that `Relation.candidates` accepts."""
    answers: dict[tuple[int, int], list[int]] = {}
    for address in range(relation.num_addresses):
        todo = [relation.num_vcs + int(t) for t in relation.sources(address)]
        while todo:
            at = todo.pop()
            if (at, address) in answers:
                continue
            candidates = relation.candidates(at, address)
            vcs = [candidate.vc for candidate in candidates]
            if len(set(vcs)) < len(vcs):
                raise ConformanceError(f"{relation.state_name(at, address)}: it offers the same candidate twice")
            out = np.zeros(relation.max_candidates, dtype=np.int64)
            answers[at, address] = out[: int(relation.rule(at, address, out))].tolist()
            if [decode(entry) for entry in answers[at, address]] != candidates:
                raise ConformanceError(f"{relation.state_name(at, address)}: asked twice, it answers differently")
            todo += [vc for vc in vcs if vc is not None]
    return answers


def same_answers(relation: Relation, other: Relation) -> None:
    """Check that a relation that was made anew answers alike in every reachable state.

    Raises
    ------
    ConformanceError
        With the first state in which it does not.
    """
    if relation.num_vcs != other.num_vcs or relation.num_addresses != other.num_addresses:
        raise ConformanceError(f"{relation.name}: made twice, it has other VCs or addresses")
    again = _answers(other)
    for (at, address), expected in _answers(relation).items():
        if again.get((at, address)) != expected:
            raise ConformanceError(f"{relation.state_name(at, address)}: made twice, it answers differently")


def _check_again(relation: Relation, compiled: Any, answers: dict[tuple[int, int], list[int]]) -> None:
    """Ask all states once more, in another order, plain and compiled."""
    for (at, address), expected in reversed(answers.items()):
        out = np.full(relation.max_candidates, -7, dtype=np.int64)
        if out[: int(relation.rule(at, address, out))].tolist() != expected:
            raise ConformanceError(f"{relation.state_name(at, address)}: asked again later, it answers differently")
        out = np.full(relation.max_candidates, -7, dtype=np.int64)
        count = int(compiled(at, address, out.ctypes.data))
        if count < 0 or out[:count].tolist() != expected:
            raise ConformanceError(
                f"{relation.state_name(at, address)}: the compiled rule does not answer as the plain one"
            )


NETWORKS: tuple[str, ...] = (
    # products of lines, and products with a ring in them
    *("line(4)", "mesh(3, 3)", "mesh(4, 2)", "mesh(2, 3, 2)"),
    *("ring(4)", "ring(5)", "torus(4, 3)", "torus(3, 2, 2)", "ring(4) * line(2)", "hypercube(2)", "hypercube(3)"),
    # without dimensions: complete, a tree, Petersen's graph, named routers without any order, a ring one way round
    "complete(4)",
    "tree(2, 2)",
    "{i -- (i + 1) % 5, 5 + i -- 5 + (i + 2) % 5, i -- 5 + i for i in 5}",
    "terminals({a -- b -- c -- d -- a, c -- e, d -- e, e -- f}, inject=[0, 1, 3, 4, 5])",
    "{i -> (i + 1) % 4 for i in 4}",
    # rings with one direction, as dimensions
    *("ring(5, directed=true)", "ring(4, directed=true) * line(2)"),
    # words and their shifts, and cube-connected cycles
    *("de_bruijn(2, 3)", "de_bruijn(3, 2)", "de_bruijn(2, 3, directed=false)"),
    *("shuffle_exchange(3)", "cube_connected_cycles(3)"),
    # random ones: irregular with two terminals at each switch, and regular
    *("irregular(8, 4, 2, seed=0)", "random_regular(8, 3, seed=0)"),
    # fat trees with terminals at the leaves; the second one is a leaf–spine network
    *("fat_tree(2, 3)", "xgft([1, 3], [1, 2])"),
    # dragonflies with one and with two links between every two groups
    *("dragonfly(2)", 'dragonfly(4, 1, 1, 3, arrangement="circulant")'),
    # products of complete graphs
    *("hyperx([3, 2])", "flattened_butterfly(3, 3, concentration=1)"),
    # many routers for their degree and diameter
    *("kautz(2, 2)", "star_graph(3)", "slim_fly(3, 1)", "heawood()"),
    # switches in stages, terminals at the first and the last; in the third one some links are double
    *("omega(8)", "benes(8)", "extra_stage_cube(4)", "clos(3, 2, 2)"),
)
"""All networks of the catalogue."""


@counts_work
def check_routing(
    function: Callable[[Network], Relation],
    networks: Iterable[str | Network] = NETWORKS,
    *,
    time_limit: float = MINUTE,
) -> tuple[str, ...]:
    """Try a routing algorithm on networks, each of which it must route correctly or refuse.

    To refuse is to raise an `UnknotError`. Otherwise it must return a relation of the network, the same in a second
    call, that passes `check_relation`: legal and repeatable answers, all pairs delivered, and claims that the prover
    confirms.

    Parameters
    ----------
    function : callable
        Makes a `Relation` from a `Network`.
    networks : iterable of str or Network
        Networks, or texts of the topology language; by default `unknot.verify.testing.NETWORKS`.
    time_limit : float
        Seconds for each proof.

    Returns
    -------
    tuple of str
        The networks it did not refuse.

    Raises
    ------
    ConformanceError
        With the network and what does not hold there, or if every network was refused.

    Examples
    --------
    >>> from unknot.routing import west_first
    >>> check_routing(west_first, ["mesh(2, 3)", "ring(5)"])
    ('mesh(2, 3)',)
    """
    from unknot.network import tod

    taken = []
    name = getattr(function, "__name__", "the routing")
    for each in networks:
        network, text = (tod.network(each), each) if isinstance(each, str) else (each, each.name)
        relation = attempt(function, network)
        if relation is None:
            continue
        try:
            same_answers(relation, function(network))
            check_relation(relation, time_limit=time_limit)
        except UnknotError as error:
            raise ConformanceError(f"{name} on {text}: {error}") from error
        taken.append(text)
    if not taken:
        raise ConformanceError(f"{name} refuses every network it was tried on")
    return tuple(taken)


def attempt(function: Callable[[Network], Relation], network: Network) -> Relation | None:
    """The relation made by an algorithm on a network; None if the algorithm refuses.

    Raises
    ------
    ConformanceError
        If it fails otherwise than by an `UnknotError`, or what it makes is no relation of the network.
    """
    name = getattr(function, "__name__", "the routing")
    try:
        relation = function(network)
    except UnknotError:
        return None
    except Exception as error:
        raise ConformanceError(
            f"{name} on {network.name}: a network that it cannot route must be refused by an UnknotError that says "
            f"why; it raised {type(error).__name__}: {error}"
        ) from error
    if not isinstance(relation, Relation) or relation.network is not network:
        raise ConformanceError(f"{name} on {network.name}: it returned {relation!r}, not a relation of that network")
    return relation
