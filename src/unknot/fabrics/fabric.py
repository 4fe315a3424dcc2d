"""A lossless fabric as its tools describe it: network, LIDs, GUIDs and forwarding tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Flags, Ints
from unknot.fabrics.choices import SwitchGroups
from unknot.network import Network
from unknot.network.graph import components
from unknot.network.model import IntArray

NO_ENTRY = -1
"""Port value of a (switch, LID) that the table says it drops."""
UNKNOWN_PORT = -2
"""Port value of a (switch, LID) of which the files say nothing."""
LAST_UNICAST = 0xBFFF
"""Highest LID of a port; those above are multicast."""
PLANE = 1 << 16
"""Step between the LIDs of planes that share LIDs: in arrays, LID l of the second of them is l + `PLANE`."""
MOST_LMC = 7
"""Greatest LMC of a port, which has 2^LMC LIDs."""


class FabricCable(NamedTuple):
    """A cable between two switches, or of a host.

    Attributes
    ----------
    name : str
        Both ends with ports of switches; the end at the lower router first, or the host.
    routers, ports : tuple of int
        Switches at its ends and their ports: two, or the switch of the host.
    channel : int
        Channel from the first switch to the second one; -1 for hosts.
    terminal : int
        The host port; -1 between switches.
    """

    name: str
    routers: tuple[int, ...]
    ports: tuple[int, ...]
    channel: int = -1
    terminal: int = -1


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
        Signs of what is not judged yet, such as adaptive routing: then `tables` are not all that decides.
    groups : dict, or None
        Groups of ports that adaptive switches choose from, by node GUID.
    rates : tuple of str
        Width and speed of the cable of each channel, such as ``4xHDR``; empty where the file does not give them.
    host_rates : tuple of str
        The same of the cable of each host port.
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
    groups: Mapping[int, SwitchGroups] | None = None
    rates: tuple[str, ...] = ()
    host_rates: tuple[str, ...] = ()
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

    @cached_property
    def home(self) -> IntArray:
        """Switch of each port in `port_guid`."""
        return np.concatenate([self.network.inject, np.arange(self.network.num_routers, dtype=np.int32)])

    @cached_property
    def plane(self) -> IntArray:
        """Number of the plane of each switch: a part without a cable to the others, whose LIDs no other part routes.

        All are 0 where switches route LIDs of another part: then a cable is missing.
        """
        part, _ = components(self.network)
        if part.any() and self.tables is not None:
            known = np.flatnonzero(self.owner >= 0)
            foreign = part[:, None] != part[self.home[self.owner[known]]]
            if (self.tables[:, known][foreign] >= 0).any():
                return np.zeros_like(part)
        _, first, which = np.unique(part, return_index=True, return_inverse=True)
        return np.argsort(np.argsort(first))[which].astype(np.int32)

    @cached_property
    def lid_planes(self) -> Ints:
        """What stands on LIDs of each switch's plane: 0, but where planes share LIDs multiples of `PLANE`."""
        part, _ = components(self.network)
        known = np.flatnonzero(self.owner >= 0)
        steps = np.zeros(self.network.num_routers, dtype=np.int64)
        np.maximum.at(steps, part[self.home[self.owner[known]]], self.lids[known] // PLANE * PLANE)
        return steps[part]

    def same_plane(self, owner: IntArray) -> Flags:
        """Mask of the pairs of a switch and a port, by its position in `port_guid`, that are in one plane."""
        same: Flags = self.plane[:, None] == self.plane[self.home[owner]]
        return same

    def pairs(self, ports: npt.NDArray[Any], owner: IntArray) -> Flags:
        """Mask of the pairs of a port that sends and another port of its plane, by positions in `port_guid`."""
        found: Flags = self.same_plane(owner)[self.home[ports]] & (ports[:, None] != owner)
        return found

    @cached_property
    def cables(self) -> tuple[FabricCable, ...]:
        """Cables between switches, each once, and those of hosts behind them."""
        network, cables = self.network, list[FabricCable]()
        ports = [] if network.ports is None else network.ports.tolist()
        rows = zip(network.source.tolist(), network.target.tolist(), ports, strict=True)
        for channel, (u, v, (p, q)) in enumerate(rows):
            if (u, p) < (v, q):
                name = f"{self.port_name(u, p)} – {self.port_name(v, q)}"
                cables.append(FabricCable(name, (u, v), (p, q), channel))
        return (*cables, *map(self.host_cable, range(network.num_terminals)))

    def host_cable(self, terminal: int) -> FabricCable:
        """The cable of a host port."""
        router, port = int(self.network.inject[terminal]), int(self.host_port[terminal])
        name = f"{self.network.terminal_name(terminal)} – {self.port_name(router, port)}"
        return FabricCable(name, (router,), (port,), terminal=terminal)

    def port_name(self, router: int, port: int) -> str:
        """A port of a switch."""
        return f"{self.network.router_name(router)}[{port}]"

    def plugs(self, cable: FabricCable, hosts: npt.NDArray[np.uint64]) -> tuple[tuple[int, int], ...]:
        """GUID and port number of both ends of a cable; a host by its GUID in `hosts`, with port 0."""
        switches = ((int(self.switch_guid[r]), port) for r, port in zip(cable.routers, cable.ports, strict=True))
        return tuple(switches) if cable.terminal < 0 else ((int(hosts[cable.terminal]), 0), *switches)

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
            return "a port that is not active, or no host's"
        hosts = self.network.num_terminals
        return self.network.terminal_name(owner) if owner < hosts else self.network.router_name(owner - hosts)

    def lid_name(self, index: int) -> str:
        """A LID with the name of its owner, such as ``LID 0x0012 (H0_4)``."""
        return f"LID 0x{int(self.lids[index]) % PLANE:04x} ({self.owner_name(int(self.owner[index]))})"

    def __repr__(self) -> str:
        tables = "with" if self.tables is not None else "without"
        return (
            f"<Fabric {self.name}: {self.network.num_routers} switches, {self.network.num_terminals} host ports, "
            f"{self.lids.size} LIDs, {tables} tables>"
        )
