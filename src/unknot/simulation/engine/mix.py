"""Workloads resolved for a relation and a load, and the tables that kernels read of traffic classes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import offsets
from unknot._base.errors import SimulationError, near
from unknot.routing.relation import Relation
from unknot.simulation.engine.codes import UNEQUAL
from unknot.simulation.engine.pairs import Pairs, Served, by_ports, in_rows, joined, pairs_of
from unknot.simulation.engine.sources import Sources, thresholds
from unknot.traffic import pattern
from unknot.traffic.workload import Shares, Traffic, TrafficClass, mean_length


@dataclass(frozen=True, eq=False)
class Mix:
    """Traffic classes resolved for a relation and a load.

    Attributes
    ----------
    classes : tuple of TrafficClass
    sources : tuple of Sources
        The messages of each class; addresses are those of the first message class.
    lengths : tuple of (int, float)
        Lengths that occur, replies included, with their shares.
    relation : Relation
        That of one subnet.
    subnets : int
        Networks side by side; `sources` are of the terminals of all, of which those of the last one send.
    """

    classes: tuple[TrafficClass, ...]
    sources: tuple[Sources, ...]
    lengths: Shares
    relation: Relation = field(repr=False)
    subnets: int = 1
    burst_chances = (-1, -1)
    """None of all classes alike: each has its own."""

    @property
    def queues(self) -> int:
        """Source queues of each terminal: one for each class."""
        return len(self.classes)

    @property
    def everyone(self) -> int:
        """As of `Pairs`; kernels read that of each class."""
        return self.sources[0].everyone

    @property
    def mean_length(self) -> float:
        """Mean flits of a packet, replies included."""
        return sum(self.flits) / self.packets if self.packets else mean_length(self.lengths)

    @property
    def packets(self) -> float:
        """Packets created in a cycle in the whole network, replies included."""
        return sum(s.packets * one.mean_packets for one, s in zip(self.classes, self.sources, strict=True))

    @property
    def flits(self) -> tuple[float, ...]:
        """Flits of each class created in a cycle in the whole network, replies included."""
        return tuple(s.packets * one.mean_length for one, s in zip(self.classes, self.sources, strict=True))

    def tables(self, starts: npt.NDArray[np.uint64], local: int, slots: int) -> dict[str, Any]:
        """Tables of `state` on what terminals send, as `Sources.tables` has them.

        Raises
        ------
        SimulationError
            If there is no such message class, no such VC of an injection port, or no address for a reply.
        """
        terminals, pairs = self.relation.network.num_terminals * self.subnets, [s.pairs for s in self.sources]
        columns = [s.columns(starts[k * terminals : (k + 1) * terminals]) for k, s in enumerate(self.sources)]
        first = offsets([len(one.forms) for one in self.classes])
        begins, ends = zip(*(s.burst_chances for s in self.sources), strict=True)
        nobody_waits = np.full(len(starts), -1)
        return joined(pairs).tables | {
            "terminals": {
                name: np.concatenate([np.broadcast_to(c[name], terminals) for c in columns]) for name in columns[0]
            },
            "classes": {
                "first_form": first[:-1], "end_form": first[1:], "begins": begins, "ends": ends,
                "everyone": [UNEQUAL if one.keep.size else one.everyone for one in pairs],
                "priority": [one.priority for one in self.classes],
            },
            "forms": self._forms(local),
            "replies": {"first": nobody_waits, "last": nobody_waits},
            "waiting": slots,
            "turns": terminals,
            "leaving": self._leaving(local),
        } | self._reply_addresses()  # fmt: skip

    def _forms(self, local: int) -> dict[str, Any]:
        """Columns of the forms: first the forms drawn by classes, class by class, then the replies."""
        rows: list[tuple[int, ...]] = []
        replies: list[tuple[int, ...]] = []
        drawn = sum(len(one.forms) for one in self.classes)
        for k, one in enumerate(self.classes):
            upto = thresholds([form.share for form in one.forms], one.total_share)
            for form, limit in zip(one.forms, upto.tolist(), strict=True):
                answer = drawn + len(replies) if form.reply else -1
                where = self._range_of(form.kind, 0, form.vcs, local, form.subnet)
                rows.append((limit, form.flits, *where, answer, k, form.subnet))
                if form.reply:
                    where = self._range_of(form.reply_kind, -1, form.reply_vcs, local, form.reply_subnet)
                    replies.append((0, form.reply, *where, -1, k, form.reply_subnet))
        names = ("upto", "flits", "shift", "low", "high", "reply", "of", "subnet")
        return dict(zip(names, np.array(rows + replies, dtype=np.int64).T, strict=True))

    def _range_of(
        self, kind: str, otherwise: int, vcs: tuple[int, int] | None, local: int, subnet: int
    ) -> tuple[int, int, int]:
        """First address of a message class in a subnet, and the range of its VCs at injection ports."""
        if not 0 <= subnet < self.subnets:
            raise SimulationError(f"traffic class: subnet {subnet} of {self.subnets}")
        names = self.relation.classes
        if kind and kind not in names:
            has = near(kind, names) if names else "the routing has no message classes"
            raise SimulationError(f"{self.relation.name}: unknown message class {kind!r}; {has}")
        many = max(1, len(names))
        index = names.index(kind) if kind else otherwise % many
        low, last = vcs if vcs is not None else (index * (local // many), (index + 1) * (local // many) - 1)
        if not 0 <= low <= last < local:
            raise SimulationError(f"traffic class: VCs {low} to {last} of an injection port, which has {local}")
        first = index * (self.relation.num_addresses // many) * self.subnets
        return first + subnet * self.relation.network.num_terminals, low, last + 1

    def _leaving(self, local: int) -> dict[str, Any]:
        """Columns of the ranges of ejection VCs: those of each message class at injection ports."""
        many = max(1, len(self.relation.classes))
        ranges = np.tile([0, local], (many, 1))
        forms = [form for one in self.classes for form in one.forms]
        of_forms = [(form.kind, 0, form.vcs, form.subnet) for form in forms]
        of_forms += [(form.reply_kind, -1, form.reply_vcs, form.reply_subnet) for form in forms if form.reply]
        for kind, otherwise, vcs, subnet in of_forms:
            index = self.relation.classes.index(kind) if kind else otherwise % many
            ranges[index] = self._range_of(kind, otherwise, vcs, local, subnet)[1:]
        return dict(zip(("low", "high"), ranges.T, strict=True))

    def _reply_addresses(self) -> dict[str, Any]:
        """Addresses of replies, unless they are the terminals themselves."""
        relation = self.relation
        terminals, block = relation.network.num_terminals, _first_block(relation)
        alike = np.array_equal(block.destination, np.arange(terminals)) and block.may_use is None
        if alike or not any(form.reply for one in self.classes for form in one.forms):
            return {}
        served, ranges = Served(block, np.arange(block.num_addresses)), []
        for t in range(terminals):
            to_each, ends = served.rows(t)
            if lost := np.setdiff1d(np.arange(terminals), ends).tolist():
                source, target = map(relation.network.terminal_name, (t, lost[0]))
                raise SimulationError(f"{relation.name}: {source} has no address for {target}, so it cannot reply")
            ranges.append(to_each.reshape(-1))
        return {
            "reply_range": np.concatenate(ranges),
            "reply_addresses": _in_first(served.addresses, terminals, self.subnets),
        }


def sources_of(relation: Relation, traffic: Traffic, load: float, width: int = 1) -> Sources | Mix:
    """Resolve a workload for a relation; a load is in flits per terminal and cycle, replies included.

    Parameters
    ----------
    relation : Relation
        Of one network, also where there are several subnets.
    width : int
        Ports of a terminal, each with a source of its own.

    Raises
    ------
    SimulationError
        If the workload cannot be had on this relation or at this load.
    """
    if traffic.classes and width > 1:
        raise SimulationError(f"router: a terminal_width of {width} goes with no traffic classes")
    if traffic.classes:
        return _mix(relation, traffic, load)
    chance = load / (mean_length(traffic.lengths) * width)
    pairs = by_ports(pairs_of(relation, pattern(relation.network, traffic.pattern)), width)
    sources = Sources(chance, pairs, dict(traffic.lengths), traffic.bursts)
    _check_chance("bursts", sources)
    return sources


def _mix(relation: Relation, traffic: Traffic, load: float) -> Mix:
    if relation.compares_on_injection:
        raise SimulationError(
            f"{relation.name}: its packets compare two addresses on injection, which traffic classes do not"
        )
    block = _first_block(relation)
    total = sum(one.share for one in traffic.classes)
    sources: list[Sources] = []
    for k, one in enumerate(traffic.classes):
        pairs = pairs_of(block, pattern(relation.network, one.traffic))
        pairs = _spread(in_rows(pairs) if pairs.addresses.size else pairs, traffic.subnets)
        sources.append(Sources(load * one.share / total / one.mean_length, pairs, bursts=one.bursts))
        _check_chance(f"traffic class {one.name or k}", sources[-1])
    return Mix(tuple(traffic.classes), tuple(sources), traffic.lengths, relation, traffic.subnets)


def _check_chance(name: str, sources: Sources) -> None:
    on = 1.0 if sources.bursts is None else sources.bursts.share_on
    busiest = sources.chance * float(sources.pairs.rate.max(initial=0.0)) / on
    if busiest > 1:
        raise SimulationError(
            f"{name}: a terminal that is on would have to create {busiest:.3g} packets in a cycle, of which 1 is the "
            "most; lower the load or its share, or let bursts last longer"
        )


def _first_block(relation: Relation) -> Relation:
    """The relation with the addresses of its first message class only."""
    if not relation.classes:
        return relation
    many = relation.num_addresses // len(relation.classes)
    block = replace(
        relation,
        addresses=replace(
            relation.addresses,
            destination=relation.destination[:many],
            may_use=None if relation.may_use is None else relation.may_use[:, :many],
            classes=(),
            address_labels=None,
        ),
    )
    block.__dict__["compiled"] = relation.compiled
    return block


def _in_first(addresses: Any, terminals: int, subnets: int) -> Any:
    """Addresses of one network as those of the first of several."""
    return addresses // terminals * (subnets * terminals) + addresses % terminals


def _spread(pairs: Pairs, subnets: int) -> Pairs:
    """Pairs of one network repeated for several subnets, where the terminals of the last subnet send."""
    if subnets == 1:
        return pairs
    terminals = pairs.rate.size
    return replace(
        pairs,
        rate=np.concatenate([np.zeros((subnets - 1) * terminals), pairs.rate]),
        pair_first=np.concatenate([np.zeros((subnets - 1) * terminals, dtype=np.int64), pairs.pair_first]),
        addresses=_in_first(pairs.addresses, terminals, subnets).astype(np.int32),
    )
