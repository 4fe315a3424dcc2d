"""A lossless fabric as its tools describe it: network, LIDs, GUIDs and forwarding tables; and comparison of two."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Flags
from unknot._base.shown import Brief
from unknot.network import Network
from unknot.network.model import IntArray

NO_ENTRY = -1
"""Port value of a (switch, LID) that the table says it drops."""
UNKNOWN_PORT = -2
"""Port value of a (switch, LID) of which the files say nothing."""
LAST_UNICAST = 0xBFFF
"""Highest LID of a port; those above are multicast."""
MOST_LMC = 7
"""Greatest LMC of a port, which has 2^LMC LIDs."""


@dataclass(frozen=True, eq=False, repr=False)
class Fabric:
    """Switches, hosts, addresses and, where known, forwarding tables. Arrays are read-only.

    Attributes
    ----------
    name : str
    network : Network
        Switches are its routers and cabled host ports its terminals, both ascending by GUID; `ports` holds the port
        numbers at both ends of each channel. Names are those of the file, or GUIDs where these are missing or not
        unique.
    switch_guid : uint64 array, shape (routers,)
        Node GUIDs of the switches.
    port_guid : uint64 array, shape (terminals + routers,)
        GUIDs of the ports that answer to LIDs: the host ports, then the management port of each switch.
    node_guid : uint64 array, shape (terminals,)
        Node GUIDs of the host ports.
    switch_ports : int32 array, shape (routers,)
        Ports of each switch, its management port 0 not counted.
    host_port : int32 array, shape (terminals,)
        Port of the switch at which each host port is plugged in.
    lids : int32 array
        Assigned unicast LIDs, ascending; a port with LMC m has 2^m of them.
    owner : int32 array, same shape
        Who answers to each LID: terminal t, or terminals + r for the management port of switch r, or −1 for a host
        port whose link is not active.
    tables : int16 array, shape (routers, LIDs), or None
        Output port of each switch for each LID of `lids`: 0 is the switch itself, `NO_ENTRY` means dropped, and
        `UNKNOWN_PORT` that the files do not say.
    fabric_file, tables_file, levels_file, lanes_file : str
        Where it came from; empty for what is not known.
    levels : int8 array, shape (terminals + routers, LIDs), or None
        Service level from each port that sends, in the order of `port_guid`, to each LID of `lids`; −1: no record.
    more_levels : int32 array, shape (n, 3)
        Rows of sender, position in `lids` and a further service level, of pairs that have several.
    lanes : int8 array, shape (routers, ports, ports, 16), or None
        Virtual lane, by switch, input port, output port and service level; 15 means dropped, −1: no row.
    multicast : int32 array, shape (n, 3), or None
        Rows of multicast LID, switch and output port, ascending: where each switch copies packets of a group to.
    multicast_file : str
    restored : tuple of int
        Switches that the fabric file leaves out, known from what others list: cables between them are not known.
    unlisted : tuple of int
        Node GUIDs of switches that have tables, but of which the fabric file says nothing at all.
    adaptive : tuple of str
        Signs of adaptive routing in the files: then `tables` are not all that decides.
    rates : tuple of str
        Width and speed of the cable of each channel, such as ``4xHDR``; empty where the file does not give them.
    notes : tuple of str
        What was found on reading and is not an error.
    assumed : tuple of str
        Those notes that say what was taken for what files do not tell.

    Examples
    --------
    >>> from unknot.fabrics import read_fabric
    >>> fabric = read_fabric("examples/fabrics/opensm-ring12-lash")
    >>> fabric.network.num_routers, fabric.network.num_terminals, fabric.tables.shape
    (12, 12, (12, 24))
    """

    name: str
    network: Network
    switch_guid: npt.NDArray[np.uint64]
    port_guid: npt.NDArray[np.uint64]
    node_guid: npt.NDArray[np.uint64]
    switch_ports: IntArray
    host_port: IntArray
    lids: IntArray
    owner: IntArray
    fabric_file: str
    tables: npt.NDArray[np.int16] | None = None
    tables_file: str = ""
    levels: npt.NDArray[np.int8] | None = None
    levels_file: str = ""
    more_levels: IntArray = field(default_factory=lambda: np.zeros((0, 3), dtype=np.int32))
    lanes: npt.NDArray[np.int8] | None = None
    lanes_file: str = ""
    multicast: IntArray | None = None
    multicast_file: str = ""
    restored: tuple[int, ...] = ()
    unlisted: tuple[int, ...] = ()
    adaptive: tuple[str, ...] = ()
    rates: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for array in vars(self).values():
            if isinstance(array, np.ndarray):
                array.setflags(write=False)

    @cached_property
    def router_of(self) -> dict[int, int]:
        """Router of each switch by its node GUID."""
        return {guid: router for router, guid in enumerate(self.switch_guid.tolist())}

    @cached_property
    def column_of(self) -> dict[int, int]:
        """Position of each LID in `lids`."""
        return {lid: column for column, lid in enumerate(self.lids.tolist())}

    @property
    def cabled(self) -> Flags:
        """Mask of the ports of each switch that have a cable, and of its own: shape (routers, 256)."""
        network = self.network
        cabled = np.zeros((network.num_routers, 256), dtype=bool)
        cabled[:, 0] = True
        if network.ports is not None:
            cabled[network.source, network.ports[:, 0]] = True
        cabled[network.inject, self.host_port] = True
        return cabled

    def owner_name(self, owner: int) -> str:
        """Name of the port that answers to a LID, as coded in `owner`."""
        if owner < 0:
            return "a port whose link is not active"
        hosts = self.network.num_terminals
        return self.network.terminal_name(owner) if owner < hosts else self.network.router_name(owner - hosts)

    def lid_name(self, index: int) -> str:
        """A LID with the name of its owner, such as ``LID 0x0012 (H0_4)``."""
        return f"LID 0x{int(self.lids[index]):04x} ({self.owner_name(int(self.owner[index]))})"

    def __repr__(self) -> str:
        tables = "with" if self.tables is not None else "without"
        return (
            f"<Fabric {self.name}: {self.network.num_routers} switches, {self.network.num_terminals} host ports, "
            f"{self.lids.size} LIDs, {tables} tables>"
        )


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


def _cables(fabric: Fabric) -> dict[tuple[tuple[int, int], tuple[int, int]], tuple[str, str]]:
    """Names and rates of cables by the GUIDs and port numbers of both ends, the lower first; hosts' without rates."""
    network, names = fabric.network, {}
    switches = fabric.switch_guid.tolist()
    ports = np.zeros((0, 2), dtype=np.int32) if network.ports is None else network.ports
    ends = zip(network.source.tolist(), network.target.tolist(), ports.tolist(), strict=True)
    rows = [((switches[u], p), (switches[v], q), (u, p), (v, q)) for u, v, (p, q) in ends]
    rates = fabric.rates or ("",) * len(rows)
    for (a, b, (u, p), (v, q)), rate in zip(rows, rates, strict=True):
        if a < b:
            names[a, b] = f"{network.router_name(u)}[{p}] – {network.router_name(v)}[{q}]", rate
    for t, (router, port) in enumerate(zip(network.inject.tolist(), fabric.host_port.tolist(), strict=True)):
        host = (int(fabric.port_guid[t]), 0)
        name = f"{network.terminal_name(t)} – {network.router_name(router)}[{port}]"
        names[host, (switches[router], port)] = name, ""
    return names


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
