"""Hop counts of a subnet manager (its LID matrix) against cables, and routes between hosts against them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unknot.fabrics import Fabric
from unknot.fabrics.fabric import NO_HOPS
from unknot.network import distances_from
from unknot.network.model import IntArray
from unknot.routing.forwarding_table import Switchboard, destinations
from unknot.verify.audit_merged import pairs_by_switch

SHOWN = 20
"""Most contradictions that are described."""


@dataclass(frozen=True)
class HopAudit:
    """Comparison of routes and cables with a matrix of least hops.

    Attributes
    ----------
    longer_pairs, extra_hops : int
        Pairs of a host and the LID of another whose route by the tables is longer than the least hops of the matrix,
        and by how many the worst.
    longest_example : str
        The worst such pair in words; empty if there is none.
    forbidden_pairs : int
        Pairs that have a route, where the matrix allows no way.
    detours : int
        Pairs of switches for which the matrix has more hops than the cables would allow: the routing engine forbids
        the shorter ways.
    contradictions : int
        Numbers of the matrix that the cables, or other numbers, rule out.
    wrong : tuple of str
        The first contradictions in words.
    """

    longer_pairs: int
    extra_hops: int
    longest_example: str
    forbidden_pairs: int
    detours: int
    contradictions: int
    wrong: tuple[str, ...]


def audit_hops(fabric: Fabric, board: Switchboard, route_hops: IntArray) -> HopAudit | None:
    """Compare a LID matrix with the cables and with the routes; None if the fabric has none.

    Parameters
    ----------
    route_hops : int32 array, shape (routers, LIDs)
        Hops of the routes by the tables, −1 where they do not arrive.
    """
    if fabric.hops is None:
        return None
    network, matrix = fabric.network, fabric.hops
    routers = network.num_routers
    known = np.zeros(routers, dtype=bool)
    known[fabric.owner[fabric.owner >= network.num_terminals] - network.num_terminals] = True
    away = np.array([distances_from(network, r) for r in range(routers)]).reshape(routers, routers)
    wrong = _wrong(fabric, matrix, away, known)
    least = matrix[:, :, 0].astype(np.int32)
    lids = destinations(fabric, "host-to-host")
    home, counts = pairs_by_switch(fabric, board, "host-to-host")
    hops, allowed = route_hops[:, lids], least[:, home]
    judged = (hops >= 0) & (counts > 0) & known[home]
    extra = np.where(judged & (allowed != NO_HOPS), hops - allowed, 0)
    example = ""
    if (extra > 0).any():
        r, column = np.unravel_index(int(extra.argmax()), extra.shape)
        name, lid = network.router_name(int(r)), fabric.lid_name(int(lids[column]))
        example = f"{name} to {lid}: {hops[r, column]} hops, where the matrix has {allowed[r, column]}"
    return HopAudit(
        longer_pairs=int(counts[extra > 0].sum()),
        extra_hops=int(extra.max(initial=0)),
        longest_example=example,
        forbidden_pairs=int(counts[judged & (allowed == NO_HOPS)].sum()),
        detours=int(np.count_nonzero((least > away) & (least != NO_HOPS) & (away >= 0) & known)),
        contradictions=len(wrong),
        wrong=tuple(wrong[:SHOWN]),
    )


def _wrong(fabric: Fabric, matrix: npt.NDArray[np.uint8], away: IntArray, known: npt.NDArray[np.bool_]) -> list[str]:
    """Numbers that cannot be, in words."""
    network, sentences = fabric.network, list[str]()
    target = np.full(matrix.shape[::2], -1, dtype=np.int64)
    if network.ports is not None:
        target[network.source, network.ports[:, 0]] = network.target
    for r in range(network.num_routers):
        name = network.router_name(r)
        for port in range(1, matrix.shape[2]):
            far, hops = int(target[r, port]), matrix[r, :, port]
            stated = (hops != NO_HOPS) & known
            if far < 0:
                sentences += [
                    f"{name} has {hops[d]} hops to {network.router_name(int(d))} by port {port}, where no switch is"
                    for d in np.flatnonzero(stated)
                ]
                continue
            fewer = stated & ((hops < 1 + away[far]) | (away[far] < 0))
            sentences += [
                f"{name} has {hops[d]} hops to {network.router_name(int(d))} by port {port}; the cables give "
                + (f"{1 + away[far, d]} or more" if away[far, d] >= 0 else "no way")
                for d in np.flatnonzero(fewer)
            ]
        least = matrix[r, :, 1:].min(axis=1, initial=NO_HOPS)
        least[r] = 0
        sentences += [
            f"{name} has {_count(matrix[r, d, 0])} at least to {network.router_name(int(d))}, but its ports "
            f"{_count(least[d])}"
            for d in np.flatnonzero((matrix[r, :, 0] != least) & known)
        ]
    return sentences


def _count(hops: np.uint8) -> str:
    return "no way" if hops == NO_HOPS else f"{hops} hops"
