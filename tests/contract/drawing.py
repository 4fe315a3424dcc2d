"""Relations over the whole contract, drawn by number: the same number is the same relation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tests.strategies import table_relation
from unknot.network import Network
from unknot.routing import EJECT, NO_WAIT, TIER, Relation, VirtualChannels


class Features(NamedTuple):
    """What a relation has of what the contract allows."""

    commits: bool
    no_wait: bool
    tiers: bool
    classes: bool


ALL = tuple(Features(*(bool(number >> i & 1) for i in range(4))) for number in range(16))
CLIMBS = {
    (False, False, False): 0.12, (False, False, True): 0.18, (False, True, False): 0.30, (False, True, True): 0.29,
    (True, False, False): 0.25, (True, False, True): 0.30, (True, True, False): 0.30, (True, True, True): 0.35,
}  # fmt: skip
"""How many of the relations that commit, have `NO_WAIT` and tiers ascend: those without classes."""


@dataclass
class Plan:
    """How candidates are drawn.

    `climbs`: all ascend in a hidden order of the VCs, so that no dependencies form a cycle. `escape`: the lowest VC
    of a channel is taken in ascending order only, one such VC is waited for everywhere, the others lead anywhere.
    `loose`: any VCs, detours included. With `faults`, some candidates are added or put in the place of others.
    """

    kind: str
    faults: int = 0


def draw(number: int, small: bool = False) -> tuple[Relation, Features]:
    """A relation without dead ends, and the features that it has, by its number; `small`: for exploration."""
    random, features = np.random.default_rng(number), ALL[number % 16]
    for _ in range(8):
        relation, present = _draw(random, features, small, f"drawn {number}")
        if present == features:
            break
    return relation, present


def _draw(random: np.random.Generator, features: Features, small: bool, name: str) -> tuple[Relation, Features]:
    """A relation that may have some features, and those that its reachable states show."""
    network = draw_network(random, small)
    most = 2 if small else 3
    total = network.num_channels * most
    counts = random.integers(1, most + 1, network.num_channels) if total > 4 or not small else most
    virtual = VirtualChannels(network, np.broadcast_to(counts, network.num_channels).astype(np.int32))
    terminals = network.num_terminals
    destination = np.arange(terminals)
    options: dict[str, Any] = {"commits": features.commits}
    if random.random() < 0.3:
        more = random.integers(0, terminals, int(random.integers(1, 3)))
        destination = np.concatenate([destination, more])
    if features.classes:
        destination = np.tile(destination, 2)
        options["classes"] = ("request", "reply")
    share = float(random.choice([0.6, 1.0]))
    may_use = random.random((terminals, destination.size)) < share
    table: dict[tuple[int, int], list[int]] = {}
    writer = Writer(random, network, virtual, draw_plan(random, features), features)
    for address, home in enumerate(destination.tolist()):
        writer.turn_to(int(network.eject[home]))
        users = [t for t in range(terminals) if may_use[t, address] and writer.serves(virtual.total + t)]
        may_use[:, address] = False
        may_use[users, address] = True
        todo = [virtual.total + t for t in users]
        for at in todo:
            if (at, address) not in table:
                table[at, address] = writer.answer(at)
                todo += [value & (TIER - 1) for value in table[at, address] if value & (TIER - 1) != EJECT]
    entries = [value for answer in table.values() for value in answer]
    present = Features(
        features.commits,
        any(value & NO_WAIT for value in entries),
        any(len({value >> 40 & 0xFF for value in answer}) > 1 for answer in table.values()),
        features.classes,
    )
    relation = table_relation(network, virtual, table, destination=destination, may_use=may_use, name=name, **options)
    return relation, present


def draw_plan(random: np.random.Generator, features: Features) -> Plan:
    """A plan: as many climb as it takes for a third of every kind to be free under each technique."""
    climbs = CLIMBS[features.commits, features.no_wait, features.tiers] + 0.06 * features.classes
    kind = str(random.choice(["climbs", "escape", "loose"], p=[climbs, 0.12, 0.88 - climbs]))
    return Plan(kind, int(random.integers(1, 4)) if kind != "loose" and random.random() < 0.3 else 0)


def draw_network(random: np.random.Generator, small: bool) -> Network:
    """A ring one way or both, a tree both ways, and other channels; terminals at most routers."""
    routers = int(random.integers(2, 4 if small else 6))
    order = random.permutation(routers).tolist()
    if random.random() < 0.6:
        pairs = [(order[i], order[(i + 1) % routers]) for i in range(routers)]
    else:
        pairs = []
        for i in range(1, routers):
            parent = order[int(random.integers(i))]
            pairs += [(parent, order[i]), (order[i], parent)]
    for _ in range(int(random.integers(0, 2 if small else 5))):
        u, v = random.choice(routers, 2, replace=False).tolist()
        pairs.append((u, v))
    source, target = np.array(pairs, dtype=np.int32).T
    inject = eject = np.arange(routers, dtype=np.int32)
    if random.random() < 0.3:
        inject = random.integers(0, routers, int(random.integers(2, routers + 2))).astype(np.int32)
        eject = random.permutation(inject).astype(np.int32) if random.random() < 0.5 else inject
    latency = random.integers(1, 3, len(pairs)).astype(np.int32)
    return Network("drawn", routers, source, target, latency, inject=inject, eject=eject)


class Writer:
    """Writes the answers of one relation, address by address."""

    def __init__(
        self, random: np.random.Generator, network: Network, virtual: VirtualChannels, plan: Plan, features: Features
    ) -> None:
        self.random, self.network, self.virtual, self.plan, self.features = random, network, virtual, plan, features
        self.rank = self.draw_rank()
        self.tail = network.source[virtual.channel]
        self.router = virtual.router.tolist()
        self.leaving = [np.flatnonzero(self.tail == r).tolist() for r in range(network.num_routers)]
        self.escapes = {int(v) for v in virtual.first[:-1]} if plan.kind == "escape" else set(range(virtual.total))
        self.faults = plan.faults
        several = features.no_wait or features.tiers
        self.most = int(random.choice([1, 2, 3], p=[0.2, 0.5, 0.3] if several else [0.6, 0.2, 0.2]))

    def draw_rank(self) -> list[int]:
        """A hidden order of the VCs: by chance, or up to a root and down again, with lower VCs before higher ones."""
        virtual, random = self.virtual, self.random
        if random.random() < 0.25:
            return [int(v) for v in random.permutation(virtual.total)]
        place = random.permutation(self.network.num_routers)
        source, target = self.network.source, self.network.target
        up = place[target] < place[source]
        key = np.where(up, -place[source], self.network.num_routers + place[source])[virtual.channel]
        order = np.lexsort((random.random(virtual.total), key, virtual.index))
        rank = np.empty(virtual.total, dtype=int)
        rank[order] = np.arange(virtual.total)
        return [int(v) for v in rank]

    def turn_to(self, home: int) -> None:
        """Begin an address that ejects at a router, where the escape VCs in `homing` lead in ascending order."""
        self.home = home
        self.homing: set[int] = set()
        for vc in sorted(self.escapes, key=lambda vc: -self.rank[vc]):
            if self.router[vc] == home or self.climbing(vc):
                self.homing.add(vc)
        self.ends = {home}
        while True:
            more = {int(self.tail[vc]) for vc in range(len(self.rank)) if self.router[vc] in self.ends} - self.ends
            if not more:
                break
            self.ends |= more

    def climbing(self, at: int) -> list[int]:
        """Escape VCs that a packet may go on to in ascending order, so that it comes home."""
        floor = self.rank[at] if at in self.escapes else -1
        return [vc for vc in self.leaving[self.router[at]] if vc in self.homing and self.rank[vc] > floor]

    def usable(self, at: int) -> list[int]:
        """VCs from which a packet can go on."""
        onward = [vc for vc in self.leaving[self.router[at]] if self.router[vc] in self.ends]
        if self.plan.kind == "loose":
            return onward
        return [vc for vc in onward if self.router[vc] == self.home or self.climbing(vc)]

    def serves(self, at: int) -> bool:
        """Whether packets can be sent from a port."""
        if self.router[at] == self.home:
            return bool(self.random.random() < 0.7)
        return bool(self.usable(at)) if self.plan.kind == "loose" else bool(self.climbing(at))

    def answer(self, at: int) -> list[int]:
        """The candidates of a state, as a rule writes them."""
        random, arrived = self.random, self.router[at] == self.home
        beside = arrived and random.random() < 0.25
        vcs: list[int] = []
        must = EJECT if arrived else -1
        if beside or not arrived:
            pool = self.usable(at)
            if self.plan.kind == "climbs":
                pool = self.climbing(at)
            elif self.plan.kind == "escape":
                pool = [vc for vc in pool if vc not in self.escapes]
                if not arrived:
                    must = int(random.choice(self.climbing(at)))
            vcs = random.permutation(pool)[: int(random.integers(0 if must >= 0 else 1, self.most + 1))].tolist()
        if self.faults and not arrived and random.random() < 0.3:
            self.faults -= 1
            vcs.append(int(random.choice(self.usable(at) or [must])))
            if random.random() < 0.3:
                must = -1
        entries = list(dict.fromkeys([*vcs, must] if must >= 0 else vcs))
        random.shuffle(entries)
        if must < 0:
            must = entries[0]
        marks = [0] * len(entries)
        if self.features.no_wait and random.random() < 0.7:
            spare = self.features.commits and random.random() < 0.2
            marks = [NO_WAIT * int(vc != EJECT and (vc != must or spare) and random.random() < 0.6) for vc in entries]
        tiers = [TIER * int(random.integers(0, 3)) * self.features.tiers for _ in entries]
        return [vc + mark + tier for vc, mark, tier in zip(entries, marks, tiers, strict=True)]
