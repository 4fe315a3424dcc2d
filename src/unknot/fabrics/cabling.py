"""Cables and addresses as readers of fabric descriptions collect them, and the checks that make a network of them.

Descriptions list every cable at both of its ends and repeat GUIDs, LIDs and names in many places. Each statement is
kept with the line it was read from; a statement that contradicts an earlier one, or a cable that is listed at one end
only, is an error that names the line. So a file that was cut off is not taken for a small fabric. A switch that the
file leaves out is known from what others list.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import numpy as np

from unknot._base.errors import TextError
from unknot.fabrics.fabric import LAST_UNICAST, PLANE, Fabric
from unknot.fabrics.format import FabricText
from unknot.fabrics.nodes import Cable, FabricNode, Place, doubtful_hosts, rates_of
from unknot.fabrics.rates import Rate, Rates, rates
from unknot.network import Network, Places, Wires
from unknot.network.graph import strong_components

NO_LIDS = (0, 0xFFFF)
"""LID values of ports without a LID."""

_SWITCH = re.compile(r"S-[0-9a-f]{16}")
MOST_PORTS = 255
UNKNOWN_RATE = Rate()


@dataclass
class Cabling(FabricText):
    """A fabric description while it is read.

    `addresses` has what was said of ports: the base LID (0: none), its LMC and the GUID; `assumed`, what was taken
    for what a file does not say; `has_rates`, whether files of the format give widths and speeds.
    """

    nodes: dict[str, FabricNode] = field(default_factory=dict)
    addresses: dict[Place, dict[str, int]] = field(default_factory=dict)
    cables: dict[Place, Cable] = field(default_factory=dict)
    repeated: list[int] = field(default_factory=list)
    assumed: list[str] = field(default_factory=list)
    has_rates: bool = True
    restored: list[str] = field(default_factory=list)
    _line_of: dict[Place, int] = field(default_factory=dict)

    def node(self, new: FabricNode) -> FabricNode:
        """Add a node, or check that it is described as before."""
        if new.num_ports > MOST_PORTS:
            raise self.error(f"a node has at most {MOST_PORTS} ports, not {new.num_ports}", new.line)
        old = self.nodes.setdefault(new.key, new)
        if (old.switch, old.guid, old.name, old.num_ports) != (new.switch, new.guid, new.name, new.num_ports):
            raise self.error(f"{self.called(new.key)} was described differently in line {old.line}", new.line)
        return old

    def address(self, place: Place, line: int, **facts: int | None) -> None:
        """Note LID, LMC or GUID of a port, or check them against what was said before."""
        known = self.addresses.setdefault(place, {})
        first = self._line_of.setdefault(place, line)
        for key, fact in facts.items():
            if fact is None:
                continue
            if key == "lid":
                fact = 0 if fact in NO_LIDS else self.unicast(fact, line)
            old = known.setdefault(key, fact)
            if old != fact:
                word = {"lid": "LID", "lmc": "LMC", "guid": "port GUID"}[key]
                shown = (f"0x{fact:x}", f"0x{old:x}") if key == "guid" else (str(fact), str(old))
                raise self.error(
                    f"{self.called(place[0])} has {word} {shown[0]} here, but {shown[1]} by line {first}", line
                )

    def cable(self, near: Place, far: Place, line: int, up: bool = True, rate: Rate = UNKNOWN_RATE) -> None:
        """Note the cable of a port, or compare it with an earlier statement."""
        old = self.cables.setdefault(near, Cable(far, line, up, rate))
        if old.far != far:
            raise self.error(
                f"port {self.port(near)} is cabled to {self.port(far)} here, but to {self.port(old.far)} in line "
                f"{old.line}",
                line,
            )
        if old.line != line:
            self.repeated.append(line)
        old.up = old.up and up

    def both(self, near: Place, far: Place, line: int, up: bool, rate: Rate, back: Rate | None = None) -> None:
        """Note a cable that a file may list once, and its rate at the far end where that is listed."""
        for one, other, run in ((near, far, rate), (far, near, back or rate)):
            if one not in self.cables or self.cables[one].far != other:
                self.cable(one, other, line, up, run)

    def called(self, key: str) -> str:
        """A node in words: its name, else its GUID."""
        node = self.nodes.get(key)
        return (node.name or f"0x{node.guid:016x}") if node is not None else key

    def port(self, place: Place) -> str:
        """A port in words."""
        return f"{self.called(place[0])}[{place[1]}]"

    def finish(self, *, ordered_by_guid: bool = True) -> Fabric:
        """Check the whole and make the fabric.

        Raises
        ------
        TextError
            With the line, if a cable is listed at one end only, a port does not exist, two ports share a LID, a
            node has no cable, or there is no switch.
        """
        self.note_noise()
        if ordered_by_guid:
            self._restore_switches()
        bare, doubts = doubtful_hosts(self.nodes, {near[0] for near in self.cables})
        for key in bare:
            del self.nodes[key]
        self._check_cables()
        if self.repeated:
            self.notes.append(
                f"{len(self.repeated)} ports are described twice, first in line {self.repeated[0]}: are these two "
                "outputs in one file? They agree and count once"
            )
        nodes = list(self.nodes.values())
        if ordered_by_guid:
            nodes.sort(key=lambda node: node.guid)
        switches = [node for node in nodes if node.switch]
        if not switches:
            raise TextError("no switch in this file; is it cut off?", self.where)
        router = {node.key: r for r, node in enumerate(switches)}
        order = {node.key: number for number, node in enumerate(nodes)}
        labels = self._labels(nodes)
        runs, differing = rates_of(self.cables, labels)
        active = self._active(router, sorted(self.cables, key=lambda place: (order[place[0]], place[1])))
        hosts = [(near, far) for near, far in active if self.nodes[near[0]].role not in ("switch", "aggregation")]
        links = [(near, far) for near, far in active if near[0] in router and far[0] in router]
        channels = [(router[near[0]], router[far[0]], near[1], far[1]) for near, far in links]
        rated = [runs[near] for near, _ in links], [runs[near] for near, _ in hosts]
        found = rates(*rated) if self.has_rates else Rates([Fraction(1)] * len(channels), [], [])
        self.notes += found.notes
        self.assumed += [*found.assumed, *differing, *doubts]
        places = [host for host, _ in hosts]
        answering = places + [(node.key, 0) for node in switches]
        owned = self._lids(answering)
        cabled = Counter(place[0] for place in places)
        ports = np.array([c[2:] for c in channels], dtype=np.int32).reshape(-1, 2)
        names = (labels[key] + (f"[{number}]" if cabled[key] > 1 else "") for key, number in places)
        network = Network(
            name=Path(self.where).name,
            num_routers=len(switches),
            source=[c[0] for c in channels],
            target=[c[1] for c in channels],
            wires=Wires(bandwidth=found.bandwidth, ports=ports),
            inject=[router[switch[0]] for _, switch in hosts],
            places=Places(
                router_labels=tuple(labels[node.key] for node in switches),
                terminal_labels=tuple(names),
            ),
        )
        return Fabric(
            name=network.name,
            network=network,
            switch_guid=np.array([node.guid for node in switches], dtype=np.uint64),
            port_guid=np.array([self._port_guid(place) for place in answering], dtype=np.uint64),
            node_guid=np.array([self.nodes[key].guid for key, _ in places], dtype=np.uint64),
            switch_ports=np.array([node.num_ports for node in switches], dtype=np.int32),
            host_port=np.array([switch[1] for _, switch in hosts], dtype=np.int32),
            lids=np.array([lid for lid, _ in owned], dtype=np.int32),
            owner=np.array([who for _, who in owned], dtype=np.int32),
            fabric_file=str(self.where),
            restored=tuple(router[key] for key in self.restored),
            rates=tuple(str(rate) for _, rate in rated[0]),
            host_rates=tuple(str(rate) for _, rate in rated[1]),
            notes=(*self.notes, *self.assumed),
            assumed=tuple(self.assumed),
        )

    def _active(self, switches: Container[str], ports: Iterable[Place]) -> list[tuple[Place, Place]]:
        """Return both ends of each cable that is up, from each end; note how many are not."""
        active, down = list[tuple[Place, Place]](), 0
        for near in ports:
            cable = self.cables[near]
            if near[0] not in switches and cable.far[0] not in switches:
                raise self.error(f"host port {self.port(near)} is not cabled to a switch", cable.line)
            if cable.up and self.cables[cable.far].up:
                active.append((near, cable.far))
            else:
                down += 1
        if down:
            self.notes.append(f"{(down + 1) // 2} cabled links are not active and were left out")
        return active

    def _restore_switches(self) -> None:
        """Add switches missing from the file, with the cables listed by others; an error if they are half of all or
        more.
        """
        for near, cable in list(self.cables.items()):
            key, port = cable.far
            if key not in self.nodes and _SWITCH.fullmatch(key):
                self.nodes[key] = FabricNode(key, True, int(key[2:], 16), "", port, cable.line)
                self.restored.append(key)
            if key in self.restored:
                self.nodes[key].num_ports = max(port, self.nodes[key].num_ports)
                self.cable(cable.far, near, cable.line, cable.up, cable.rate)
        if not self.restored:
            return
        first = self.nodes[self.restored[0]]
        if 2 * len(self.restored) >= sum(node.switch for node in self.nodes.values()):
            raise self.error(
                f"a cable leads to {first.key}, which is not described in this file, nor are half of the switches; "
                "is it cut off?",
                first.line,
            )
        count = f"{len(self.restored)} switches are" if len(self.restored) > 1 else "1 switch is"
        self.notes.append(f"{count} known from the cables of others alone, the first {first.key}")

    def _check_cables(self) -> None:
        for near, cable in self.cables.items():
            if cable.far[0] not in self.nodes:
                raise self.error(
                    f"the link from {self.port(near)} leads to {cable.far[0]}, which is not described in this file; "
                    "is it cut off?",
                    cable.line,
                )
            back = self.cables.get(cable.far)
            if back is None:
                raise self.error(
                    f"the link from {self.port(near)} to {self.port(cable.far)} is not listed at "
                    f"{self.called(cable.far[0])}; is the file cut off?",
                    cable.line,
                )
            if back.far != near:
                raise self.error(
                    f"{self.port(near)} is cabled to {self.port(cable.far)}, which by line {back.line} is cabled to "
                    f"{self.port(back.far)}",
                    cable.line,
                )
            limit = min(self.nodes[near[0]].num_ports, MOST_PORTS)
            if not 1 <= near[1] <= limit:
                raise self.error(f"{self.called(near[0])} has ports 1 to {limit}, not {near[1]}", cable.line)
        cabled = {near[0] for near in self.cables}
        for node in self.nodes.values():
            if node.key not in cabled:
                raise self.error(f"{self.called(node.key)} has no cable; is the file cut off?", node.line)

    def _labels(self, nodes: list[FabricNode]) -> dict[str, str]:
        """Names of nodes, or GUIDs of nodes without a name of their own."""
        count = Counter(node.name for node in nodes)
        own = {node.key for node in nodes if node.name and count[node.name] == 1}
        if len(own) < len(nodes):
            doubtful = len(nodes) - len(own)
            self.notes.append(f"{doubtful} nodes have no name of their own and are called by their GUID")
        return {node.key: node.name if node.key in own else f"0x{node.guid:016x}" for node in nodes}

    def _lids(self, answering: list[Place]) -> list[tuple[int, int]]:
        """(LID, owner) ascending by LID; ports whose link is down own their LIDs too, but answer to none."""
        owners = {place: index for index, place in enumerate(answering)}
        holder: dict[int, Place] = {}
        taken = list[tuple[int, Place]]()
        for place, known in self.addresses.items():
            base, size = known.get("lid", 0), 1 << known.get("lmc", 0)
            if base % size or base + size - 1 > LAST_UNICAST:
                raise self.error(
                    f"LID {base} cannot begin {size} LIDs (LMC {known.get('lmc')})", self._line_of[place]
                )
            taken += [(lid, place) for lid in range(base, base + size if base else 0)]
        planes = self._planes() if len({lid for lid, _ in taken}) < len(taken) else {}
        for lid, place in taken:
            own = lid + PLANE * planes.get(place[0], 0)
            if own in holder:
                raise self.error(
                    f"LID {lid} (0x{lid:04x}) belongs to {self.called(place[0])} here and to "
                    f"{self.called(holder[own][0])} by line {self._line_of[holder[own]]}",
                    self._line_of[place],
                )
            holder[own] = place
        if any(planes.values()):
            self.notes.append(f"{max(planes.values()) + 1} planes without a cable between them share LIDs")
        return sorted((lid, owners.get(place, -1)) for lid, place in holder.items())

    def _planes(self) -> dict[str, int]:
        """Number of the part in which each node is, of the parts that have a switch."""
        order = {key: number for number, key in enumerate(self.nodes)}
        ends = [(order[one[0]], order[cable.far[0]]) for one, cable in self.cables.items()]
        near, far = np.array(ends).T
        part, _ = strong_components(near, far, len(order))
        seen = dict.fromkeys(int(part[order[node.key]]) for node in self.nodes.values() if node.switch)
        planes = {label: plane for plane, label in enumerate(seen)}
        return {key: planes.get(int(part[number]), 0) for key, number in order.items()}

    def _port_guid(self, place: Place) -> int:
        return self.addresses.get(place, {}).get("guid", self.nodes[place[0]].guid)
