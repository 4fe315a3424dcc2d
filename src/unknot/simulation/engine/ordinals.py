"""Numbers of virtual channels (VCs) and ports in their routers, for allocators that look at all requests at once."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Ints
from unknot._base.errors import NetworkError
from unknot.network import Network, grid
from unknot.simulation.engine.codes import SWEEPING
from unknot.simulation.engine.router import Router

if TYPE_CHECKING:
    from unknot.simulation.engine.ends import BufferEnds


COLUMNS = ("into", "out", "vc", "inputs", "outputs", "entries", "exits", "out_vc", "cell", "absent")


def ordinals(ends: BufferEnds) -> dict[str, Ints]:
    """Return the columns of `ordinals`, see `state`."""
    router, absent, heads = ends.router, ends.absent, 64 * ends.words[:-1]
    numbers = {column: np.zeros(64 * int(ends.words[-1]), dtype=np.int64) for column in COLUMNS}
    # How many numbers of VCs, and of ports, a port that leads nowhere takes.
    of_vcs = ends.local * (router.allocator in SWEEPING)
    of_ports = int(router.matches[1][0] in SWEEPING)
    # All ends but those of injection buffers, which are no outputs of the switch.
    owner, bit, cell = (each[: ends.total] for each in (ends.out.router, ends.out.bit, ends.out_cells))
    ports = ends.into.port
    place = ends.place[ports]
    rank = np.empty(place.size, dtype=np.int64)
    rank[np.lexsort((place, ends.into.router))] = np.arange(place.size)
    rank -= ends.into.first[ends.into.router]
    numbers["vc"][ends.in_cells] = rank + of_vcs * absent.into[ports]
    # Among the outputs that packets take: rows of parts beyond the VCs of a port have no number.
    by_row = np.argsort(cell)
    number = np.empty(cell.size, dtype=np.int64)
    number[by_row] = np.arange(cell.size) - np.searchsorted(owner[by_row], owner[by_row])
    numbers["out_vc"][cell] = number + of_vcs * absent.out[ports]
    numbers["cell"][cell - bit + number + of_vcs * absent.out[ports]] = bit
    for name, routers in (("inputs", ends.into.router), ("outputs", owner)):
        numbers[name][heads] = np.bincount(routers, minlength=heads.size) + of_vcs * absent.many
    numbers["absent"][heads] = absent.many * of_vcs
    # Input ports have a row for each part, output ports one for all.
    in_port, out_port = ends.part_of_port[ends.into.row], ends.out.first_of_port[ends.out.row[: ends.total]]
    for name, total, port, cells, at, by, gaps, width, parts in (
        ("into", "entries", in_port, ends.in_cells, ends.into.router, place, absent.into, router.input_speedup, 1),
        ("out", "exits", out_port, cell, owner, out_port, absent.out, 1, router.output_speedup),
    ):
        _, first = np.unique(port, return_index=True)
        first = first[np.lexsort((port[first], by[first], at[first]))]
        of = at[first]
        ordinal = np.arange(first.size) - np.searchsorted(of, of) + of_ports * width * gaps[ports[first]]
        for part in range(parts):
            numbers[name][cells[first] + part] = ordinal * parts + part
        numbers[total][heads] = (np.bincount(of, minlength=heads.size) + of_ports * width * absent.many) * parts
    return numbers


def places(network: Network, router: Router) -> Ints:
    """Place of each channel, and of each terminal, among the inputs of its router: where it stands as an output."""
    before = -network.num_terminals if router.terminals_first else 2 * network.num_channels
    return np.concatenate([opposite(network.source, network.target), np.arange(network.num_terminals) + before])


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


def opposite(source: npt.NDArray[np.integer], target: npt.NDArray[np.integer]) -> Ints:
    """Place of each channel among the inputs of its router: that of the channel back, or after all of those."""
    place = np.arange(source.size) + source.size
    back: dict[tuple[int, int], list[int]] = {}
    for c, pair in enumerate(zip(source.tolist(), target.tolist(), strict=True)):
        back.setdefault(pair, []).append(c)
    for (a, b), those in back.items():
        for c, d in zip(those, back.get((b, a), ()), strict=False):
            place[c] = d
    return place
