"""Tables that only some routers need.

Numbers of virtual channels (VCs) and ports in their routers are for allocators that look at all requests at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Ints
from unknot._base.errors import NetworkError
from unknot._base.memory import require
from unknot.flow_control.model import FlowControl
from unknot.flow_control.pools import Pool
from unknot.network import Network, grid
from unknot.routing.paths import distances_to_homes
from unknot.routing.relation import Relation
from unknot.simulation.engine.codes import KEPT, SWEEPING
from unknot.simulation.engine.router import Router


class Side(NamedTuple):
    """Of each input VC, in the order of rows, or of each output VC that is not the end of an injection buffer."""

    cell: Ints
    port_cell: Ints
    """Cell of its port or part of that."""
    port: Ints
    """First row of that."""
    owner: Ints
    """Router."""
    absent: Ints
    """Ports before it that lead nowhere."""


def ordinals(words: Ints, into: Side, out: Side, place: Ints, absent: Ints, local: int, router: Router) -> Any:
    """Numbers of VCs, ports and parts of ports in their routers; see `state`.

    `place` is of the port of each input VC, see `places`; `absent` are ports of each router that lead nowhere.
    """
    if not router.looks_at_all:
        return 0
    routers, heads = words.size - 1, 64 * words[:-1]
    columns = ("into", "out", "vc", "inputs", "outputs", "entries", "exits", "out_vc", "cell", "absent")
    numbers = {column: np.zeros(64 * int(words[-1]), dtype=np.int64) for column in columns}
    # How many numbers of VCs, and of ports, a port that leads nowhere takes.
    of_vcs = local * (router.allocator in SWEEPING)
    of_ports = int((router.switch_allocator or router.allocator) in SWEEPING)
    numbers["absent"][heads] = absent * of_vcs
    order = np.lexsort((np.arange(place.size), place, into.owner))
    rank = np.empty(place.size, dtype=np.int64)
    rank[order] = np.arange(place.size) - np.searchsorted(into.owner, into.owner)
    numbers["vc"][into.cell] = rank + of_vcs * into.absent
    own = out.cell - heads[out.owner]
    numbers["out_vc"][out.cell] = own + of_vcs * out.absent
    numbers["cell"][out.cell + of_vcs * out.absent] = own
    numbers["inputs"][heads] = np.bincount(into.owner, minlength=routers) + of_vcs * absent
    numbers["outputs"][heads] = np.bincount(out.owner, minlength=routers) + of_vcs * absent
    # Input ports have a row for each part, output ports one for all.
    for name, total, side, by, width, parts in (
        ("into", "entries", into, place, router.input_speedup, 1),
        ("out", "exits", out, out.port, 1, router.output_speedup),
    ):
        _, first = np.unique(side.port, return_index=True)
        first = first[np.lexsort((side.port[first], by[first], side.owner[first]))]
        owner = side.owner[first]
        count = np.bincount(owner, minlength=routers)
        ordinal = np.arange(first.size) - np.searchsorted(owner, owner) + of_ports * width * side.absent[first]
        for part in range(parts):
            numbers[name][side.port_cell[first] + part] = ordinal * parts + part
        numbers[total][heads] = (count + of_ports * width * absent) * parts
    return numbers


def places(network: Network, router: Router) -> Ints:
    """Place of each channel, and of each terminal, among the inputs of its router: where it stands as an output."""
    before = -network.num_terminals if router.terminals_first else 2 * network.num_channels
    return np.concatenate([_opposite(network), np.arange(network.num_terminals) + before])


class Absent(NamedTuple):
    """Ports that lead nowhere: before each channel and terminal among those of its router, and of each router."""

    into: Ints
    out: Ints
    many: Ints


def absent_ports(network: Network, router: Router, place: Ints) -> Absent:
    """Ports at the edges of a grid: in wavefront allocation, as BookSim 2 builds it, they take part.

    A grid is one whose channels are sorted by router, dimension and direction; a dimension of two has one direction.
    `place` is that of each port, see `places`.
    """
    gaps, many = np.zeros(network.num_channels, dtype=np.int64), np.zeros(network.num_routers, dtype=np.int64)
    if router.looks_at_all:
        with suppress(NetworkError):
            view = grid(network)
            leads = np.stack([view.directions & 1 > 0, view.directions & 2 > 0], axis=1) & (view.radices > 2)[:, None]
            absent = (view.channel < 0) & leads.reshape(-1)
            at, port = np.nonzero(view.channel >= 0)
            channels = view.channel[at, port]
            if (np.diff(channels) > 0).all():
                gaps[channels], many = absent.cumsum(axis=1)[at, port], absent.sum(axis=1)
    back = place[: network.num_channels]
    into = np.where(back < gaps.size, gaps[np.minimum(back, gaps.size - 1)], many[network.target])
    behind = 0 if router.terminals_first else 1
    return Absent(np.append(into, behind * many[network.inject]), np.append(gaps, behind * many[network.eject]), many)


def _opposite(network: Network) -> Ints:
    """Place of each channel among the inputs of its router: that of the channel back, or after all of those."""
    channels = network.num_channels
    place = np.arange(channels) + channels
    back: dict[tuple[int, int], list[int]] = {}
    for c, (a, b) in enumerate(zip(network.source.tolist(), network.target.tolist(), strict=True)):
        back.setdefault((a, b), []).append(c)
    for (a, b), those in back.items():
        for c, d in zip(those, back.get((b, a), ()), strict=False):
            place[c] = d
    return place


FARTHEST = np.iinfo(np.int16).max


def matrix_arbiters(tables: dict[str, Any]) -> dict[str, Any]:
    """Matrix arbiters of all routers; what has never been chosen is as if the highest number was longest ago.

    Of each router those of inputs and of outputs, for virtual channels and then for the switch.
    """
    words = tables["first_word"]
    ins, outs = (np.diff(tables["words"][name][words]) for name in ("first_input", "first_output"))
    require("matrix arbiters", 64 * int((ins * outs).sum()))
    recent, first, used = [np.zeros(0, dtype=np.int64)], np.zeros(int(words[-1]), dtype=np.int64), 0
    for word, i, o in zip(words[:-1].tolist(), ins.tolist(), outs.tolist(), strict=True):
        first[word], used = used, used + 4 * i * o
        recent += 2 * [np.tile(-np.arange(o), i), np.tile(-np.arange(i), o)]
    return {"recent": np.concatenate(recent), "first_recent": first}


def hop_tables(relation: Relation, router: Router, out_row: npt.NDArray[Any]) -> dict[str, Any]:
    """Return the tables `next_router`, `home` and `hops_left`; none for other selection functions.

    Raises
    ------
    RelationError
        If the table of distances is too large.
    """
    if router.selection != "least_weight":
        return {}
    network, vcs = relation.network, relation.vcs
    distances = distances_to_homes(network, "the selection function least_weight")
    rows = out_row[: vcs.total]
    next_router = np.zeros(int(rows.max(initial=-1)) + 1, dtype=np.int32)
    next_router[rows] = network.target[vcs.channel]
    return {
        "next_router": next_router,
        "home": distances.column[relation.destination],
        "hops_left": np.where(distances.table < 0, FARTHEST, distances.table).reshape(-1),
    }


def slot_tables(
    flow: FlowControl, tables: Mapping[str, Any], num_vcs: int, depth: int, lengths: Sequence[int]
) -> dict[str, Any]:
    """Return the tables `slots`, `members`, `hops` and `pools`; none where flits are counted alone.

    What a buffer has beyond its slots nothing takes where lengths differ, and of cells: it would let a slot be
    counted as free while the credits of a short packet are still under way.

    Parameters
    ----------
    tables : dict
        Those of the ends of buffers: `outputs`, `out_row` and `in_row`.
    depth : int
        Flits of a buffer.
    lengths : sequence of int
        Those of packets, in flits.
    """
    if not flow.slotted:
        return {}
    pools, out_row, many = flow.pools, tables["out_row"], len(tables["outputs"]["owner"])
    in_slots = [v for pool in pools for v in pool.vcs] if pools else range(num_vcs)
    flits, slack, first = np.zeros(many, dtype=int), np.zeros(many, dtype=int), np.full(many, -1)
    size = flow.slot(max(lengths))
    flits[out_row[in_slots]] = size
    unused = depth // size - flow.packets if pools else 0
    slack[out_row[in_slots]] = unused * size + (depth % size if len(lengths) > 1 or flow.cell > 1 else 0)
    members, hops, total = [], list[int](), sum(len(pool.vcs) for pool in pools)
    for number, pool in reversed([*enumerate(pools)]):
        for v in reversed(pool.vcs):
            before = sorted(u for u, w in pool.hops if w == v)
            members.append((out_row[v], number, first[out_row[v]], v not in pool.unguarded, len(before)))
            hops += reversed(before)
            first[out_row[v]] = total - len(members)
    row, pool_of, following, guarded, of_hops = np.array(members[::-1], dtype=int).reshape(-1, 5).T
    sizes = np.array([len(pool.vcs) for pool in pools], dtype=int)
    return {
        "slots": {"flits": flits, "slack": slack, "member": first},
        "members": {
            "row": row,
            "pool": pool_of,
            "next": following,
            "guarded": guarded,
            "first_hop": np.cumsum(of_hops) - of_hops,
            "end_hop": np.cumsum(of_hops),
        },
        "hops": tables["in_row"][hops[::-1]],
        "pools": {
            "first": np.cumsum(sizes) - sizes,
            "end": np.cumsum(sizes),
            "slots": [pool.slots for pool in pools],
            "own": [pool.own for pool in pools],
            "keeps": [KEPT.index(pool.keeps) for pool in pools],
            "limits": [limits(flow, pool) for pool in pools],
            "mark": [-1 if v < 0 else out_row[v] for v in flow.marks or [-1] * len(pools)],
        },
    }


def limits(flow: FlowControl, pool: Pool) -> bool:
    """Whether a pool may keep a packet out for want of a slot."""
    return pool.keeps in ("nothing", "slot of the pool") or pool.slots < (flow.packets - pool.own) * len(pool.vcs)
