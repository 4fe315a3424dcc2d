"""A subnet manager in the loop: tables of OpenSM for a fabric, and for what is left while cables are cut."""

from __future__ import annotations

import contextlib
import re
import tempfile
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from unknot._base.arrays import Flags, IntArray
from unknot._base.errors import TextError, UnknotError
from unknot._base.phrases import few
from unknot.fabrics.fabric import NO_ENTRY, Fabric, FabricCable
from unknot.fabrics.ibsim import hosts_of, ibsim_text
from unknot.fabrics.levels import UNKNOWN
from unknot.fabrics.managed.path_records import Ask, asking, collect
from unknot.fabrics.managed.simulated import OpenSM, Simulated, simulated
from unknot.fabrics.reading import read_fabric
from unknot.network import Network
from unknot.network.graph import components

LEVELS_BY = {"lash": "switches", "torus-2QoS": "switches", "nue": "destinations", "dfsssp": "pairs"}
"""Engines that spread paths over service levels, and what the level of a path depends on."""
_NODE = re.compile(r'^(?:Switch|Hca) +\d+ +"(.*)"$', re.M)
SWEEPS, LATER = 5, 10.0
"""Sweeps within which OpenSM has to discover what is cabled, and seconds until each but the first."""


@dataclass
class Manager:
    """A running OpenSM.

    Attributes
    ----------
    opensm : OpenSM
    simulated : Simulated
    ask : callable
        Tells the service level from a LID to another.
    fabric : Fabric
        As discovered and routed while nothing is cut.
    home : int
        Switch of the host at which OpenSM runs.
    engine : str
        The engine that routed last.
    """

    opensm: OpenSM
    simulated: Simulated
    ask: Ask
    fabric: Fabric
    home: int
    engine: str
    _due: bool = False

    def after(self, cut: Collection[FabricCable]) -> Fabric:
        """Cut cables between switches, wait for new tables, and begin to restore the cables.

        Returns
        -------
        Fabric
            The whole fabric with the new tables; switches out of OpenSM's reach keep the tables that they have.

        Raises
        ------
        UnknotError
            If OpenSM hangs, ends, or does not discover what is left.
        """
        whole, home = self.fabric, self.home
        part, name = parts_left(whole, cut), whole.network.router_name
        near = (
            [f'"{name(r)}"[{p}]' for r, p in zip(c.routers, c.ports, strict=True) if part[r] == part[home]]
            for c in cut
        )
        ends = [some[0] for some in near if some]  # whose trap reaches OpenSM; either end takes the cable down
        if not ends:
            return without(whole, cut)
        if self._due:
            self.simulated.wait()
        left = {c.name for c in whole.cables if c not in cut and part[c.routers[0]] == part[home]}
        self.simulated.say(f"Unlink {end}" for end in ends)
        found = _discovered(self.simulated, self.ask, lambda now: _unlike(left, {c.name for c in now.cables}))
        self.engine, self._due = self.simulated.engine, True
        self.simulated.say(f"ReLink {end}" for end in ends)
        return without(_onto(whole, found), cut)


@contextlib.contextmanager
def managed(network: Network, opensm: OpenSM, fabric: Fabric | None = None) -> Iterator[Manager]:
    """Let OpenSM manage a network on `ibsim`, as long as the context lasts.

    Parameters
    ----------
    network : Network
        With channels in pairs.
    opensm : OpenSM
    fabric : Fabric, optional
        Whose network it is: then nodes have their GUIDs.

    Raises
    ------
    UnknotError
        If programs are missing, hang or end, `ibsim` does not take the network, or OpenSM does not discover it.
    """
    hosts = [host for host, _ in hosts_of(network)]
    if not hosts:
        raise UnknotError(f"{network.name} has no host at which OpenSM could run")
    with tempfile.TemporaryDirectory(prefix="unknot-opensm-") as scratch:
        net = Path(scratch) / "fabric.ibsim"
        text = ibsim_text(network)
        if fabric is not None:
            own = [f"switchguid=0x{guid:x}" for guid in fabric.switch_guid.tolist()]
            own += [f"caguid=0x{guid:x}" for guid in fabric.node_guid.tolist()]
            names = [*map(network.router_name, range(network.num_routers)), *hosts]
            guid_of = dict(zip(names, own, strict=True))
            text = _NODE.sub(lambda node: f"{guid_of[node[1]]}\n{node[0]}", text)
        net.write_text(text, encoding="utf-8")
        sizes = ("num_routers", "num_terminals", "num_channels")

        def missing(now: Fabric) -> str:
            counts = {size[4:]: (getattr(now.network, size), getattr(network, size)) for size in sizes}
            return ", ".join(f"{seen} of {there} {what}" for what, (seen, there) in counts.items() if seen != there)

        with (
            simulated(net, net.parent, [opensm.path, *opensm.words], hosts[0]) as one,
            asking(one.environment) as ask,
        ):
            whole = replace(_discovered(one, ask, missing, swept=True), name=network.name)
            home = int(whole.network.inject[[host for host, _ in hosts_of(whole.network)].index(hosts[0])])
            yield Manager(opensm, one, ask, whole, home, one.engine)


