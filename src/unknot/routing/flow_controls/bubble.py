"""Bubble flow control: rings of VCs, and the rule by which packets enter them.

docs/flow-control.md states the rules and what they assume.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from unknot._base.errors import NetworkError, RelationError, require_known
from unknot._base.numbers import require_whole
from unknot._base.toml_places import NUMBER, TEXT, EntryError, list_of, read_toml, record
from unknot.flow_control.model import FlowControl
from unknot.flow_control.pools import Keeps, Pool
from unknot.flow_control.techniques import technique
from unknot.network import Network
from unknot.network.graph import hops_around
from unknot.network.grid import grid
from unknot.routing.relation import Relation

KEEPS: dict[str, Keeps] = {
    "localised": "slot of the buffer", "global": "slot of the pool", "critical": "marked slot",
}  # fmt: skip
PACKETS = 2
"""Packets for which a VC has room unless another number is given."""


def bubble(
    relation: Relation,
    rule: str,
    *,
    packets: int = PACKETS,
    rings: str | Path | Iterable[Iterable[int]] | None = None,
) -> FlowControl:
    """Return bubble flow control of a relation, under virtual cut-through.

    Parameters
    ----------
    relation : Relation
        The routing.
    rule : {"localised", "global", "critical"}
    packets : int
        Packets of the greatest length for which each VC has room.
    rings : path, or iterable of VCs, optional
        By default every dimension of a torus, each direction and each VC index; or a TOML file, as
        docs/flow-control.md describes it; or the VCs of each ring in their order.

    Returns
    -------
    FlowControl
        Virtual cut-through with a pool for each ring.

    Raises
    ------
    RelationError
        If there is no such rule, a ring is none, nothing says what the rings are, or the localised rule is given
        buffers of one packet.

    References
    ----------
    V. Puente, R. Beivide, J. A. Gregorio, J. M. Prellezo, J. Duato, C. Izu: Adaptive bubble router: a design to
    improve performance in torus networks, ICPP 1999 (``localised``). L. Chen, R. Wang, T. M. Pinkston: Critical
    bubble scheme: an efficient implementation of globally aware network flow control, IPDPS 2011 (``critical``).

    Examples
    --------
    >>> import unknot
    >>> from unknot.routing import dimension_order
    >>> made = bubble(dimension_order(unknot.network.families.torus(4, 3)), "localised")
    >>> len(made.pools), sorted({len(pool.vcs) for pool in made.pools})
    (14, [3, 4])
    """
    if rule == "worm":
        raise RelationError(
            f"the worm bubble is not covered, see docs/flow-control.md; covered are {', '.join(KEEPS)} under "
            "vct, and under wormhole two VCs and a dateline: --routing dimension_order --switching wormhole"
        )
    require_known("bubble rule", rule, KEEPS, RelationError)
    require_whole("packets", packets, 1, error=RelationError)
    if rule == "localised" and packets < 2:
        raise RelationError(
            "the localised bubble rule asks for room for two packets in a buffer, and these have room for "
            f"{packets}; give deeper buffers, or the rule global"
        )
    network, vcs = relation.network, relation.vcs
    path, free = rings, list[int]()
    if isinstance(rings, (str, Path)):
        rings, free = _read(relation, rings)
    declared = _torus_rings(relation) if rings is None else tuple(tuple(ring) for ring in rings)
    members = {vc for ring in declared for vc in ring}
    entered = [(c, members.intersection(range(int(vcs.first[c]), int(vcs.first[c + 1])))) for c in free]
    for channel in [c for c, inside in entered if not inside][:1]:
        raise RelationError(f"{path}: {network.channel_name(channel)} is unguarded, and is in no ring")
    loose = frozenset(vc for _, inside in entered for vc in inside)
    if not declared or any(len(ring) < 2 or len({*ring}) < len(ring) for ring in declared):
        raise RelationError("bubble flow control takes rings, of two different VCs at least")
    for u, v in (hop for ring in declared for hop in pairwise((ring[-1], *ring))):
        if not 0 <= min(u, v) <= max(u, v) < vcs.total:
            raise RelationError(f"a ring has VCs {u} and {v}; {relation.name} has VCs 0 to {vcs.total - 1}")
        if network.target[vcs.channel[u]] != network.source[vcs.channel[v]]:
            raise RelationError(f"a ring does not go on from {vcs.name(u)} to {vcs.name(v)}")
    hops = [frozenset(hops_around(ring)) for ring in declared]
    pools = tuple(
        Pool(ring, len(ring) * packets, 0, KEEPS[rule], along, loose.intersection(ring))
        for ring, along in zip(declared, hops, strict=True)
    )
    where = f', rings="{path}"' if isinstance(path, (str, Path)) else ""
    return replace(technique("vct"), name=f"bubble('{rule}', packets={packets}{where})", packets=packets, pools=pools)


def _torus_rings(relation: Relation) -> tuple[tuple[int, ...], ...]:
    """Every closed line of a torus in both directions, with each VC index that all its channels have."""
    network, vcs = relation.network, relation.vcs
    channel = grid(network).channel
    rings: list[tuple[int, ...]] = []
    for port in range(channel.shape[1]):
        onward = channel[:, port].tolist()
        left = dict.fromkeys(range(network.num_routers))
        while left:
            first = here = next(iter(left))
            line: list[int] = []
            while here in left:
                del left[here]
                if onward[here] >= 0:
                    line.append(onward[here])
                    here = int(network.target[onward[here]])
            if line and here == first:
                many = min(int(vcs.counts[c]) for c in line)
                rings += [tuple(int(vcs.first[c]) + index for c in line) for index in range(many)]
    if not rings:
        raise RelationError(f"network {network.name!r} has no closed line, so no ring to keep a bubble in")
    return tuple(rings)


def _read(relation: Relation, path: str | Path) -> tuple[list[tuple[int, ...]] | None, list[int]]:
    """The rings of a TOML file, if it has any, and the channels that are entered without the rule."""
    ring = record({"channels": list_of(TEXT), "vc": NUMBER}, "channels")
    with read_toml(path, "a list of rings") as toml:
        document = record({"ring": list_of(ring), "unguarded": list_of(TEXT)})(toml.document, ())
        rings = [_ring(relation, one, ("ring", number)) for number, one in enumerate(document.get("ring", ()))]
        names = document.get("unguarded", ())
        every = [c for k, name in enumerate(names) for c in _channels(relation.network, name, ("unguarded", k))]
    return rings or None, every


def _ring(relation: Relation, table: dict[str, Any], path: tuple[str | int, ...]) -> tuple[int, ...]:
    """The VCs of a ring: a single index on a row of named channels."""
    vcs, index, ring = relation.vcs, table.get("vc", 0), []
    for k, name in enumerate(table["channels"]):
        channel, *more = _channels(relation.network, name, (*path, "channels", k))
        if more:
            raise EntryError(f"{name} names {1 + len(more)} channels; give one of them", (*path, "channels", k))
        if not 0 <= index < vcs.counts[channel]:
            raise EntryError(f"{name} has no VC {index}", (*path, "vc"))
        ring.append(int(vcs.first[channel]) + index)
    return tuple(ring)


def _channels(network: Network, name: str, path: tuple[str | int, ...]) -> list[int]:
    """The channels that a text names."""
    try:
        return network.channels_named(name)
    except NetworkError as error:
        raise EntryError(str(error), path) from None
