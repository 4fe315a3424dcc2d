"""Validation of flow controls that builders return, pool by pool."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from operator import index
from typing import Any, get_args, get_origin

from unknot._base.errors import RelationError, near, shown
from unknot.flow_control.model import Enters, FlowControl, Holds
from unknot.flow_control.pools import KINDS, NUMBERS, Keeps, Pool
from unknot.flow_control.techniques import technique_of
from unknot.routing.relation import Relation


def validated(relation: Relation, made: Any, who: str) -> FlowControl:
    """Return a flow control that a builder made for a relation, with plain numbers.

    Parameters
    ----------
    who : str
        Name of the builder, for messages.

    Raises
    ------
    RelationError
        If it is no flow control, or none of this relation: names builder, pool and VC.
    """
    if not isinstance(made, FlowControl):
        raise RelationError(f"{who} returned {shown(made)}, of type {type(made).__name__}; a FlowControl is needed")
    if type(made) is not FlowControl or any(type(pool) is not Pool for pool in made.pools):
        raise RelationError(
            f"{who} returned a {type(made).__name__} of its own; a FlowControl with records Pool is needed, whose "
            "fields prover, checker and simulator read: functions of its own would be read by some of them alone"
        )
    for name, kinds in (("holds", Holds), ("enters", Enters)):
        _require_known(f"{who}: {name}", getattr(made, name), kinds)
    try:
        flow = replace(made, packets=index(made.packets), cell=index(made.cell), pools=tuple(map(_plain, made.pools)))
    except (TypeError, ValueError, AttributeError) as error:
        raise RelationError(f"{who}: pools are of whole numbers, in records Pool(vcs, slots, …): {error}") from error
    technique_of(flow)
    if flow.cell < 1 or (flow.slotted and not flow.whole):
        raise RelationError(
            f"{who}: pools count whole packets, and so do cells of at least 1 flit: headers enter when there is room "
            f"for a packet; got enters={flow.enters!r}, cell={flow.cell}"
        )
    if not flow.pools:
        return flow
    if flow.packets < 1:
        raise RelationError(f"{who}: each VC has room for at least 1 packet, got packets={flow.packets}")
    for number, pool in enumerate(flow.pools, start=1):
        for wrong in _wrong(relation, flow, pool):
            raise RelationError(f"{who}: pool {number} of {len(flow.pools)}: {wrong}")
    return flow


def _plain(pool: Pool) -> Pool:
    """A pool with plain numbers, and tuples and sets of these."""
    return replace(pool, **{name: _of(kind, getattr(pool, name)) for name, kind in KINDS.items()})


def _of(kind: Any, value: Any) -> Any:
    if kind is int:
        return index(value)
    within = get_args(kind)
    if get_origin(kind) is tuple and within[-1] is not ...:
        return tuple(_of(one, each) for one, each in zip(within, value, strict=True))
    return get_origin(kind)(_of(within[0], each) for each in value) if isinstance(get_origin(kind), type) else value


def _require_known(what: str, value: object, kinds: Any) -> None:
    if value not in get_args(kinds):
        raise RelationError(f"{what} is {shown(value)}; {near(str(value), get_args(kinds))}")


def _wrong(relation: Relation, flow: FlowControl, pool: Pool) -> Iterator[str]:
    """What is wrong with a pool."""
    vcs, network = relation.vcs, relation.network
    _require_known("keeps", pool.keeps, Keeps)
    yield from (f"it has no VC {v}; {relation.name} has VCs 0 to {vcs.total - 1}" for v in pool.vcs
                if not 0 <= v < vcs.total)  # fmt: skip
    if not pool.vcs or len({*pool.vcs}) < len(pool.vcs):
        twice = [vcs.name(v) for v in pool.vcs if pool.vcs.count(v) > 1]
        yield f"it has {twice[0]} twice" if twice else "it has no VCs"
    first = vcs.name(pool.vcs[0])
    for name in (name for name in NUMBERS if getattr(pool, name) < 0):
        yield f"the pool of {first} has {name}={getattr(pool, name)}, which cannot be negative"
    for v in sorted({*pool.unguarded, *(v for hop in pool.hops for v in hop)} - {*pool.vcs}):
        yield f"{vcs.name(v) if 0 <= v < vcs.total else f'VC {v}'} is in its hops or unguarded, and not of the pool"
    for u, v in sorted(pool.hops):
        if network.target[vcs.channel[u]] != network.source[vcs.channel[v]]:
            yield f"a hop does not go on from {vcs.name(u)} to {vcs.name(v)}"
        if pool.own:
            yield f"the hop from {vcs.name(u)} to {vcs.name(v)} would take no slot, so VCs have no slots of their own"
    port, empty = vcs.total, [0] * vcs.total
    marks = (pool.vcs[0],) if pool.keeps == "marked slot" else ()
    alone = replace(flow, pools=(pool,))
    if not any(alone.takes(empty, marks, port, v) for v in pool.vcs):
        yield f"no packet can ever enter it: {first} and its other VCs keep one out while all are empty"
