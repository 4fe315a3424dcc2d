"""The trees of multicast groups: where their copies go, who gets them, and which are no trees."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import columns
from unknot.fabrics import Fabric
from unknot.network.graph import from_lowest, reached_from, shortest_cycle

Port = tuple[int, int]


class Wiring:
    """Channel or host at each port of a fabric, and the copies that have no data lane.

    Parameters
    ----------
    lane : int8 array, shape (switches or 1, ports or 1, ports or 1), optional
        Virtual lane of multicast packets by switch, input port and output port; negative where they are dropped.
    """

    def __init__(self, fabric: Fabric, lane: npt.NDArray[np.int8] | None = None) -> None:
        network = fabric.network
        ports = np.zeros((0, 2), dtype=np.int32) if network.ports is None else network.ports
        self.fabric = fabric
        self.target: list[int] = network.target.tolist()
        self.out_port: list[int] = ports[:, 0].tolist()
        self.in_port: list[int] = ports[:, 1].tolist()
        self.channel = {at: c for c, at in enumerate(zip(network.source.tolist(), self.out_port, strict=True))}
        self.back = [self.channel[v, q] for v, q in zip(self.target, self.in_port, strict=True)]
        self.host = {
            at: t for t, at in enumerate(zip(network.eject.tolist(), fabric.host_port.tolist(), strict=True))
        }
        self._lane = lane

    def passes(self, switch: int, came: int, out: int) -> bool:
        """Whether a packet that came in by a port has a lane to another."""
        if self._lane is None or self._lane.shape[0] == 1:
            return True
        return bool(self._lane[switch, came, out] >= 0)


@dataclass
class MulticastTree:
    """Groups with the same ports at every switch.

    Attributes
    ----------
    name : str
        Their first multicast LID in words.
    mlids : list of int
    channels : dict
        Switch → channels that its row copies to.
    members : dict
        Switch → host ports that its row copies to.
    is_tree : bool
        Whether the cables in use form no cycle.
    ends : dict
        Of a tree: end switch → next channel from each switch that leads there.
    open_end : bool
        Whether a row copies to a switch without a row, behind which members may be.
    circling : str
        How its packets go round for ever; empty if they do not.
    pairs, undelivered : int
        Pairs of different members, and those whose packets do not arrive.
    lost : list of str
    """

    name: str
    mlids: list[int]
    channels: dict[int, list[int]]
    members: dict[int, list[int]]
    is_tree: bool = True
    ends: dict[int, dict[int, int]] = field(default_factory=dict)
    open_end: bool = False
    circling: str = ""
    pairs: int = 0
    undelivered: int = 0
    lost: list[str] = field(default_factory=list)


def trees_of(fabric: Fabric, wiring: Wiring) -> list[MulticastTree]:
    """The trees of all groups, those with the same ports together."""
    rows: defaultdict[int, list[Port]] = defaultdict(list)
    for mlid, r, port in [] if fabric.multicast is None else fabric.multicast.tolist():
        rows[mlid].append((r, port))
    alike: defaultdict[tuple[Port, ...], list[int]] = defaultdict(list)
    for mlid, ports in rows.items():
        alike[tuple(ports)].append(mlid)
    return [_tree(wiring, mlids, ports) for ports, mlids in alike.items()]


def _tree(wiring: Wiring, mlids: list[int], ports: tuple[Port, ...]) -> MulticastTree:
    network = wiring.fabric.network
    channels: defaultdict[int, list[int]] = defaultdict(list)
    members: defaultdict[int, list[int]] = defaultdict(list)
    tree = MulticastTree(f"MLID 0x{mlids[0]:04x}", mlids, channels, members)
    rows = {r for r, _ in ports}
    for r, port in ports:
        if (r, port) in wiring.channel:
            channels[r].append(wiring.channel[r, port])
        elif (r, port) in wiring.host:
            members[r].append(wiring.host[r, port])
        elif port:
            tree.lost.append(f"{network.router_name(r)} copies {tree.name} to port {port}, which leads nowhere")
    for r, out in channels.items():
        for c in out:
            if wiring.target[c] not in rows:
                far = network.router_name(wiring.target[c])
                tree.lost.append(f"{network.router_name(r)} copies {tree.name} to {far}, which has no row for it")
                tree.open_end = True
    cables = {min(c, wiring.back[c]) for out in channels.values() for c in out}
    import networkx as nx

    joined = nx.MultiGraph((network.source[c], network.target[c]) for c in cables)
    tree.is_tree = not cables or nx.is_forest(joined)
    if tree.is_tree:
        _find_ends(wiring, tree)
    else:
        _find_circle(wiring, tree)
    _follow_members(wiring, tree)
    return tree


def _onward(wiring: Wiring, tree: MulticastTree, c: int) -> list[int]:
    """Channels to which a packet on a channel is copied."""
    v, came = wiring.target[c], wiring.in_port[c]
    return [d for d in tree.channels.get(v, ()) if d != wiring.back[c] and wiring.passes(v, came, wiring.out_port[d])]


def _find_ends(wiring: Wiring, tree: MulticastTree) -> None:
    """The switches where branches end, and the ways there."""
    into: defaultdict[int, list[int]] = defaultdict(list)
    for out in tree.channels.values():
        for c in out:
            into[wiring.target[c]].append(c)
    sources = wiring.fabric.network.source.tolist()
    for end, entering in into.items():
        if all(any(d != wiring.back[c] for d in tree.channels.get(end, ())) for c in entering):
            continue
        path: dict[int, int] = {}
        todo = [end]
        for v in todo:
            for c in into.get(v, ()):
                if sources[c] != end and sources[c] not in path:
                    path[sources[c]] = c
                    todo.append(sources[c])
        tree.ends[end] = path


def _find_circle(wiring: Wiring, tree: MulticastTree) -> None:
    """Note how packets go round for ever, or that some arrive twice, where cables form a cycle."""
    network = wiring.fabric.network
    started = [c for r, out in tree.channels.items() for c in out if (network.inject == r).any()]
    onward = partial(_onward, wiring, tree)
    copies = [(c, d) for c in reached_from(started, onward) for d in onward(c)]
    around = shortest_cycle(*columns(copies))
    if not around:
        tree.lost.append(f"the cables of {tree.name} form a cycle, so that packets may arrive twice")
        return
    names = [network.router_name(r) for r in from_lowest([int(network.source[c]) for c in around])]
    tree.circling = f"{tree.name} is copied round for ever: {' → '.join([*names, names[0]])}"


def _follow_members(wiring: Wiring, tree: MulticastTree) -> None:
    """Members that do not get the packets of another."""
    network = wiring.fabric.network
    ports = wiring.fabric.host_port.tolist()
    members = sum(map(len, tree.members.values()))
    tree.pairs = members * (members - 1)
    missing: list[tuple[int, int]] = []
    reached: dict[tuple[int, tuple[int, ...]], set[int]] = {}
    for r, senders in tree.members.items():
        for sender in senders:
            first = tuple(c for c in tree.channels.get(r, ()) if wiring.passes(r, ports[sender], wiring.out_port[c]))
            if (r, first) not in reached:
                channels = reached_from(first, partial(_onward, wiring, tree))
                reached[r, first] = {r} | {wiring.target[c] for c in channels}
            absent = [(sender, t) for s, some in tree.members.items() if s not in reached[r, first] for t in some]
            tree.undelivered += len(absent)
            missing = missing or absent[:1]
    if missing:
        names = " to ".join(network.terminal_name(t) for t in missing[0])
        tree.lost.append(
            f"{tree.undelivered} of {tree.pairs} pairs of members of {tree.name} do not reach one another, the first "
            f"{names}"
        )
