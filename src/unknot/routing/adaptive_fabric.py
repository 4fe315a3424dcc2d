"""Relation of a fabric with adaptive switches: candidates of a packet by groups of ports and tables.

A packet stands in a lane of an input port. Port and service level (or lane, where lanes stand in place of levels)
give the number of a table; the table gives the port of static routing and a group. Candidates are the ports of the
group and the static port, without the port of arrival where there is another: `ibdm` leaves the latter out of its
search for credit loops, too (`CredLoops.h`). At levels without adaptive routing the static port is alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Flags, Ints, Rows
from unknot.fabrics.choices import KEYS
from unknot.fabrics.fabric import Fabric
from unknot.network.model import IntArray
from unknot.routing.alike_hosts import classes_of_hosts, classes_of_lids, pairs_of_classes, with_terminals
from unknot.routing.forwarding_table import DROP, EJECT_HERE
from unknot.routing.parts import Addressing
from unknot.routing.port_choices import HOME, PortChoices
from unknot.routing.relation import EJECT, Out, Relation, Rule
from unknot.routing.switchboard import destinations, lane_table
from unknot.routing.virtual_channels import VirtualChannels

Member = tuple[int, int, int]
"""Switch, number of a group, and port in the group."""


@dataclass(frozen=True, eq=False)
class AdaptiveRouting:
    """Host-to-host traffic where switches choose.

    Attributes
    ----------
    waits : Relation
        A packet waits for the port that it was given on arrival, whichever that was. Hosts of a switch that are
        routed alike are one terminal, and LIDs that are routed alike one address.
    pairs : int32 array, shape (terminals, addresses)
        Pairs of a host and a LID that each pair stands for.
    unknown : tuple of str
        Entries that the files do not tell, in words.
    lane_on : callable
        The lane of a packet, by its place, the channel that it takes and its service level.
    member : callable
        By input VC, address and output VC: the switch, group and port that offer it; None where the static port does.
        Only of a routing `by_group`.
    """

    waits: Relation
    pairs: IntArray
    unknown: tuple[str, ...]
    lane_on: Callable[[int, int, int], int]
    member: Callable[[int, int, int], Member | None]

    def chooses_anew(self) -> Relation:
        """Return the relation in which a packet takes whichever candidate is free."""
        same = self.waits
        return Relation(same.network, same.vcs, same.rule, name=same.name, addresses=same.addresses)

    def beside(self, towards: IntArray, ends: Ints, labels: list[str], level: int) -> Relation:
        """Return the relation with static routes beside the traffic, from hosts at any switch to some switches.

        Parameters
        ----------
        towards : int32 array, shape (routers, routes)
            Channel of each route at each switch, `EJECT_HERE` or `DROP`.
        ends : int64 array, shape (routes,)
            Switch at which each ends.
        level : int
            Service level of their packets.
        """
        same, lane_on = self.waits, self.lane_on
        network, seats, known = same.network, same.network.num_terminals, same.num_addresses
        routers = np.arange(network.num_routers)
        names = [network.terminal_name(t) for t in range(seats)] + [network.router_name(r) for r in routers.tolist()]
        inject = np.concatenate([network.inject, routers])
        more = replace(
            network, inject=inject, eject=inject, places=replace(network.places, terminal_labels=tuple(names))
        )
        vcs = VirtualChannels(more, same.vcs.counts)
        router, first, ask, table = vcs.router, vcs.first, same.rule, np.ascontiguousarray(towards, dtype=np.int32)

        def rule(at: int, address: int, out: Out) -> int:
            if address < known:
                return int(ask(at, address, out))
            channel = table[router[at], address - known]
            if channel == EJECT_HERE:
                out[0] = EJECT
                return 1
            vl = lane_on(at, channel, level) if channel >= 0 else -1
            if vl < 0:
                return 0
            out[0] = first[channel] + vl
            return 1

        use = np.zeros((inject.size, known + ends.size), dtype=bool)
        use[:seats, :known], use[:seats, known:] = same.usable(), table[network.inject] != DROP
        addressing = Addressing(
            np.concatenate([same.destination, seats + ends]),
            use,
            [*(same.address_name(a) for a in range(known)), *labels],
        )
        return Relation(more, vcs, rule, name=f"multicast and {same.name}", addresses=addressing, commits=True)


def adaptive_routing(
    fabric: Fabric, lanes: int | None = None, *, replies: bool = False, by_group: bool = False
) -> AdaptiveRouting:
    """Return the relation of traffic between hosts on a fabric with adaptive switches.

    Parameters
    ----------
    fabric : Fabric
        With `groups`; switches without a block there follow their forwarding tables.
    lanes : int, optional
        As for `unknot.routing.fabric_relation.fabric_relation`.
    replies : bool
        Whether hosts also answer at the level of the request.
    by_group : bool
        Keep LIDs of other groups or static ports apart, although the candidates are the same.
    """
    lids = destinations(fabric, "host-to-host")
    choices = PortChoices.of(fabric, lids, by_group)
    lane, count = _lanes(fabric, lanes)
    hosts = classes_of_hosts(fabric, choices.variant, lane)
    alike = classes_of_lids(choices.entries, fabric, lids)
    network = with_terminals(fabric.network, hosts.first)
    level, pairs = pairs_of_classes(fabric, lids, hosts, alike, replies=replies)
    every = 1 if fabric.levels is None else int(np.bitwise_or.reduce(level, axis=None)) or 1
    levels = np.array([sl for sl in range(KEYS) if every >> sl & 1], dtype=np.int32)
    home = np.zeros(alike.first.size, dtype=np.int32)
    home[alike.of] = hosts.of[fabric.owner[lids]]
    labels = [fabric.lid_name(int(lids[i])) for i in alike.first]
    may_use = [pairs > 0 if fabric.levels is None else (level >> sl & 1).astype(bool) for sl in levels.tolist()]
    laned = fabric.levels is not None or fabric.lanes is not None
    vcs = VirtualChannels(network, count)
    entries = np.ascontiguousarray(choices.entries[:, :, alike.first])
    sides = _Sides.of(vcs, lane, choices.by_lane, fabric.host_port[hosts.first])
    row_of = _rows(vcs, choices, entries, levels, sides)
    rule = _rule(vcs, choices.sets, row_of, np.repeat(levels, alike.first.size), sides)
    name = f"host-to-host on {fabric.name}, whose switches choose ports"
    relation = Relation(
        network, vcs, rule, name=f"{name}, replies at the level of the request" if replies else name, commits=True,
        addresses=Addressing(
            destination=np.tile(home, levels.size),
            may_use=np.concatenate(may_use, axis=1),
            address_labels=tuple(f"{label} at SL {sl}" for sl in levels.tolist() for label in labels)
            if laned
            else labels,
        ),
    )  # fmt: skip

    def member(at: int, address: int, vc: int) -> Member | None:
        (group, static), channel = choices.origin[row_of(at, address)], int(vcs.channel[vc])
        return None if channel == static else (int(vcs.router[at]), group, int(sides.out_port[channel]))

    return AdaptiveRouting(relation, pairs, choices.unknown, sides.on, member)


@dataclass(frozen=True, eq=False)
class _Sides:
    """Ports and lanes by input VC and injection port; an injection port has no lane."""

    router: IntArray
    came: IntArray
    entered: IntArray
    out_port: IntArray
    lane: npt.NDArray[np.int8]
    by_lane: Flags

    @classmethod
    def of(cls, vcs: VirtualChannels, lane: npt.NDArray[np.int8], by_lane: Flags, host_port: IntArray) -> _Sides:
        network = vcs.network
        pairs = np.zeros((network.num_channels, 2), dtype=np.int32) if network.ports is None else network.ports
        came = np.concatenate([pairs[vcs.channel, 1], host_port]).astype(np.int32)
        within = np.concatenate([np.arange(vcs.total) - vcs.first[vcs.channel], np.full(host_port.size, -1)])
        return cls(vcs.router, came, within.astype(np.int32), pairs[:, 0].copy(), np.ascontiguousarray(lane), by_lane)

    @property
    def on(self) -> Callable[[int, int, int], int]:
        """The lane on a channel of a packet at a place, by its service level; −1 where packets are dropped."""
        router, came, entered, out_port = self.router, self.came, self.entered, self.out_port
        flat, by_lane, single = self.lane, self.by_lane, self.lane.shape[:2] == (1, 1)

        def on(at: int, channel: int, level: int) -> int:
            here, key = router[at], level
            if by_lane[here, level] and entered[at] >= 0:
                key = entered[at]
            return int(flat[0, 0, 0, key] if single else flat[here, came[at], out_port[channel], key])

        return on


def _rows(
    vcs: VirtualChannels, choices: PortChoices, entries: npt.NDArray[np.int32], levels: IntArray, sides: _Sides
) -> Callable[[int, int], int]:
    """The number of a packet's set of candidates, by its place and address."""
    router, came, entered = vcs.router, sides.came, sides.entered
    variant, by_lane, count = choices.variant, choices.by_lane, entries.shape[2]

    def row_of(at: int, address: int) -> int:
        here, level = router[at], levels[address // count]
        key = entered[at] if by_lane[here, level] and entered[at] >= 0 else level
        return int(entries[variant[here, came[at], key], here, address % count])

    return row_of


def _rule(
    vcs: VirtualChannels, sets: Rows, row_of: Callable[[int, int], int], level_of: IntArray, sides: _Sides
) -> Rule:
    """The rule of all switches; `level_of` is the service level of each address."""
    first, out_port, came, lane_on = vcs.first, sides.out_port, sides.came, sides.on
    begin, members = sets.first.astype(np.int64), sets.entries.astype(np.int64)

    def rule(at: int, address: int, out: Out) -> int:
        port, level, row = came[at], level_of[address], row_of(at, address)
        n, alone = 0, begin[row + 1] - begin[row] == 1
        for i in range(begin[row], begin[row + 1]):
            channel = members[i]
            if channel == HOME:
                out[n] = EJECT
                n += 1
            elif channel >= 0 and (alone or out_port[channel] != port):
                vl = lane_on(at, channel, level)
                if vl >= 0:
                    out[n] = first[channel] + vl
                    n += 1
        return n

    return rule


def _lanes(fabric: Fabric, lanes: int | None) -> tuple[npt.NDArray[np.int8], int]:
    """Lanes by switch, ports and level or lane, and their number."""
    table, count = lane_table(fabric, lanes)
    replaced = any(switch.by_lane for switch in (fabric.groups or {}).values())
    return table, max(count, int(table.max(initial=0)) + 1) if replaced else count
