"""Conformance checks for networks and routing algorithms; run them on your own.

def test_my_algorithm():
    check_relation(my_algorithm(mesh(4, 4)))
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from unknot._base.errors import NetworkError, UnknotError
from unknot._base.switching import switching_named
from unknot.network import Network, from_networkx, read_edge_list, to_networkx, write_edge_list
from unknot.routing.relation import Relation, decode
from unknot.routing.virtual_channels import VirtualChannels


class ConformanceError(UnknotError):
    """Error: a network or relation breaks its contract."""


def check_relation(relation: Relation, *, compiled: bool = True, time_limit: float = 60.0) -> None:
    """Check a routing relation against its contract and its own claims.

    Every reachable state is asked in plain Python, twice, and of the compiled rule; then delivery, the claim to
    be minimal and the claim about every switching technique are compared with what the prover finds. Meant for small
    networks: some 10 µs per state, beside the verdicts.

    Parameters
    ----------
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
    """
    from unknot.certificates import accept_verdict
    from unknot.routing.relation_kernel import compile_relation
    from unknot.verify import check, deliver

    answers = _answers(relation)
    _check_again(relation, (compile_relation(relation) if compiled else relation.compiled).function.ctypes, answers)
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
                raise ConformanceError(f"{_state(relation, at, address)}: it offers the same candidate twice")
            out = np.zeros(relation.max_candidates, dtype=np.int64)
            answers[at, address] = out[: int(relation.rule(at, address, out))].tolist()
            if [decode(value) for value in answers[at, address]] != candidates:
                raise ConformanceError(f"{_state(relation, at, address)}: asked twice, it answers differently")
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
            raise ConformanceError(f"{_state(relation, at, address)}: made twice, it answers differently")


def _check_again(relation: Relation, compiled: Any, answers: dict[tuple[int, int], list[int]]) -> None:
    """Ask all states once more, in another order, plain and compiled."""
    for (at, address), expected in reversed(answers.items()):
        out = np.full(relation.max_candidates, -7, dtype=np.int64)
        if out[: int(relation.rule(at, address, out))].tolist() != expected:
            raise ConformanceError(f"{_state(relation, at, address)}: asked again later, it answers differently")
        out = np.full(relation.max_candidates, -7, dtype=np.int64)
        count = int(compiled(at, address, out.ctypes.data))
        if count < 0 or out[:count].tolist() != expected:
            raise ConformanceError(
                f"{_state(relation, at, address)}: the compiled rule does not answer as the plain one"
            )


def _state(relation: Relation, at: int, address: int) -> str:
    return f"{relation.name} at {relation.vcs.name(at)} for {relation.address_name(address)}"


def check_network(network: Network) -> None:
    """Check that a network is consistent and survives conversions and faults.

    Raises
    ------
    ConformanceError
        With the first property that does not hold.
    """
    _check_arrays(network)
    if from_networkx(to_networkx(network)) != network:
        raise ConformanceError(f"{network.name}: it does not come back the same from networkx")
    _check_edge_list(network)
    if network.num_routers > 2:
        _check_faults(network)


def _check_arrays(network: Network) -> None:
    for key in ("source", "target", "latency", "inject", "eject", "coordinates"):
        array = getattr(network, key)
        if array is not None and (array.dtype != np.int32 or array.flags.writeable):
            raise ConformanceError(f"{network.name}: {key} must be a read-only int32 array")
    for key, ends in (("outgoing", network.source), ("incoming", network.target)):
        first, channels = getattr(network, key)
        if sorted(channels.tolist()) != list(range(network.num_channels)) or first[-1] != network.num_channels:
            raise ConformanceError(f"{network.name}: {key} does not list every channel once")
        if (np.repeat(np.arange(network.num_routers), np.diff(first)) != ends[channels]).any():
            raise ConformanceError(f"{network.name}: {key} lists a channel at the wrong router")
    names = _names(network)
    for router in {0, network.num_routers // 2, network.num_routers - 1}:
        if names.count(names[router]) == 1 and network.router(names[router]) != router:
            raise ConformanceError(f"{network.name}: router {names[router]} is not found by its name")


def _names(network: Network) -> list[str]:
    return [network.router_name(r) for r in range(network.num_routers)]


def _check_edge_list(network: Network) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "network.txt"
        try:
            write_edge_list(network, path)
        except NetworkError:
            return  # a lonely router, or a name that a text file cannot hold
        again = read_edge_list(path)
    if _ends(network) != _ends(again) or not np.array_equal(network.latency, again.latency):
        raise ConformanceError(f"{network.name}: it does not come back the same from an edge list")


def _ends(network: Network) -> list[tuple[str, str]]:
    """The channels as pairs of names, which an edge list keeps while routers may be numbered anew."""
    names = network.router_labels or [str(r) for r in range(network.num_routers)]
    return [(names[u], names[v]) for u, v in zip(network.source.tolist(), network.target.tolist(), strict=True)]


def _check_faults(network: Network) -> None:
    """Check that one fault after the other leaves the same network and origin as both at once."""
    first, last = 0, network.num_routers - 1
    both = network.without(routers=[first, last])
    once = network.without(routers=[first])
    then = once.without(routers=[once.num_routers - 1])
    if both != then:
        raise ConformanceError(f"{network.name}: two faults one after the other differ from both at once")
    for key in ("routers", "channels", "terminals"):
        if not np.array_equal(getattr(both.origin, key), getattr(then.origin, key)):
            raise ConformanceError(f"{network.name}: the origin of the {key} is lost by a second fault")
    assert both.origin is not None
    routers, kept = both.origin.routers, both.origin.channels
    if network.origin is not None:
        routers = np.searchsorted(network.origin.routers, routers).astype(np.int32)
        kept = np.searchsorted(network.origin.channels, kept).astype(np.int32)
    if not np.array_equal(routers[both.source], network.source[kept]):
        raise ConformanceError(f"{network.name}: surviving channels do not begin where they began")


def table_relation(
    network: Network,
    vcs: Any,
    table: Mapping[tuple[int, int], Sequence[int]],
    *,
    addresses: int | None = None,
    **options: Any,
) -> Relation:
    """The relation that answers from a table.

    Parameters
    ----------
    network : Network
    vcs : int, array_like of int or VirtualChannels
        VCs per channel.
    table : mapping of (at, address) to candidates
        Candidates as a rule writes them: a VC or EJECT, plus ``tier * TIER``, plus NO_WAIT. States that are not
        there have no candidates.
    addresses : int, optional
        Number of addresses; by default that of the terminals, or of `destination` when it is among the options.
    options :
        Passed on to `Relation`: name, destination, may_use, commits, claims, ….

    Examples
    --------
    >>> from unknot.network import from_edges
    >>> from unknot.routing import EJECT
    >>> pair = from_edges([(0, 1)], directed=True)
    >>> table_relation(pair, 1, {(1, 1): [0], (0, 1): [EJECT]}).candidates(0, 1)
    [Candidate(vc=None, tier=0, waits=True)]
    """
    virtual = vcs if isinstance(vcs, VirtualChannels) else VirtualChannels(network, vcs)
    destination = options.get("destination")
    if addresses is None:
        addresses = network.num_terminals if destination is None else len(destination)
    states = (virtual.total + network.num_terminals) * addresses
    rows: list[Sequence[int]] = [()] * states
    for (at, address), row in table.items():
        rows[at * addresses + address] = row
    start = np.zeros(states + 1, dtype=np.int64)
    np.cumsum([len(row) for row in rows], out=start[1:])
    value = np.array([entry for row in rows for entry in row] or [0], dtype=np.int64)
    width = addresses

    def rule(at: int, address: int, out: Any) -> int:
        begin = start[at * width + address]
        count = start[at * width + address + 1] - begin
        for k in range(count):
            out[k] = value[begin + k]
        return count  # type: ignore[no-any-return]

    return Relation(network, virtual, rule, **{"name": "table", **options})