def _unlike(expected: set[str], seen: set[str]) -> str:
    """Say which cables are seen too few and too many."""
    ways = {"not seen": expected - seen, "cut, and seen": seen - expected}
    return "; ".join(f"{words}: {few(sorted(some))}" for words, some in ways.items() if some)


def _dead(fabric: Fabric, cut: Collection[FabricCable]) -> Flags:
    """Mask of the ports of switches, shape (routers, 256), at cables that are cut."""
    dead = np.zeros((fabric.network.num_routers, 256), dtype=bool)
    for cable in cut:
        dead[[*cable.routers], [*cable.ports]] = True
    return dead


def parts_left(fabric: Fabric, cut: Collection[FabricCable]) -> IntArray:
    """Return for each switch the number of the part in which it is without some cables."""
    network = fabric.network
    ports = np.zeros((0, 2), dtype=np.int32) if network.ports is None else network.ports
    left = ~_dead(fabric, cut)[network.source, ports[:, 0]]
    return components(network, left)[0]


def without(fabric: Fabric, cut: Collection[FabricCable]) -> Fabric:
    """Return the fabric with its tables, entries towards cut cables struck."""
    assert fabric.tables is not None
    dead = np.take_along_axis(_dead(fabric, cut), np.maximum(fabric.tables, 0).astype(np.int64), axis=1)
    return replace(fabric, tables=np.where(dead & (fabric.tables > 0), np.int16(NO_ENTRY), fabric.tables))


def _onto(whole: Fabric, part: Fabric) -> Fabric:
    """Return a fabric with the tables, levels and lanes that a part of it has now, in the order of the whole."""
    assert whole.tables is not None
    assert part.tables is not None
    owners = dict(zip(whole.lids.tolist(), whole.port_guid[whole.owner].tolist(), strict=True))
    again = dict(zip(part.lids.tolist(), part.port_guid[part.owner].tolist(), strict=True))
    if not again.items() <= owners.items():
        raise UnknotError("OpenSM gave ports other LIDs after a cable was cut; Unknot compares tables by LID")
    lids = np.array([whole.column_of[lid] for lid in again])
    rows = np.array([whole.router_of[guid] for guid in part.switch_guid.tolist()])
    tables = whole.tables.copy()  # switches out of reach keep theirs
    tables[rows] = NO_ENTRY
    tables[np.ix_(rows, lids)] = part.tables
    now = replace(whole, tables=tables, levels=None, more_levels=whole.more_levels[:0])
    if part.levels is not None:
        place = {guid: number for number, guid in enumerate(whole.port_guid.tolist())}
        ends = np.array([place[guid] for guid in part.port_guid.tolist()])
        levels = np.full((len(place), len(owners)), UNKNOWN, np.int8) if whole.levels is None else whole.levels.copy()
        levels[np.ix_(ends, lids)] = part.levels
        sender, column, level = part.more_levels.T
        more = np.stack([ends[sender], lids[column], level], axis=1).astype(np.int32)
        now = replace(now, levels=levels, more_levels=more)
    if part.lanes is not None and whole.lanes is not None:
        lanes, ports = whole.lanes.copy(), part.lanes.shape[1]
        lanes[rows, :ports, :ports] = part.lanes
        now = replace(now, lanes=lanes)
    return now


def _discovered(one: Simulated, ask: Ask, missing: Callable[[Fabric], str], *, swept: bool = False) -> Fabric:
    """Return the fabric that OpenSM discovered, once nothing is missing."""
    words = "its dumps are not whole"
    for number in range(SWEEPS):
        if number or not swept:
            try:
                one.wait(LATER if number else None)
            except UnknotError:
                if not number:
                    raise
                break
        with contextlib.suppress(TextError):  # dumps that the next sweep is writing
            found = _dumped(one, ask)
            words = missing(found)
            if not words:
                return found
    raise UnknotError(f"OpenSM did not discover what is cabled: {words}")


def _dumped(one: Simulated, ask: Ask) -> Fabric:
    """Read the dumps of OpenSM, with service levels where its engine spreads paths over some."""
    files = {"tables": "opensm-lfts.dump", "lanes": "opensm-sl2vl.dump"}
    paths: dict[str, Any] = {key: one.folder / name for key, name in files.items() if (one.folder / name).exists()}
    found = read_fabric(one.folder / "opensm-subnet.lst", **paths)
    if one.engine in LEVELS_BY:
        told = collect(found, ask, LEVELS_BY[one.engine])
        if told.unanswered:
            raise UnknotError(f"OpenSM did not tell the service levels of {told.unanswered:,} pairs of hosts")
        found = told.fabric
    return found
