"""Comparison of two readings of a fabric."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from unknot._base.shown import Brief
from unknot.fabrics.fabric import Fabric


@dataclass(frozen=True, repr=False)
class Changes(Brief):
    """Differences between an older and a newer reading; nodes are matched by GUID.

    Attributes
    ----------
    lost_cables, new_cables : tuple of str
        Cables of one reading alone, such as ``S0[1] – S1[2]``.
    rates : tuple of str
        Cables in both readings that run at another rate than before.
    lids : tuple of str
        Ports that answer to other LIDs than before, or are in one reading alone.
    entries : int
        Table entries (switch, LID of a port in both) that differ; the port is matched by GUID, so that a renumbered
        LID alone is no change.
    compared : int
        Entries that were compared.
    switches : tuple of (str, int)
        Switches with changed entries and their number, most first.

    Examples
    --------
    >>> from unknot.fabrics import compare_fabrics, read_fabric
    >>> before = read_fabric("examples/fabrics/opensm-torus8x8-updn")
    >>> after = read_fabric("examples/fabrics/opensm-torus8x8-dor")
    >>> changes = compare_fabrics(before, after)
    >>> changes.lost_cables, changes.entries, changes.compared
    ((), 3263, 8192)
    """

    lost_cables: tuple[str, ...]
    new_cables: tuple[str, ...]
    rates: tuple[str, ...]
    lids: tuple[str, ...]
    entries: int
    compared: int
    switches: tuple[tuple[str, int], ...]

    @property
    def none(self) -> bool:
        """Whether nothing changed."""
        return not (self.lost_cables or self.new_cables or self.rates or self.lids or self.entries)


def compare_fabrics(old: Fabric, new: Fabric) -> Changes:
    """Compare two readings of a fabric. O(cables + switches × LIDs) time.

    Parameters
    ----------
    old, new : Fabric
        Tables are compared where both have some.

    Returns
    -------
    Changes
        What differs.

    Examples
    --------
    >>> from unknot.fabrics import read_fabric
    >>> fabric = read_fabric("examples/fabrics/opensm-ring12-lash")
    >>> compare_fabrics(fabric, fabric).none
    True
    """
    before, after = _cables(old), _cables(new)
    ports, again = _ports(old), _ports(new)
    lids = [
        f"{name}: {_listed(ports.get(guid))} → {_listed(again.get(guid))}"
        for guid, name in {**_names(old), **_names(new)}.items()
        if ports.get(guid) != again.get(guid)
    ]
    entries, compared, switches = _entries(old, new)
    return Changes(
        tuple(before[key][0] for key in before if key not in after),
        tuple(after[key][0] for key in after if key not in before),
        tuple(
            f"{name}: {rate or 'unknown'} → {after[key][1] or 'unknown'}"
            for key, (name, rate) in before.items()
            if key in after and after[key][1] != rate
        ),
        tuple(lids),
        entries,
        compared,
        switches,
    )


def _cables(fabric: Fabric) -> dict[frozenset[tuple[int, int]], tuple[str, str]]:
    """Names and rates of cables by the GUIDs and port numbers of both ends; hosts' without rates."""
    rate = defaultdict(str, enumerate(fabric.rates))
    plugs = fabric.plugs
    return {frozenset(plugs(cable, fabric.port_guid)): (cable.name, rate[cable.channel]) for cable in fabric.cables}


def _ports(fabric: Fabric) -> dict[int, list[int]]:
    """LIDs of each port that answers to some, by GUID."""
    lids: dict[int, list[int]] = {}
    for lid, who in zip(fabric.lids.tolist(), fabric.owner.tolist(), strict=True):
        if who >= 0:
            lids.setdefault(int(fabric.port_guid[who]), []).append(lid)
    return lids


def _names(fabric: Fabric) -> dict[int, str]:
    return {int(guid): fabric.owner_name(port) for port, guid in enumerate(fabric.port_guid)}


def _listed(lids: list[int] | None) -> str:
    if not lids:
        return "no LID"
    return f"LID {lids[0]}" if len(lids) == 1 else f"LIDs {lids[0]} to {lids[-1]}"


def _columns(fabric: Fabric) -> dict[tuple[int, int], int]:
    """Column of the n-th LID of each port."""
    return {(guid, n): fabric.column_of[lid] for guid, lids in _ports(fabric).items() for n, lid in enumerate(lids)}


def _entries(old: Fabric, new: Fabric) -> tuple[int, int, tuple[tuple[str, int], ...]]:
    if old.tables is None or new.tables is None:
        return 0, 0, ()
    before, after = _columns(old), _columns(new)
    both = [(before[key], after[key]) for key in before if key in after]
    router = new.router_of
    changed = []
    columns = np.array(both, dtype=np.int64).reshape(-1, 2)
    for r, guid in enumerate(old.switch_guid.tolist()):
        if guid in router:
            rows = old.tables[r, columns[:, 0]], new.tables[router[guid], columns[:, 1]]
            changed.append((old.network.router_name(r), int(np.count_nonzero(rows[0] != rows[1]))))
    most = sorted((pair for pair in changed if pair[1]), key=lambda pair: -pair[1])
    return sum(n for _, n in changed), len(changed) * len(both), tuple(most)
